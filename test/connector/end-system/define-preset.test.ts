import { isConnectorError } from 'concordat';
import { definePreset, endSystemFetch, type Preset, type PresetRule } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { endSystem, type Reply } from '../support/end-system.js';

async function failureOf(reply: Reply, preset: Preset) {
  const error = await endSystemFetch({ preset })(await endSystem(reply)).catch((thrown: unknown) => thrown);
  if (!isConnectorError(error)) throw new Error('expected a ConnectorError');
  return error;
}

const rules: PresetRule[] = [];

describe('`*` in a path', () => {
  test('holds if one entry matches', async () => {
    const preset = definePreset({
      name: 'x',
      rules: [{ when: { body: { path: 'errors.*.type', matches: 'GONE' } }, is: 'not-found' }],
    });
    const body = (...types: string[]) => ({ errors: types.map((type) => ({ type })) });
    expect((await failureOf({ status: 400, body: body('OTHER', 'GONE') }, preset)).kind).toBe('not-found');
    expect((await failureOf({ status: 400, body: body('OTHER', 'GONER') }, preset)).kind).toBe('bad-request');
    expect((await failureOf({ status: 400, body: { errors: { a: { type: 'GONE' } } } }, preset)).kind).toBe(
      'not-found',
    );
    expect((await failureOf({ status: 400, body: { errors: 'GONE' } }, preset)).kind).toBe('bad-request');
  });

  test.each([
    ['a list', { errors: [{ text: 'one' }, { text: 7 }, { text: 'two' }] }, 'one; two'],
    [
      'an object, with its keys',
      { errors: { title: { text: 'is empty' }, body: { text: 'too long' } } },
      'title: is empty; body: too long',
    ],
    ['an object with lists', { fields: { title: ['is empty', 'is odd'], count: 7 } }, 'title: is empty; is odd'],
  ])('a message is all of them: %s', async (_what, body, message) => {
    const preset = definePreset({ name: 'x', rules, message: ['errors.*.text', 'fields.*'] });
    expect((await failureOf({ status: 400, body }, preset)).message).toBe(message);
  });

  test('a code and a wait are the first that can be read', async () => {
    const preset = definePreset({
      name: 'x',
      code: ['details.*.code'],
      rules: [{ when: { status: [400] }, is: 'rate-limit', wait: [{ body: 'details.*.wait', unit: 'seconds' }] }],
    });
    const body = { details: [{ code: null }, { code: 'B', wait: 'soon' }, { code: 'C', wait: 3 }] };
    expect(await failureOf({ status: 400, body }, preset)).toMatchObject({ code: 'B', retryAfterMs: 3_000 });
  });

  test('a message of thousands is cut, the detail is not (E5)', async () => {
    const preset = definePreset({ name: 'x', rules, message: ['errors.*'] });
    const body = { errors: Array.from({ length: 1_000 }, (_, index) => `field ${index} is wrong`) };
    const { message, detail } = await failureOf({ status: 400, body }, preset);
    expect(message.length).toBeLessThanOrEqual(2048);
    expect(message).toMatch(/^field 0 is wrong; field 1 is wrong; /);
    expect(detail).toBe(JSON.stringify(body));
  });
});

test('a code with a condition counts only if it matches (E3)', async () => {
  const preset = definePreset({ name: 'x', rules, code: [{ path: 'reason', matches: /^[a-z_]+$/ }, 'number'] });
  const code = async (body: object) => (await failureOf({ status: 400, body }, preset)).code;
  expect(await code({ reason: 'too_long', number: 7 })).toBe('too_long');
  expect(await code({ reason: 'The title is too long', number: 7 })).toBe('7');
  expect(await code({ reason: 'The title is too long' })).toBe('BAD_REQUEST');
});

describe('a budget', () => {
  const preset = definePreset({
    name: 'x',
    rules: [
      {
        when: { status: [429] },
        is: 'rate-limit',
        wait: [{ bucket: { cost: 'cost', available: 'left.*', restorePerSecond: 'rate' } }],
        fallbackWaitMs: 7_000,
      },
    ],
  });

  test.each([
    ['what is missing over what comes in a second', { cost: 752, left: [666], rate: 50 }, 1_720],
    ['rounded up', { cost: 10, left: [0], rate: 3 }, 3_334],
    ['enough by now', { cost: 10, left: [40], rate: 50 }, 1_000],
    ['nothing comes back', { cost: 10, left: [0], rate: 0 }, 7_000],
    ['one that is missing', { cost: 10, rate: 5 }, 7_000],
    ['one that is text', { cost: '10', left: [0], rate: 5 }, 7_000],
  ])('%s', async (_what, body, retryAfterMs) => {
    expect(await failureOf({ status: 429, body }, preset)).toMatchObject({ kind: 'rate-limit', retryAfterMs });
  });
});

