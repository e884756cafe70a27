import { inspect } from 'node:util';
import type { ConnectorClient, ConnectorClientOptions } from 'concordat/client';
import { InitializeError } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connect, connectVirtually, password } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const json = (exchange: Exchange | undefined) => JSON.parse(String(exchange?.body));

describe('the call of initialize (S1)', () => {
  it('is POST {baseUrl}/initialize with a JSON array of parameters', async () => {
    const connector = await scriptedConnector();
    await get(connect(connector));
    const [login] = connector.logins;
    expect(login).toMatchObject({ method: 'POST', path: '/initialize' });
    expect(login?.headers['content-type']).toMatch(/^application\/json/);
    expect(json(login)).toEqual([
      { key: 'user', value: 'alice', sensitive: false },
      { key: 'password', value: password, sensitive: true },
    ]);
  });

  it.each(['/api/v1', '/api/v1/'])('keeps the path of baseUrl: %s', async (base) => {
    const connector = await scriptedConnector();
    await get(connect({ url: connector.url + base }), '/issues?state=open');
    expect(connector.logins[0]?.path).toBe('/api/v1/initialize');
    expect(connector.requests[0]?.path).toBe('/api/v1/issues?state=open');
  });

  it('turns a record of parameters into the array, in its own order', async () => {
    const connector = await scriptedConnector();
    await get(connect(connector, { initialize: { parameters: { zeta: '1', alpha: '2', middle: '3' } } }));
    const list = json(connector.logins[0]) as { key: string; value: string; sensitive: boolean }[];
    expect(list.map(({ key, value }) => [key, value])).toEqual([
      ['zeta', '1'],
      ['alpha', '2'],
      ['middle', '3'],
    ]);
    expect(list.every(({ sensitive }) => typeof sensitive === 'boolean')).toBe(true);
  });

  it('has the path and the method that the options say', async () => {
    const connector = await scriptedConnector({ initializePath: '/login' });
    await get(connect(connector, { initialize: { path: '/login', method: 'PUT', parameters: {} } }));
    expect(connector.logins[0]).toMatchObject({ method: 'PUT', path: '/login' });
  });

  it.each([
    ['an array of parameters', [{ key: 'x-session', value: 'abc', sensitive: true }]],
    ['an array without `sensitive`', [{ key: 'x-session', value: 'abc' }]],
    ['an object of names and values', { 'x-session': 'abc' }],
  ])('understands %s as the response', async (_name, answer) => {
    const connector = await scriptedConnector({ guard: false, initialize: (exchange) => exchange.reply(200, answer) });
    await get(connect(connector));
    expect(connector.requests[0]?.session).toBe('abc');
  });

  it('understands a response whose content type does not say JSON', async () => {
    const connector = await scriptedConnector({
      guard: false,
      initialize: (exchange) => exchange.reply(200, '{"x-session":"abc"}', { 'content-type': 'text/plain' }),
    });
    await get(connect(connector));
    expect(connector.requests[0]?.session).toBe('abc');
  });

  it('can be replaced by a function', async () => {
    const connector = await scriptedConnector({ guard: false });
    let calls = 0;
    const initialize: ConnectorClientOptions['initialize'] = async ({ signal }) => {
      expect(signal).toBeInstanceOf(AbortSignal);
      calls++;
      return { 'x-session': `own-${calls}` };
    };
    connector.handle = (exchange) => exchange.reply(exchange.session === 'own-1' ? 401 : 200, {});
    const client = connect(connector, { initialize });
    await get(client);
    expect(connector.requests.map(({ session }) => session)).toEqual(['own-1', 'own-2']);
    expect(connector.logins).toHaveLength(0);
  });

  it('lets the function call the connector, without the session', async () => {
    const connector = await scriptedConnector({ guard: false, initializePath: '/token' });
    connector.initialize = (exchange) => exchange.reply(200, { token: 't1' });
    const client = connect(connector, {
      initialize: async ({ request }) => {
        const { data } = await request({ method: 'POST', path: '/token', json: { grant: 'x' } });
        return { 'x-session': (data as { token: string }).token };
      },
    });
    await get(client);
    expect(json(connector.logins[0])).toEqual({ grant: 'x' });
    expect(connector.logins[0]?.session).toBeUndefined();
    expect(connector.requests[0]?.session).toBe('t1');
  });

  it.each([
    [undefined, 3],
    [true, 3],
    [false, 1],
  ])(
    'its requests are repeated, unless they say that this does harm: `idempotent: %o` (S5)',
    async (idempotent, sent) => {
      const connector = await scriptedConnector({ initializePath: '/token', initialize: ({ reply }) => reply(500) });
      const client = connect(connector, {
        retry: { retries: 2 },
        initialize: async ({ request }) => {
          await request({ method: 'POST', path: '/token', json: { code: '123456' }, idempotent });
          return {};
        },
      });
      expect(await rejection(get(client))).toBeInstanceOf(InitializeError);
      expect(connector.logins).toHaveLength(sent);
    },
  );

  it('takes the method of its requests in small letters, and refuses one that is none, unsent', async () => {
    const connector = await scriptedConnector({ guard: false });
    const client = (method: string) =>
      connect(connector, {
        initialize: async ({ request }) => {
          const { data } = await request({ method, path: '/initialize', json: {} });
          return Object.fromEntries((data as { key: string; value: string }[]).map(({ key, value }) => [key, value]));
        },
      });
    await get(client('post'));
    expect(connector.logins.map(({ method }) => method)).toEqual(['POST']);
    for (const method of ['PO ST', undefined as never]) {
      const error = await rejection(get(client(method)));
      expect(error).toBeInstanceOf(InitializeError);
      expect(error.cause).toBeInstanceOf(TypeError);
      expect((error.cause as Error).message).toContain('`method` must be an HTTP method');
    }
    expect(connector.logins).toHaveLength(1);
  });

  it('shows nothing of what the function sent, when its request fails (E5)', async () => {
    const connector = await scriptedConnector({ guard: false, initializePath: '/token' });
    connector.initialize = (exchange) =>
      exchange.fail(400, 'BAD', `got ${JSON.stringify(exchange.headers)} and ${String(exchange.body)}`);
    const sent = [
      { headers: { authorization: 'Bearer canary-header' } },
      { json: { client: { secrets: ['canary-json'] } } },
      { body: 'grant=x&secret=canary-form', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ];
    for (const options of sent) {
      const client = connect(connector, {
        initialize: async ({ request }) => {
          await request({ method: 'POST', path: '/token', ...options });
          return {};
        },
      });
      const error = await rejection(get(client));
      const text = inspect(error, { depth: 10, showHidden: true });
      expect(text).toContain('got {'); // control: it was echoed
      expect(text).not.toContain('canary');
    }
  });

  it('is not blamed where `rateLimit.scope` throws', async () => {
    const connector = await scriptedConnector();
    const cause = new Error('no such limit');
    const scope = ({ path }: { path: string }) => {
      if (path === '/initialize') throw cause;
      return '';
    };
    const error = await rejection(get(connect(connector, { rateLimit: { scope } })));
    expect(error).toMatchObject({
      message: 'The login failed: `rateLimit.scope` threw an error, which is the `cause`',
      cause,
    });
    expect([...connector.logins, ...connector.requests]).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{ 'x-token': 'canary', 'x-account-id': 7 }, 'x-account-id'],
    [{ 'x-token': null }, 'x-token'],
    [[{ key: 'x-token', value: { canary: 1 } }], 'x-token'],
  ])('names the value of %j that is no text', async (session, key) => {
    const connector = await scriptedConnector({ initialize: ({ reply }) => reply(200, session) });
    const expected = `did not return a session: expected an array of { key, value } or an object of strings, but the value of "${key}" is not a string`;
    for (const options of [{}, { initialize: async () => session as Record<string, string> }]) {
      const error = await rejection(get(connect(connector, options)));
      expect(error.message).toContain(expected);
      expect(error.message).not.toContain('canary');
    }
  });

  it.each([null, 7, 'canary', [], {}, [null], [{ value: 7 }]])('blames no value of %j', async (session) => {
    const connector = await scriptedConnector({ guard: false, initialize: ({ reply }) => reply(200, session) });
    const error = await rejection(get(connect(connector))).catch((noError: Error) => noError);
    expect(String(error.message)).not.toContain('the value of');
  });

  it('holds no timer once the function is done', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector, { initialize: async () => ({ 'x-session': 'own' }) });
    await get(client);
    expect(clock.held).toBe(0);
  });

  it('rejects the calls when the function throws', async () => {
    const connector = await scriptedConnector({ guard: false });
    const failure = new Error('the vault is sealed');
    const client = connect(connector, {
      initialize: async () => {
        throw failure;
      },
    });
    const error = await rejection(get(client));
    expect([error, error.cause]).toContain(failure);
    expect(connector.requests).toHaveLength(0);
  });
});

