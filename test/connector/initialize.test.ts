import { inspect } from 'node:util';
import { BadRequestError, ForbiddenError, UnauthorizedError } from 'concordat';
import { createConnector } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorsOf, send } from './support/send.js';
import { makeConnector, parameters, session, start } from './support/start.js';

const login = (url: string, body: unknown, path = '/initialize') =>
  send(url, { method: 'POST', path, body: typeof body === 'string' ? body : JSON.stringify(body) });

const asList = (values: Record<string, string>, sensitive = false) =>
  Object.entries(values).map(([key, value]) => ({ key, value, sensitive }));

const credentials = { user: 'alice', password: 'canary-password' };

describe('POST /initialize', () => {
  test.each([
    ['an array of parameters', asList(credentials)],
    ['a plain object', credentials],
    [
      'parameters without `sensitive` and with more than it knows',
      [
        { key: 'user', value: 'alice' },
        { key: 'password', value: 'pw1', type: 'text' },
      ],
    ],
  ])('%s is answered with the session as an array (S1)', async (_shape, body) => {
    const answer = await login(await start(makeConnector()), body);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(answer.body)).toEqual([{ key: 'x-token', value: 'token-of-alice', sensitive: true }]);
  });

  test('an entry of the session that does not say whether it is sensitive is (S2)', async () => {
    const session = z.object({ 'x-tenant': z.string() });
    const handler = () => [{ key: 'x-tenant', value: 'north-branch' }] as never;
    const connector = createConnector({
      initialize: { parameters: z.object({}), handler },
      session,
      onError: () => {},
    });
    connector.get('/', (c) => {
      throw new ForbiddenError(`Closed to ${c.get('session')['x-tenant']}`);
    });
    const url = await start(connector);
    expect(JSON.parse((await login(url, {})).body)).toEqual([
      { key: 'x-tenant', value: 'north-branch', sensitive: true },
    ]);
    const refused = await send(url, { headers: { 'x-tenant': 'north-branch' } });
    expect(errorsOf(refused).message).toBe('Closed to [redacted]');
  });

  test('the handler gets what the schema made of the parameters, and a signal', async () => {
    let seen: unknown;
    const connector = createConnector({
      initialize: {
        parameters: z.object({ pageSize: z.coerce.number(), region: z.string().default('eu') }),
        handler: ({ parameters, signal }) => {
          seen = { parameters, aborted: signal.aborted };
          return [{ key: 'x-session', value: '1', sensitive: false }];
        },
      },
      session: z.object({}),
    });
    const answer = await login(await start(connector), asList({ pageSize: '50' }));
    expect(seen).toEqual({ parameters: { pageSize: 50, region: 'eu' }, aborted: false });
    expect(JSON.parse(answer.body)).toEqual([{ key: 'x-session', value: '1', sensitive: false }]);
  });

  test('it aborts the signal when the service no longer waits', async () => {
    let aborted: () => void = () => {};
    const heard = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const controller = new AbortController();
    const connector = makeConnector({
      initialize: {
        parameters,
        handler: ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              aborted();
              reject(signal.reason);
            });
            controller.abort();
          }),
      },
    });
    const url = await start(connector);
    const body = JSON.stringify(credentials);
    await expect(fetch(`${url}/initialize`, { method: 'POST', body, signal: controller.signal })).rejects.toThrow();
    await heard;
  });

  test.each([
    ['a missing parameter', { user: 'alice' }, 'password'],
    ['a wrong parameter in an array', asList({ user: 'alice', password: 'x' }), 'password'],
    ['an entry without a key', [{ value: 'x' }], '0.key'],
    ['an entry that is null', [null], 'are not valid: 0: '],
    ['an entry whose value is no text', [{ key: 'user', value: 7 }], '0.value'],
    ['a number', '7', 'an array of {key, value, sensitive} or an object'],
    ['a long text', JSON.stringify('x'.repeat(101)), 'an array of {key, value, sensitive} or an object'],
    ['null', 'null', 'an array of {key, value, sensitive} or an object'],
    ['a list of more than a hundred (E8)', Array(101).fill({ key: 'a', value: '1' }), 'at most 100 parameters'],
    [
      'an object of more than a hundred (E8)',
      Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, '1'])),
      'at most 100 parameters',
    ],
    ['broken JSON', '{"user":', 'not valid JSON'],
    ['nothing', '', 'empty'],
  ])('%s is a 400 that says what is wrong', async (_what, body, named) => {
    const answer = await login(await start(makeConnector()), body);
    expect(answer.status).toBe(400);
    expect(errorsOf(answer)).toEqual({ code: 'BAD_REQUEST', message: expect.stringContaining(named) });
    expect(errorsOf(answer).message).not.toContain('\n');
  });

  test('what is not JSON may be a password: no error for the log quotes it (E5)', async () => {
    const seen: unknown[] = [];
    const url = await start(makeConnector({ onError: (error) => void seen.push(error) }));
    expect((await login(url, '{"password":canary-password}')).status).toBe(400);
    expect(seen).toMatchObject([{ message: 'The request body is not valid JSON.' }]);
    expect(inspect(seen, { depth: null })).not.toContain('canary');
  });

  test('the handler throws any contract error: 401 for wrong credentials, 400 for a bad parameter', async () => {
    let error: Error = new UnauthorizedError('Wrong password', { code: 'E0000004' });
    const connector = makeConnector({
      initialize: {
        parameters,
        handler: () => {
          throw error;
        },
      },
    });
    const url = await start(connector);
    const refused = await login(url, credentials);
    expect([refused.status, errorsOf(refused)]).toEqual([401, { code: 'E0000004', message: 'Wrong password' }]);
    error = new BadRequestError('No such tenant');
    expect((await login(url, credentials)).status).toBe(400);
  });

  test.each([true, false])(
    'a refusal quotes no value that a literal expects (E5), sensitive: %s',
    async (sensitive) => {
      const expected = z.object({
        code: z.literal('correct-horse-9f2c'),
        token: z.enum(['one', 'two']),
        region: z.enum(['eu', 'us']),
      });
      const initialize = { parameters: expected, handler: () => ({ 'x-session': '1' }) };
      const url = await start(createConnector({ initialize, session: z.object({}), onError: () => {} }));
      const refusal = async (body: unknown) =>
        errorsOf(await login(url, body)).message.replace('The parameters of initialize are not valid: ', '');
      const wrong = { code: 'guess', token: 'guess', region: 'eu' };
      expect(await refusal(asList(wrong, sensitive))).toBe('code: is not valid; token: is not valid');
      expect(await refusal(wrong)).toBe('code: is not valid; token: is not valid');
      expect(await refusal(asList({ token: 'one', region: 'eu' }, sensitive))).toBe('code: is missing');
      const right = { code: 'correct-horse-9f2c', token: 'one', region: 'asia' };
      expect(await refusal(asList(right))).toBe('region: Invalid option: expected one of "eu"|"us"');
    },
  );

  test('nor does a session, unless every login has handed it out as not sensitive (E5)', async () => {
    const connector = createConnector({
      initialize: {
        parameters: z.object({ sensitive: z.boolean() }),
        handler: ({ parameters: { sensitive } }) => [{ key: 'x-tenant', value: 'north-branch', sensitive }],
      },
      session: z.object({ 'X-Tenant': z.string() }),
      onError: () => {},
    });
    connector.get('/', (c) => {
      throw new ForbiddenError(`Closed to ${c.get('session')['X-Tenant']}`);
    });
    const url = await start(connector);
    const messages = [];
    for (const sensitive of [undefined, false, true, false]) {
      if (sensitive !== undefined) await login(url, { sensitive });
      messages.push(errorsOf(await send(url, { headers: { 'x-tenant': 'north-branch' } })).message);
    }
    const redacted = 'Closed to [redacted]';
    expect(messages).toEqual([redacted, 'Closed to north-branch', redacted, redacted]);
  });

  test('parameters marked sensitive never leave in an error, the others may (E5)', async () => {
    const connector = makeConnector({
      initialize: {
        parameters,
        handler: ({ parameters: { user, password } }) => {
          throw new UnauthorizedError(`${user} with ${password} was refused`, { detail: { password } });
        },
      },
    });
    const url = await start(connector);
    const parametersOf = (sensitive: boolean) => [
      { key: 'user', value: 'alice-in-chains', sensitive: false },
      { key: 'password', value: 'canary-password', sensitive },
    ];
    expect(errorsOf(await login(url, parametersOf(true)))).toMatchObject({
      message: 'alice-in-chains with [redacted] was refused',
      detail: '{"password":"[redacted]"}',
    });
    expect(errorsOf(await login(url, parametersOf(false))).message).toContain('canary-password');
    // A plain object marks nothing, so all of it counts.
    const plain = await login(url, { user: 'alice-in-chains', password: 'canary-password' });
    expect(errorsOf(plain).message).toBe('[redacted] with [redacted] was refused');
    // Nor does a list without marks.
    const unmarked = Object.entries({ user: 'ada', password: 'correct' }).map(([key, value]) => ({ key, value }));
    expect(errorsOf(await login(url, unmarked)).message).toBe('ada with [redacted] was refused');
  });

  test.each([
    ['a name that is no header name', { 'x token': 'a-value' }, '"x token"'],
    ['a header of the transport', { 'Content-Length': 'a-value' }, '"Content-Length"'],
    ['a line break', { 'x-token': 'a-value\r\nx-admin: 1' }, '"x-token"'],
    ['a value that is no text', { 'x-token': 7 }, '"x-token"'],
    [
      'the same name twice',
      [
        { key: 'x-token', value: 'a-value', sensitive: true },
        { key: 'X-Token', value: 'another', sensitive: true },
      ],
      'twice',
    ],
    ['an entry without a key', [{ value: 'a-value' }], '`key`'],
    ['nothing', undefined, '`initialize.handler` must return the session as an object or an array, got undefined'],
    ['null', null, 'got null'],
    ['a session that the guard would refuse', { 'x-other': 'a-value' }, 'X-Token'],
  ])('%s from the handler is a 500, and onError learns why (S2)', async (_what, returned, named) => {
    const seen: unknown[] = [];
    const connector = makeConnector({
      initialize: { parameters, handler: () => returned as never },
      onError: (error) => void seen.push(error),
    });
    const answer = await login(await start(connector), credentials);
    expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(seen).toEqual([expect.any(TypeError)]);
    expect((seen[0] as Error).message).toContain(named);
    expect((seen[0] as Error).message).not.toContain('a-value');
  });

  test('the path is an option; only POST is answered there', async () => {
    const connector = makeConnector({
      initialize: { path: '/log/in', parameters, handler: () => ({ 'x-token': 'abc' }) },
    });
    const url = await start(connector);
    expect((await login(url, credentials, '/log/in')).status).toBe(200);
    expect((await login(url, credentials)).status).toBe(404);
    expect((await send(url, { path: '/log/in' })).status).toBe(404);
  });

  test('an old session in the headers does not matter (S5)', async () => {
    const connector = makeConnector({ verify: () => false });
    const answer = await send(await start(connector), {
      method: 'POST',
      path: '/initialize',
      headers: { 'x-token': 'dead' },
      body: JSON.stringify(credentials),
    });
    expect(answer.status).toBe(200);
  });

  test('what initialize hands out opens the other routes, whatever the case of its names', async () => {
    const connector = makeConnector();
    connector.get('/who', (c) => c.json(c.get('session')));
    const url = await start(connector);
    const [entry] = JSON.parse((await login(url, credentials)).body);
    const answer = await send(url, { path: '/who', headers: { [entry.key.toUpperCase()]: entry.value } });
    expect(JSON.parse(answer.body)).toEqual({ 'X-Token': 'token-of-alice' });
    expect(Object.keys(session.shape)).toEqual(['X-Token']);
  });
});

