import { isConnectorError } from 'concordat';
import { definePreset, endSystemFetch, type Preset } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { endSystem, type Reply } from './support/end-system.js';

async function failureOf(reply: Reply, preset: Preset | 'github') {
  const error = await endSystemFetch({ preset })(await endSystem(reply)).then(
    (response) => response,
    (thrown) => thrown,
  );
  return isConnectorError(error) ? error : undefined;
}

describe('github', () => {
  const date = 'Tue, 01 Jan 2030 00:00:00 GMT';
  const reset = String(Date.UTC(2030, 0, 1, 0, 10) / 1000);
  const quota = (remaining: string) => ({ date, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset });
  const message = (text: string) => ({ message: text, documentation_url: 'https://docs.github.com/rest' });
  const primary = message('API rate limit exceeded for user ID 1.');
  const secondary = message('You have exceeded a secondary rate limit. Please wait a few minutes.');

  test.each([
    ['primary, 403', { status: 403, headers: quota('0'), body: primary }, 600_000],
    ['primary, 429', { status: 429, headers: quota('0'), body: primary }, 600_000],
    ['primary without headers', { status: 403, body: primary }, 60_000],
    [
      'secondary with its wait',
      { status: 403, headers: { ...quota('99'), 'retry-after': '90' }, body: secondary },
      90_000,
    ],
    ['secondary by its message', { status: 403, headers: quota('99'), body: secondary }, 60_000],
    ['secondary, 429', { status: 429, headers: quota('99'), body: secondary }, 60_000],
    ['429 that says nothing', { status: 429, headers: quota('99') }, 60_000],
    [
      'abuse detection',
      { status: 403, headers: quota('99'), body: message('You have triggered an abuse detection mechanism.') },
      60_000,
    ],
  ])('%s is a limit', async (_what, reply, retryAfterMs) => {
    const error = await failureOf(reply, 'github');
    expect(error).toMatchObject({ kind: 'rate-limit', status: 403, code: 'RATE_LIMITED', retryAfterMs });
  });

  test.each([
    [
      'a denial with quota left',
      { status: 403, headers: quota('99'), body: message('Forbidden') },
      'forbidden',
      'FORBIDDEN',
    ],
    ['bad credentials', { status: 401, body: message('Bad credentials') }, 'unauthorized', 'UNAUTHORIZED'],
    ['something missing', { status: 404, body: message('Not Found') }, 'not-found', 'NOT_FOUND'],
    ['broken JSON', { status: 400, body: message('Problems parsing JSON') }, 'bad-request', 'BAD_REQUEST'],
    ['a failure of GitHub', { status: 502, body: '<html>Unicorn!</html>' }, 'other', 'CONNECTOR_ERROR'],
  ])('%s is none', async (_what, reply: Reply, kind, code) => {
    const error = await failureOf(reply, 'github');
    expect(error).toMatchObject({ kind, code });
    if (kind !== 'other') expect(error?.message).toBe((reply.body as { message: string }).message);
  });

  test("a 422 passes the first field's code on, and all of them as the detail (E3)", async () => {
    const body = {
      message: 'Validation Failed',
      errors: [{ resource: 'Label', field: 'name', code: 'already_exists' }],
    };
    expect(await failureOf({ status: 422, body }, 'github')).toMatchObject({
      kind: 'bad-request',
      code: 'already_exists',
      message: 'Validation Failed',
      detail: JSON.stringify(body),
    });
  });
});