describe('bad session headers are an InitializeError naming the key, never the value (S2)', () => {
  const value = 'canary-session-value';
  it.each([
    ['a name with a blank', { 'x session': value }, 'x session'],
    ['a name with a colon', { 'x-session:': value }, 'x-session:'],
    ['a name with a line break', { 'x-a\r\nx-b': value }, 'x-a'],
    ['a name that is not ASCII', { 'x-sitzungß': value }, 'x-sitzung'],
    ['an empty name', { '': value }, ''],
    ['a value with CR/LF', { 'x-session': `${value}\r\nx-admin: 1` }, 'x-session'],
    ['a value with LF', { 'x-session': `${value}\n` }, 'x-session'],
    ['a value with CR', { 'x-session': `\r${value}` }, 'x-session'],
    ['a value with NUL', { 'x-session': `${value}\0` }, 'x-session'],
    ['a value that a header cannot carry', { 'x-session': `${value}😀` }, 'x-session'],
    ['a value that is no string', { 'x-session': { value } }, ''],
    ['a value that is null', { 'x-session': null }, ''],
    ['a number', [{ key: 'x-session', value: 7 }], ''],
    ['connection', { connection: value }, 'connection'],
    ['keep-alive', { 'keep-alive': value }, 'keep-alive'],
    ['proxy-connection', { 'proxy-connection': value }, 'proxy-connection'],
    ['te', { te: value }, 'te'],
    ['trailer', { trailer: value }, 'trailer'],
    ['upgrade', { upgrade: value }, 'upgrade'],
    ['host', { host: value }, 'host'],
    ['Host', { Host: value }, 'Host'],
    ['content-length', { 'content-length': '5', 'x-other': value }, 'content-length'],
    ['Content-Length', [{ key: 'Content-Length', value: '5', sensitive: false }], 'Content-Length'],
    ['transfer-encoding', { 'transfer-encoding': 'chunked' }, 'transfer-encoding'],
    [
      'a name that is there twice',
      [
        { key: 'x-session', value },
        { key: 'x-session', value: `${value}-2` },
      ],
      'x-session',
    ],
    ['the same in another case', { 'X-Session': value, 'x-session': `${value}-2` }, 'x-session'],
  ])('%s', async (_name, answer, key) => {
    const connector = await scriptedConnector({ guard: false, initialize: (exchange) => exchange.reply(200, answer) });
    const error = await rejection(get(connect(connector)));
    expect(error).toBeInstanceOf(InitializeError);
    expect(error.message).toContain(JSON.stringify(key).slice(1, -1));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(value);
    expect(connector.requests).toHaveLength(0);
  });

  it('control: ordinary headers pass', async () => {
    const answer = { 'x-session': 'abc', Authorization: 'Bearer a.b-c=', cookie: 'a=b; c=d', 'x-latin': 'caf\u00e9' };
    const connector = await scriptedConnector({ guard: false, initialize: (exchange) => exchange.reply(200, answer) });
    await expect(get(connect(connector))).resolves.toMatchObject({ status: 200 });
  });

  it('the same holds for what a function returns', async () => {
    const connector = await scriptedConnector({ guard: false });
    const client = connect(connector, { initialize: async () => ({ 'x-a': `${value}\r\n` }) });
    const error = await rejection(get(client));
    expect(error).toBeInstanceOf(InitializeError);
    expect(error.message).toContain('x-a');
    expect(inspect(error, { depth: 10 })).not.toContain(value);
  });
});

