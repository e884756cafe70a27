import { BadRequestError, ForbiddenError } from 'concordat';
import { definePreset, type EndSystemFetchOptions, endSystemFetch } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { endSystem, type Reply } from '../support/end-system.js';

const perl = 'Unknown field: Nope at /usr/share/request-tracker5/lib/RT/Tickets.pm line 3187.';
const withoutPlaces = (text: string) => text.replaceAll(/ at \S+ line \d+/g, '');

async function failureOf(reply: Reply, options: EndSystemFetchOptions) {
  const url = await endSystem(reply);
  return endSystemFetch(options)(`${url}/tickets`).then(
    () => expect.unreachable('it was a success'),
    (error) => error,
  );
}

describe('what the end system says of its inside', () => {
  const refusal: Reply = { status: 400, body: { message: perl } };

  test('is passed on as it came (control)', async () => {
    const { message, detail } = await failureOf(refusal, {});
    expect([message, detail]).toEqual([perl, JSON.stringify({ message: perl })]);
  });

  test.each<[string, () => EndSystemFetchOptions]>([
    ['endSystemFetch', () => ({ clean: withoutPlaces })],
    ['a preset', () => ({ preset: definePreset({ name: 'rt', rules: [], clean: withoutPlaces }) })],
    [
      'the preset that it extends',
      () => ({
        preset: definePreset({ name: 'mine', extends: { name: 'rt', rules: [], clean: withoutPlaces }, rules: [] }),
      }),
    ],
    [
      'endSystemFetch, which wins',
      () => ({ clean: withoutPlaces, preset: { name: 'rt', rules: [], clean: () => 'the preset' } }),
    ],
  ])('leaves message and detail by `clean` of %s', async (_whose, options) => {
    const { message, detail } = await failureOf(refusal, options());
    expect([message, detail]).toEqual(['Unknown field: Nope.', '{"message":"Unknown field: Nope."}']);
  });

  test.each<[string, () => EndSystemFetchOptions]>([
    ['endSystemFetch', () => ({ detail: false })],
    ['a preset', () => ({ preset: definePreset({ name: 'rt', rules: [], detail: false }) })],
    [
      'the preset that it extends',
      () => ({
        preset: definePreset({ name: 'mine', extends: { name: 'rt', rules: [], detail: false }, rules: [] }),
      }),
    ],
    [
      'a preset that extends another, which has one',
      () => ({
        preset: definePreset({
          name: 'mine',
          extends: { name: 'rt', rules: [], detail: true },
          rules: [],
          detail: false,
        }),
      }),
    ],
  ])('stays out of the detail with `detail: false` of %s', async (_whose, options) => {
    const { message, detail } = await failureOf(refusal, options());
    expect([message, detail]).toEqual([perl, undefined]);
  });

  test('comes back with `detail: true` for a preset that leaves it out', async () => {
    const preset = definePreset({ name: 'rt', rules: [], detail: false });
    expect((await failureOf(refusal, { preset, detail: true })).detail).toContain('Tickets.pm');
  });

  test('a message of which nothing is left is the status', async () => {
    const { message } = await failureOf(refusal, { clean: () => ' ' });
    expect(message).toBe('GET /tickets: the end system responded with 400 Bad Request.');
  });

  test('`clean` gets a plain text without the spaces around it, and in one line', async () => {
    const clean = (text: string) => text.replace(/^Error: (.*)!$/, '$1');
    const { message } = await failureOf({ status: 400, body: '\n Error: it is\n locked! \n' }, { clean });
    expect(message).toBe('it is locked');
  });

  test("an error of `translate` is the author's, and is not cleaned", async () => {
    const error = await failureOf(refusal, {
      clean: () => 'x',
      translate: () => new ForbiddenError('mine', { detail: 'mine' }),
    });
    expect(error).toMatchObject({ kind: 'forbidden', message: 'mine', detail: 'mine' });
  });
});

test('no message names the host of the end system', async () => {
  const { message } = await failureOf(
    { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad</h1>' },
    {},
  );
  expect(message).toBe('GET /tickets: the end system responded with 502 Bad Gateway.');
});

test.each([
  [500, 502],
  [501, 501],
  [502, 502],
  [503, 503],
  [504, 504],
  [507, 502],
])('%d of the end system is %d: what is not implemented does not heal (E3)', async (status, expected) => {
  expect(await failureOf({ status }, {})).toMatchObject({ kind: 'other', status: expected });
});

describe('a failure that only words tell, inside a 200', () => {
  const options: EndSystemFetchOptions = {
    translateStatuses: [200],
    translate: ({ status, text }) =>
      status === 200 && /not|cannot/.test(text) ? new BadRequestError(text) : undefined,
  };

  test.each([
    ['JSON', { 'content-type': 'application/json' }, '["Status: cannot be nope"]'],
    ['text', { 'content-type': 'text/plain' }, 'RT/4.4 200 Ok\n\n# not allowed'],
    ['XML', { 'content-type': 'application/xml' }, '<p>cannot</p>'],
  ])('of %s is found by `translate`, where the status is listed', async (_type, headers, body) => {
    expect(await failureOf({ status: 200, headers, body }, options)).toMatchObject({
      kind: 'bad-request',
      message: body,
    });
  });

  test('is a success where the status is not listed (control)', async () => {
    expect(() => endSystemFetch({ ...options, translateStatuses: [200, 399] })).not.toThrow();
    const url = await endSystem({ status: 200, body: ['cannot be'] });
    expect((await endSystemFetch({ ...options, translateStatuses: [] })(url)).status).toBe(200);
    expect((await endSystemFetch({ ...options, translateStatuses: [202] })(url)).status).toBe(200);
  });

  test('what `translate` does not call a failure is a success, with its whole body', async () => {
    const url = await endSystem({ status: 200, body: ['Status: open'] });
    expect(await (await endSystemFetch(options)(url)).json()).toEqual(['Status: open']);
  });

  test.each([
    'application/octet-stream',
    'image/png',
    'text/event-stream',
    'application/x-ndjson',
    'application/stream+json',
  ])('is not looked for in %s, which may be a download or a stream', async (type) => {
    const url = await endSystem(
      (_request, response) => void response.writeHead(200, { 'content-type': type }).write('cannot'),
    );
    const response = await endSystemFetch(options)(url);
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  test.each([
    [{ translateStatuses: [404], translate: () => undefined }, '`translateStatuses` must'],
    [{ translateStatuses: ['200'], translate: String }, '`translateStatuses` must'],
    [{ translateStatuses: [200] }, '`translateStatuses` needs `translate`'],
    [{ clean: 'text' }, '`clean` must be a function'],
    [{ detail: 'none' }, '`detail` must be'],
  ])('wrong options are refused: %o', (wrong, message) => {
    expect(() => endSystemFetch(wrong as never)).toThrow(message);
  });
});