describe('definePreset: what a preset can say', () => {
  test('codes and messages anywhere in the body', async () => {
    const preset = definePreset({
      name: 'x',
      rules: [],
      code: ['fault.id', '0.errorCode', ['reason', '.tag']],
      message: ['fault.text', '0.message'],
    });
    const first = await failureOf({ status: 400, body: { fault: { id: 9, text: 'No' } } }, preset);
    expect(first).toMatchObject({ code: '9', message: 'No' });
    const second = await failureOf({ status: 400, body: [{ errorCode: 'LIST', message: 'in a list' }] }, preset);
    expect(second).toMatchObject({ code: 'LIST', message: 'in a list' });
    expect(await failureOf({ status: 400, body: { reason: { '.tag': 'dotted' } } }, preset)).toMatchObject({
      code: 'dotted',
    });
    expect(await failureOf({ status: 400, body: { code: 'TOP' } }, preset)).toMatchObject({ code: 'TOP' });
  });

  test('all conditions of a rule hold together, and the first rule that matches decides', async () => {
    const preset = definePreset({
      name: 'x',
      rules: [
        {
          when: {
            status: [403],
            headers: { 'x-a': /^1/ },
            body: [
              { path: 'a', matches: true },
              { path: 'b', matches: 'yes' },
            ],
          },
          is: 'not-found',
        },
        { when: { body: { path: 'session', matches: 'dead' } }, is: 'unauthorized', code: 'DEAD' },
      ],
    });
    const all = { status: 403, headers: { 'x-a': '12' }, body: { a: 0, b: 'yes', session: 'dead' } };
    expect((await failureOf(all, preset))?.kind).toBe('not-found');
    for (const less of [
      { ...all, status: 400 },
      { ...all, headers: {} },
      { ...all, body: { ...all.body, a: null } },
      { ...all, body: { ...all.body, b: 'no' } },
    ]) {
      expect(await failureOf(less, preset)).toMatchObject({ kind: 'unauthorized', code: 'DEAD' });
    }
  });

  test.each([
    ['seconds in a header', { header: 'x-wait', unit: 'seconds' }, '3', 3_000],
    ['seconds with decimals', { header: 'x-wait', unit: 'seconds' }, '2.001', 2_001],
    ['milliseconds', { header: 'x-wait', unit: 'milliseconds' }, '2500', 2_500],
    ['milliseconds with decimals', { header: 'x-wait', unit: 'milliseconds' }, '2500.2', 2_501],
    [
      'a part of a header',
      { header: 'x-wait', unit: 'seconds', pattern: /resets=(\d+)/ },
      'total=100; resets=41',
      41_000,
    ],
    ['a time with minutes only', { header: 'x-wait', unit: 'iso-8601' }, '2030-01-01T00:05Z', 300_000],
    ['a guess', { header: 'x-wait', unit: 'guess' }, '2030-01-01T00:05:00Z', 300_000],
  ] as const)('a wait: %s', async (_what, source, value, retryAfterMs) => {
    const preset = definePreset({ name: 'x', rules: [{ when: { status: [400] }, is: 'rate-limit', wait: [source] }] });
    const headers = { date: 'Tue, 01 Jan 2030 00:00:00 GMT', 'x-wait': value };
    expect(await failureOf({ status: 400, headers }, preset)).toMatchObject({ kind: 'rate-limit', retryAfterMs });
  });

  test('a wait: in the body, worked out, or the first that can be read', async () => {
    const preset = definePreset({
      name: 'x',
      rules: [
        {
          when: { status: [400] },
          is: 'rate-limit',
          wait: [
            { header: 'x-wait', unit: 'seconds' },
            { body: 'retry.in', unit: 'seconds', pattern: /^(\d+)s$/ },
            ({ json }) => (json as { cost?: number } | undefined)?.cost,
          ],
          fallbackWaitMs: 5_000,
          leastWaitMs: 2_000,
        },
      ],
    });
    const wait = async (reply: Omit<Reply, 'status'>) =>
      (await failureOf({ status: 400, ...reply }, preset)) as unknown as { retryAfterMs: number };
    expect((await wait({ body: { retry: { in: '4s' } } })).retryAfterMs).toBe(4_000);
    expect((await wait({ headers: { 'x-wait': '8' }, body: { retry: { in: '4s' } } })).retryAfterMs).toBe(8_000);
    expect((await wait({ headers: { 'x-wait': 'no' }, body: { cost: 3_000 } })).retryAfterMs).toBe(3_000);
    expect((await wait({ body: { cost: 1 } })).retryAfterMs).toBe(2_000);
    expect((await wait({})).retryAfterMs).toBe(5_000);
  });

  test('failures that hide in a 200, and a success stays readable', async () => {
    const preset = definePreset({
      name: 'chat',
      code: ['error'],
      rules: [
        { when: { status: [200], body: { path: 'error', matches: 'token_expired' } }, is: 'unauthorized' },
        { when: { status: [200], body: [{ path: 'ok', matches: 'false' }] }, is: 'other', status: 500 },
      ],
    });
    expect(await failureOf({ status: 200, body: { ok: false, error: 'token_expired' } }, preset)).toMatchObject({
      kind: 'unauthorized',
      code: 'token_expired',
    });
    expect(await failureOf({ status: 200, body: { ok: false, error: 'else' } }, preset)).toMatchObject({ status: 500 });
    const url = await endSystem({ status: 200, body: { ok: true, items: [1] } });
    expect(await (await endSystemFetch({ preset })(url)).json()).toEqual({ ok: true, items: [1] });
    const text = await endSystem({ status: 200, body: '{"ok":false}' });
    expect(await (await endSystemFetch({ preset })(text)).text()).toBe('{"ok":false}');
  });

  test('a rule without statuses is about failures, so a success stays one', async () => {
    const preset = definePreset({
      name: 'x',
      rules: [
        { when: { status: [200], body: { path: 'ok', matches: 'false' } }, is: 'other', status: 500 },
        { when: { body: { path: 'state', matches: 'denied' } }, is: 'forbidden' },
      ],
    });
    expect(await failureOf({ status: 200, body: { ok: true, state: 'denied' } }, preset)).toBeUndefined();
    expect((await failureOf({ status: 400, body: { ok: true, state: 'denied' } }, preset))?.kind).toBe('forbidden');
  });

  test('other statuses where a rule says so', async () => {
    const preset = definePreset({
      name: 'x',
      rules: [{ when: { status: [409] }, is: 'other', status: 409, code: 'BUSY' }],
    });
    expect(await failureOf({ status: 409 }, preset)).toMatchObject({ kind: 'other', status: 409, code: 'BUSY' });
  });
});