describe('a nonsense 200 from initialize is an InitializeError', () => {
  it.each([
    ['HTML', '<html>Sign in</html>', 'text/html'],
    ['HTML that says it is JSON', '<html>', 'application/json'],
    ['null', 'null', 'application/json'],
    ['a number', '7', 'application/json'],
    ['a text', '"abc"', 'application/json'],
    ['a boolean', 'true', 'application/json'],
    ['cut JSON', '[{"key":"x-session","val', 'application/json'],
    ['nothing', '', 'application/json'],
    ['an array of texts', '["x-session"]', 'application/json'],
    ['entries without a value', '[{"key":"x-session"}]', 'application/json'],
    ['entries without a key', '[{"value":"abc"}]', 'application/json'],
    ['an object of objects', '{"x-session":{"value":"abc"}}', 'application/json'],
  ])('%s', async (_name, body, contentType) => {
    const connector = await scriptedConnector({
      guard: false,
      initialize: (exchange) => exchange.reply(200, body, { 'content-type': contentType }),
    });
    const error = await rejection(get(connect(connector)));
    expect(error).toBeInstanceOf(InitializeError);
    expect(error).toMatchObject({ name: 'InitializeError', status: 200 });
    expect(connector.requests).toHaveLength(0);
  });

  it('does not start the cool-down: once the connector is healthy, the next call logs in', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.reply(200, '<html>') });
    const { client } = connectVirtually(connector);
    await rejection(get(client));
    connector.initialize = connector.logIn;
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });
});