test.each([-1, Number.NaN])('a wait that was worked out as %d is none: the next source counts', async (wrong) => {
  const wait: PresetRule['wait'] = [() => wrong, { header: 'x-wait', unit: 'seconds' }];
  const preset = definePreset({ name: 'x', rules: [{ when: { status: [429] }, is: 'rate-limit', wait }] });
  expect(await failureOf({ status: 429, headers: { 'x-wait': '3' } }, preset)).toMatchObject({ retryAfterMs: 3_000 });
});

test('a margin is added to the wait that was read, and to no fallback', async () => {
  const wait = [{ header: 'x-wait', unit: 'seconds', marginMs: 500 }] as const;
  const preset = definePreset({ name: 'x', rules: [{ when: { status: [429] }, is: 'rate-limit', wait }] });
  expect(await failureOf({ status: 429, headers: { 'x-wait': '3' } }, preset)).toMatchObject({ retryAfterMs: 3_500 });
  expect(await failureOf({ status: 429 }, preset)).toMatchObject({ retryAfterMs: 60_000 });
});

test.each<[string, Record<string, string>, number]>([
  ['is waited for', { ratelimit: '"default";r=0;t=5' }, 5_000],
  ['is the longest of those used up', { ratelimit: '"a";r=0;t=5, "b";r=0;t=9, "c";r=1;t=90' }, 9_000],
  ['counts no other units', { ratelimit: '"a";r=0;t=5', 'ratelimit-policy': '"a";q=9;qu="bytes"' }, 60_000],
  ['comes after a header that says how long', { ratelimit: '"a";r=0;t=5', 'retry-after': '3' }, 3_000],
  ['without a time is none', { ratelimit: '"a";r=0' }, 60_000],
  ['that is not used up is none', { ratelimit: '"a";r=1;t=5' }, 60_000],
])('the window that `RateLimit` announces %s (E3, W8)', async (_what, headers, retryAfterMs) => {
  expect(
    await failureOf({ status: 429, headers }, definePreset({ name: 'x', extends: 'generic', rules: [] })),
  ).toMatchObject({
    kind: 'rate-limit',
    retryAfterMs,
  });
});

test('a rule that knows of a longer quota waits for it', async () => {
  const rules = [{ when: { status: [429] }, is: 'rate-limit', fallbackWaitMs: 1_800_000 }] as const;
  const failure = { status: 429, headers: { ratelimit: '"burst";r=0;t=1' } };
  expect(await failureOf(failure, definePreset({ name: 'x', rules }))).toMatchObject({ retryAfterMs: 1_800_000 });
});

describe('extends', () => {
  const busy: PresetRule = {
    when: { status: [503], headers: { server: /^nginx/ } },
    is: 'rate-limit',
    fallbackWaitMs: 2_000,
  };
  // Made by each test: a mutant of `definePreset` counts for the tests that call it.
  const make = () => definePreset({ name: 'ours', extends: 'redmine', rules: [busy], message: ['fault'] });

  test('own rules come first, then those of the other preset, with its paths', async () => {
    const behindNginx = make();
    const bare503 = { status: 503, headers: { server: 'nginx' } };
    expect(await failureOf(bare503, behindNginx)).toMatchObject({ kind: 'rate-limit', retryAfterMs: 2_000 });
    expect(await failureOf({ status: 503 }, behindNginx)).toMatchObject({ kind: 'other', status: 503 });
    const limit = { status: 429, headers: { 'retry-after': '9' } };
    expect(await failureOf(limit, behindNginx)).toMatchObject({ retryAfterMs: 9_000 });
    const wrong = { status: 422, body: { errors: ['Subject cannot be blank'] } };
    expect(await failureOf(wrong, behindNginx)).toMatchObject({ message: 'Subject cannot be blank' });
    expect(await failureOf({ status: 422, body: { fault: 'ours', errors: ['theirs'] } }, behindNginx)).toMatchObject({
      message: 'ours',
    });
  });

  test('what was extended may be extended, and is not changed by it', async () => {
    const behindNginx = make();
    const further = definePreset({ name: 'further', extends: behindNginx, rules, code: ['id'] });
    expect(further).toMatchObject({ name: 'further', code: ['id'], rules: behindNginx.rules });
    expect(behindNginx.code).toEqual([]);
    expect(await failureOf({ status: 503, headers: { server: 'nginx' } }, further)).toMatchObject({
      kind: 'rate-limit',
    });
  });

  test('two presets that say nothing say nothing together', () => {
    expect(definePreset({ name: 'x', extends: 'redmine' }).rules).toEqual(
      definePreset({ name: 'x', extends: 'redmine', rules }).rules,
    );
    const nothing = definePreset({ name: 'x', rules, extends: { name: 'y', rules } });
    expect(nothing).toEqual({ name: 'x', rules: [], code: [], message: [], quota: [] });
  });

  test('a name that there is not is a TypeError that lists those there are', () => {
    const wrong = { name: 'x', rules, extends: 'redmin' } as unknown as Preset;
    expect(() => definePreset(wrong)).toThrow(/^`extends` must be one of generic, .*github, .*redmine, .*, or made by/);
  });
});