describe('parameters of any schema of an object', () => {
  const logInWith = async (schema: z.ZodType, body: unknown) => {
    const seen: unknown[] = [];
    const connector = createConnector({
      initialize: {
        parameters: schema,
        handler: ({ parameters: given }) => {
          seen.push(given);
          return {};
        },
      },
      session: z.object({}),
    });
    const answer = await login(await start(connector), body);
    return { answer, seen };
  };
  const kinds = z.discriminatedUnion('auth', [
    z.object({ auth: z.literal('basic'), user: z.string(), password: z.string() }),
    z.object({ auth: z.literal('token'), token: z.string() }),
  ]);

  test('a union of logins', async () => {
    const { answer, seen } = await logInWith(kinds, asList({ auth: 'token', token: 'abc' }));
    expect([answer.status, seen]).toEqual([200, [{ auth: 'token', token: 'abc' }]]);
    const refused = await logInWith(kinds, { auth: 'basic', user: 'ada' });
    expect([refused.answer.status, errorsOf(refused.answer).message]).toEqual([
      400,
      expect.stringContaining('password: '),
    ]);
  });

  test.each<[string, z.ZodType, unknown, unknown]>([
    [
      'transformed',
      z.object({ url: z.string() }).transform(({ url }) => new URL(url).host),
      { url: 'http://a/b' },
      'a',
    ],
    ['preprocessed', z.preprocess((given) => given, z.object({ a: z.string() })), { a: '1' }, { a: '1' }],
    ['a record', z.record(z.string(), z.string()), { a: '1' }, { a: '1' }],
    ['refined', z.object({ a: z.string() }).refine(({ a }) => a === '1'), { a: '1' }, { a: '1' }],
    [
      'intersected',
      z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
      { a: '1', b: '2' },
      { a: '1', b: '2' },
    ],
  ])('%s', async (_how, schema, body, given) => {
    expect((await logInWith(schema, body)).seen).toEqual([given]);
  });
});