describe('a refused login is final (S5)', () => {
  it.each([400, 401, 403])('%i is an InitializeError with status and code, after one attempt', async (status) => {
    const connector = await scriptedConnector({
      initialize: (exchange) => exchange.fail(status, 'NO_LOGIN', 'The connector says no'),
    });
    const error = await rejection(get(connect(connector)));
    expect(error).toBeInstanceOf(InitializeError);
    expect(error).toMatchObject({ status, code: 'NO_LOGIN', name: 'InitializeError' });
    expect(error.message).toContain('The connector says no');
    expect(connector.logins).toHaveLength(1);
    expect(connector.requests).toHaveLength(0);
  });

  it('says when the next login may be sent: then the call logs in, and just before it fails', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.fail(401, 'NO', 'Wrong password') });
    const { client, clock } = connectVirtually(connector, { loginCooldownMs: 15_000 });
    const told: unknown[] = [];
    client.on('error', ({ path, error }) => told.push([path, (error as InitializeError).retryAt]));
    const first = (await rejection(get(client))) as InitializeError;
    expect(first.retryAt).toEqual(new Date(clock.now() + 15_000));
    expect(told).toEqual([
      ['/initialize', first.retryAt],
      ['/items', first.retryAt],
    ]);
    connector.initialize = connector.logIn;
    await clock.advance(14_999);
    expect(await rejection(get(client))).toMatchObject({ refused: true, retryAt: first.retryAt });
    await clock.advance(1);
    expect(clock.now()).toBe(first.retryAt?.getTime());
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });

  it('has no such time where the next call may log in at once (control)', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.reply(200, '<html>') });
    expect(await rejection(get(connect(connector)))).not.toHaveProperty('retryAt');
  });

  it('fails all who wait for it, with one login', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.fail(401, 'NO', 'Wrong password') });
    const client = connect(connector);
    const errors = await Promise.all(many(50, () => rejection(get(client))));
    expect(errors.every((error) => error instanceof InitializeError)).toBe(true);
    expect(connector.logins).toHaveLength(1);
  });

  it('fails further calls at once for 30 s, so that a wrong password does not lock the account', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.fail(401, 'NO', 'Wrong password') });
    const { client, clock } = connectVirtually(connector);
    await rejection(get(client));
    for (let second = 1; second < 30; second++) {
      await clock.advance(1000);
      const error = await rejection(get(client));
      expect(error).toBeInstanceOf(InitializeError);
      expect(error).toMatchObject({ status: 401, code: 'NO' });
    }
    await clock.advance(999);
    await rejection(get(client));
    expect(connector.logins).toHaveLength(1);
    await clock.advance(1);
    connector.initialize = connector.logIn;
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(2);
  });

  it('holds after a re-login, too: the account is not hammered when a password changes during a sync', async () => {
    const connector = await scriptedConnector();
    const { client } = connectVirtually(connector, { concurrency: 100 });
    await get(client);
    connector.expireSessions();
    connector.initialize = (exchange) => exchange.fail(401, 'NO', 'Wrong password');
    const errors = await Promise.all(many(100, () => rejection(get(client))));
    expect(errors.every((error) => error instanceof InitializeError)).toBe(true);
    await rejection(get(client));
    expect(connector.logins).toHaveLength(2);
  });

  it('has no retry: neither the login nor the request counts as transient', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.reply(403, '<html>no</html>') });
    const error = await rejection(get(connect(connector)));
    expect(error).toMatchObject({ name: 'InitializeError', status: 403 });
    await grace();
    expect(connector.logins).toHaveLength(1);
  });

  it('names no secret of its parameters when the connector echoes them (E5, S7)', async () => {
    const connector = await scriptedConnector({
      initialize: (exchange) => exchange.fail(401, 'NO', `Wrong password: ${String(exchange.body)}`),
    });
    const error = await rejection(get(connect(connector)));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
  });
});