test('a preset without rules judges by the status, with its own code and message (E3)', async () => {
  const preset = definePreset({ name: 'x', code: ['fault.id'], message: ['fault.text'] });
  const body = { fault: { id: 'GONE', text: 'It has gone.' } };
  expect(await failureOf({ status: 404, body }, preset)).toMatchObject({
    kind: 'not-found',
    code: 'GONE',
    message: 'It has gone.',
  });
});

describe('what is wrong is a TypeError that names it', () => {
  const limit = (wait: unknown) => ({ rules: [{ when: { status: [429] }, is: 'rate-limit', wait: [wait] }] });

  test.each([
    ['`rule` is not an option: did you mean `rules`?', { rule: [] }],
    ['`rules[0].fallbackMs`', { rules: [{ when: {}, is: 'forbidden', fallbackMs: 1 }] }],
    ['`rules[0].when.statuses`', { rules: [{ when: { statuses: [400] }, is: 'forbidden' }] }],
    ['`rules[0].when.body.match`', { rules: [{ when: { body: { path: 'a', match: true } }, is: 'forbidden' }] }],
    ['`rules[0].wait`', { rules: [{ when: {}, is: 'rate-limit', wait: { header: 'x', unit: 'seconds' } }] }],
    ['`rules[0].wait[0]`', limit({ unit: 'seconds' })],
    ['`rules[0].wait[0]`', limit({ header: 'x', bucket: { cost: 'a', available: 'b', restorePerSecond: 'c' } })],
    ['`rules[0].wait[0].bucket.restorePerSecond`', limit({ bucket: { cost: 'a', available: 'b' } })],
    ['`rules[0].wait[0].unit`', limit({ header: 'x', unit: 'minutes' })],
    ['`rules[0].wait[0].pattern`', limit({ header: 'x', unit: 'seconds', pattern: /(\d+)/g })],
    ['`rules[0].wait[0].pattern`', limit({ header: 'x', unit: 'seconds', pattern: '(\\d+)' })],
    ['`rules[0].wait[0].marginMs`', limit({ header: 'x', unit: 'seconds', marginMs: -1 })],
    ['`rules[0].wait[0].body`', limit({ body: '', unit: 'seconds' })],
    ['`code[0].matches`', { code: [{ path: 'a', matches: 7 }] }],
    ['`code[1]`', { code: ['a', ''] }],
    ['`code[0].matches`', { code: [{ path: 'a', matches: false }] }],
    ['`rules[0].wait[0].unit` is missing', limit({ header: 'x' })],
    [
      '`rules[0].wait[0].unit` has no meaning for a bucket',
      limit({ bucket: { cost: 'a', available: 'b', restorePerSecond: 'c' }, unit: 'seconds' }),
    ],
    ['`rules[0].wait[0].header`', limit({ header: 'x y', unit: 'seconds' })],
    [
      '`rules[0].when.body[1].path`',
      { rules: [{ when: { body: [{ path: 'a', matches: true }, { matches: true }] }, is: 'forbidden' }] },
    ],
    ['`quota[0].window`', { quota: [{ remaining: 'x', window: 'day' }] }],
    ['`quota[0].reset.unit`', { quota: [{ remaining: 'x', reset: { header: 'y', unit: 'days' } }] }],
    ['`body`', { body: 'xml' }],
  ])('%s', (name, wrong) => {
    const make = () => definePreset({ name: 'x', rules, ...wrong } as unknown as Preset);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(name);
  });
});