test('a wrong entry of the list is named by its key, for the user knows no places', async () => {
  const url = await start(makeConnector());
  const body = [
    { key: 'user', value: 'alice' },
    { key: 'password', value: 7 },
  ];
  expect(errorsOf(await login(url, body)).message).toMatch(
    /^The parameters of initialize are not valid: "password" \(1\.value\): /,
  );
});

describe('what requests would not bring back as it is, the user learns at login (S2)', () => {
  const handOut = async (value: string) => {
    const seen: unknown[] = [];
    const connector = createConnector({
      initialize: { parameters, handler: () => ({ 'x-tenant': value }) },
      session: z.object({ 'x-tenant': z.string() }),
      onError: (error) => void seen.push(error),
    });
    connector.get('/', (c) => c.json(c.get('session')));
    const url = await start(connector);
    return { url, answer: await login(url, credentials), seen };
  };

  test.each([
    ['characters beyond Latin-1', '日本', 'has characters that a header cannot carry'],
    ['a blank at the end', 'lead ', 'starts or ends with whitespace'],
    ['a blank at the beginning', ' lead', 'starts or ends with whitespace'],
    ['more than requests can carry', 'x'.repeat(20_000), 'The session has 20008 bytes, and requests can carry 12288.'],
  ])('%s: a 400 that names the header, never the value', async (_what, value, message) => {
    const { answer, seen } = await handOut(value);
    expect([answer.status, errorsOf(answer)]).toEqual([
      400,
      { code: 'SESSION_NOT_SENDABLE', message: expect.stringContaining(message) },
    ]);
    expect(errorsOf(answer).message).not.toContain(value);
    expect(seen).toHaveLength(1);
  });

  test.each(['a', 'Größe', 'two words', 'x'.repeat(12_000)])('what fits comes back (control): %.10s', async (value) => {
    const { url, answer } = await handOut(value);
    expect(answer.status).toBe(200);
    const request = await fetch(url, { headers: { 'x-tenant': value } });
    expect(await request.json()).toEqual({ 'x-tenant': value });
  });
});