describe('a transient login failure is retried (S5)', () => {
  const passing: [string, (exchange: Exchange) => void][] = [
    ['500', (exchange) => exchange.fail(500, 'X', 'x')],
    ['502 with HTML', (exchange) => exchange.reply(502, '<html>')],
    ['503', (exchange) => exchange.reply(503)],
    ['504', (exchange) => exchange.reply(504)],
    ['a reset connection', (exchange) => exchange.drop()],
    ['a cut answer', cut],
  ];
  it.each(passing)('%s', async (_name, answer) => {
    const connector = await scriptedConnector();
    connector.initialize = (exchange) => (exchange.number < 3 ? answer(exchange) : connector.logIn(exchange));
    await expect(get(connect(connector))).resolves.toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(3);
  });

  it.each(passing)('%s for good ends in an InitializeError for everybody', async (_name, answer) => {
    const connector = await scriptedConnector({ initialize: answer });
    const client = connect(connector, { retry: { retries: 2 } });
    const errors = await Promise.all(many(10, () => rejection(get(client))));
    expect(errors.every((error) => error instanceof InitializeError)).toBe(true);
    expect(connector.logins.length).toBe(3);
    expect(connector.requests).toHaveLength(0);
  });

  it.each(passing)('%s is no reason for the cool-down: the next call logs in', async (_name, answer) => {
    const connector = await scriptedConnector({ initialize: answer });
    const client = connect(connector, { retry: { retries: 0 } });
    expect(await rejection(get(client))).toBeInstanceOf(InitializeError);
    expect(connector.logins).toHaveLength(1);
    connector.initialize = connector.logIn;
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });

  it('carries the status of a 5xx, and none for a network failure', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.fail(500, 'BOOM', 'x') });
    const client = connect(connector, { retry: { retries: 0 } });
    expect(await rejection(get(client))).toMatchObject({ status: 500, code: 'BOOM' });
    connector.initialize = (exchange) => exchange.drop();
    expect((await rejection(get(client))).status).toBeUndefined();
  });

  it.each([404, 405, 409, 422, 501])('%i is reported after one attempt', async (status) => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.fail(status, 'X', 'x') });
    expect(await rejection(get(connect(connector)))).toMatchObject({ name: 'InitializeError', status });
    expect(connector.logins).toHaveLength(1);
  });

  it('a redirect is not followed', async () => {
    const elsewhere = await scriptedConnector({ guard: false });
    const connector = await scriptedConnector({
      initialize: (exchange) => exchange.reply(307, undefined, { location: `${elsewhere.url}/initialize` }),
    });
    expect(await rejection(get(connect(connector)))).toBeInstanceOf(InitializeError);
    expect([...elsewhere.logins, ...elsewhere.requests]).toHaveLength(0);
  });

  it('does not kill a good session: requests in flight with it finish', async () => {
    const connector = await scriptedConnector({ guard: false });
    const client = connect(connector, { retry: { retries: 0 } });
    await get(client);
    const hold = holdAll();
    connector.handle = hold.handler;
    const [first, second] = [track(get(client, '/first')), track(get(client, '/second'))];
    await until(() => hold.held.length === 2);
    connector.initialize = (exchange) => exchange.reply(503);
    const [expired, healthy] = hold.held.splice(0);
    expired?.reply(401);
    await until(() => first.settled || second.settled);
    healthy?.reply(200, { fine: true });
    await until(() => first.settled && second.settled);
    const results = [first, second].map(({ error }) => error instanceof InitializeError);
    expect(results.sort()).toEqual([false, true]);
  });
});

describe('a login obeys the gate (S5, G1)', () => {
  it.each([
    ['403 with the header', 403, { 'retry-after': '60' }],
    ['429', 429, { 'retry-after': '60' }],
    ['503 with the header', 503, { 'retry-after': '60' }],
  ])('%s is waited for, by everybody', async (_name, status, headers) => {
    const connector = await scriptedConnector();
    connector.initialize = (exchange) =>
      exchange.number === 1 ? exchange.fail(status, 'LIMIT', 'Too many', headers) : connector.logIn(exchange);
    const { client, clock } = connectVirtually(connector, { retry: { retries: 0 } });
    const calls = many(10, () => track(get(client)));
    await until(() => client.status.paused);
    await clock.advance(59_999);
    await grace();
    expect(connector.logins).toHaveLength(1);
    expect(connector.requests).toHaveLength(0);
    await clock.advance(1);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
    expect(connector.logins).toHaveLength(2);
  });

  it('is not sent while a pause is on', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector);
    await get(client);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = many(2, (index) => track(get(client, `/${index}`)));
    await until(() => hold.held.length === 2);
    const [limited, expired] = hold.held.splice(0);
    limited?.limit(3600);
    await until(() => client.status.paused);
    connector.handle = (exchange) => exchange.reply(exchange.session === 'session-1' ? 401 : 200, {});
    expired?.reply(401);
    await clock.advance(3_599_999);
    await grace();
    expect(connector.logins).toHaveLength(1);
    await clock.advance(1);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
    expect(connector.logins).toHaveLength(2);
  });

  it('a limit longer than maxWaitMs rejects all who wait for the login, with resumeAt (W7)', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.limit(172_800) });
    const { client } = connectVirtually(connector);
    const errors = await Promise.all(many(5, () => rejection(get(client))));
    for (const error of errors) {
      expect(error).toMatchObject({ name: 'RateLimitError', kind: 'rate-limit' });
      expect(error.resumeAt).toBeInstanceOf(Date);
    }
    expect(connector.logins).toHaveLength(1);
  });
});

describe('a hung login (S6)', () => {
  const never = () => {};
  it('ends at its own timeout and releases every waiter', async () => {
    const connector = await scriptedConnector({ initialize: never });
    const { client, clock } = connectVirtually(connector, {
      initialize: { parameters: {}, timeoutMs: 500 },
      retry: { retries: 0 },
      timeoutMs: 60_000,
    });
    const calls = many(20, () => track(get(client)));
    await until(() => connector.logins.length === 1);
    await clock.advance(499);
    expect(calls.some(({ settled }) => settled)).toBe(false);
    await clock.advance(1);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error instanceof InitializeError)).toBe(true);
    connector.initialize = connector.logIn;
    await expect(get(client)).resolves.toMatchObject({ status: 200 }); // the slot is free again
  });

  it('is bounded with the default retries, too', async () => {
    const connector = await scriptedConnector({ initialize: never });
    const client = connect(connector, { initialize: { parameters: {}, timeoutMs: 60 } });
    expect(await rejection(get(client))).toBeInstanceOf(InitializeError);
  });

  it.each([
    ['that dribbles', (exchange: Exchange) => drip(exchange, 1)],
    ['that floods', (exchange: Exchange) => drip(exchange, 1_000_000)],
  ])('a response %s without an end is bounded, too', async (_name, initialize) => {
    const connector = await scriptedConnector({ initialize });
    const client = connect(connector, {
      initialize: { parameters: {}, timeoutMs: 150 },
      retry: { retries: 0 },
      maxResponseBytes: 10_000_000,
    });
    expect(await rejection(get(client))).toBeInstanceOf(InitializeError);
  });

  it('the signal of a function that never returns aborts when the client is closed, too', async () => {
    const connector = await scriptedConnector();
    let signal: AbortSignal | undefined;
    const client = connect(connector, {
      initialize: (context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const call = track(get(client));
    await until(() => signal !== undefined);
    await client.close();
    await until(() => call.settled);
    expect(call.error).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(signal?.aborted).toBe(true);
  });

  it('a function that never returns is bounded by a timeout, too, and its signal aborts', async () => {
    const connector = await scriptedConnector();
    let signal: AbortSignal | undefined;
    const { client, clock } = connectVirtually(connector, {
      initialize: (context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
      retry: { retries: 0 },
    });
    const call = track(get(client));
    await until(() => signal !== undefined);
    await clock.advance(3_600_000);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(InitializeError);
    expect(signal?.aborted).toBe(true);
  });

  it('the time of a request does not run while others log in: timeoutMs is for one attempt', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const { client, clock } = connectVirtually(connector, {
      timeoutMs: 300,
      initialize: { parameters: {}, timeoutMs: 5000 },
      retry: { retries: 0 },
    });
    const call = get(client);
    await until(() => hold.held.length === 1);
    await clock.advance(600);
    hold.release(connector.logIn);
    await expect(call).resolves.toMatchObject({ status: 200 });
  });
});

function drip(exchange: Exchange, bytes: number) {
  exchange.response.writeHead(200, { 'content-type': 'application/json' });
  exchange.response.write('[');
  const timer = setInterval(() => {
    if (exchange.response.destroyed || exchange.socket.destroyed) clearInterval(timer);
    else if (!exchange.response.writableNeedDrain) exchange.response.write(' '.repeat(bytes));
  }, 2);
  exchange.socket.on('close', () => clearInterval(timer));
}

function cut(exchange: Exchange) {
  exchange.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' });
  exchange.response.write('[{"key":');
  setTimeout(() => exchange.drop(), 5);
}
