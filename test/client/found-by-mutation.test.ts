import type { ConnectionState, ConnectorClient } from 'concordat/client';
import { InitializeError, memoryState } from 'concordat/client';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';
import { virtualClock } from '../helpers/virtual-clock.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });

it('the waits of a client that closes hold no timer, though others share its state (G4)', async () => {
  const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3600) });
  const clock = virtualClock();
  const state = memoryState();
  const first = connect(connector, { state, clock });
  const second = connect(connector, { state, clock });
  const call = track(get(first));
  await until(() => first.status.paused);
  await grace();
  expect(clock.held).toBeGreaterThan(0);
  await first.close();
  await until(() => call.settled);
  expect(second.status.paused).toBe(true);
  expect(clock.held).toBe(0);
});

it('nor do those that wait for room in a quota (G4)', async () => {
  const connector = await scriptedConnector();
  connector.handle = (exchange: Exchange) => exchange.reply(200, {}, { 'ratelimit-policy': '"default";q=1;w=60' });
  const clock = virtualClock();
  const state = memoryState();
  const first = connect(connector, { state, clock });
  connect(connector, { state, clock });
  await get(first, '/first');
  const call = track(get(first));
  await grace();
  expect(clock.held).toBeGreaterThan(0);
  await first.close();
  await until(() => call.settled);
  expect(clock.held).toBe(0);
});

it('a newcomer does not overtake what another client of the same gate has waiting', async () => {
  const connector = await scriptedConnector();
  const clock = virtualClock();
  const state = memoryState();
  const client = connect(connector, { state, clock });
  const other = connect(connector, { state, clock });
  connector.handle = (exchange: Exchange) => exchange.reply(200, {}, { 'ratelimit-policy': '"default";q=1;w=60' });
  await get(client, '/first');
  const calls: ReturnType<typeof track>[] = [];
  clock.setTimer(60_000, () => calls.push(track(get(other, '/late'))));
  calls.push(track(get(client, '/waiting')));
  await grace();
  await clock.advance(60_000);
  await until(() => connector.requests.length === 2);
  expect(connector.requests[1]?.path).toBe('/waiting');
});

it('a closed client does not come back to a gate that it shared', async () => {
  const connector = await scriptedConnector();
  const clock = virtualClock();
  const state = memoryState();
  const first = connect(connector, { state, clock, rateLimit: { scope: ({ path }) => path } });
  const second = connect(connector, { state, clock, rateLimit: { scope: ({ path }) => path } });
  await get(first, '/a');
  await first.close();
  await rejection(get(first, '/b'));
  let pauses = 0;
  first.on('pause', () => pauses++);
  connector.handle = (exchange) => exchange.limit(3600);
  track(get(second, '/b'));
  await until(() => second.status.paused);
  expect([pauses, first.status.paused]).toEqual([0, false]);
});

it('the time of a login function stands still while any of its requests waits in a pause (S6)', async () => {
  const connector = await scriptedConnector({ guard: false });
  const hold = holdAll();
  connector.initialize = (exchange) =>
    exchange.path.startsWith('/b')
      ? hold.handler(exchange)
      : exchange.number <= 2
        ? exchange.limit(3600)
        : exchange.reply(200, {});
  const { client, clock } = connectVirtually(connector, {
    initialize: async ({ request }) => {
      await Promise.all([
        request({ method: 'POST', path: '/a/initialize' }),
        request({ method: 'POST', path: '/b/initialize' }),
      ]);
      return { 'x-session': 'own' };
    },
  });
  const call = track(get(client));
  await until(() => client.status.paused && hold.held.length === 1);
  hold.release((exchange) => exchange.reply(200, {}));
  await grace();
  await clock.advance(3_599_999);
  expect(call.error).toBeUndefined();
  await clock.advance(1);
  await until(() => call.settled);
  expect(call.value).toMatchObject({ status: 200 });
});

it('maxTotalWaitMs counts the wait that a login is in when the pause grows (G5)', async () => {
  const connector = await scriptedConnector({ guard: false });
  connector.initialize = (exchange) => (exchange.number === 2 ? exchange.limit(60) : connector.logIn(exchange));
  const { client, clock } = connectVirtually(connector, { rateLimit: { maxTotalWaitMs: 70_000 } });
  await get(client);
  const hold = holdAll();
  connector.handle = hold.handler;
  const calls = ['/a', '/b'].map((path) => track(get(client, path)));
  await until(() => hold.held.length === 2);
  hold.held.shift()?.reply(401);
  await until(() => client.status.paused);
  await grace();
  await clock.advance(20_000);
  hold.held.shift()?.limit(60);
  await until(() => client.status.counters.refused === 2);
  await grace();
  // The one that waits for the login, which has waited 20 s and would have to wait 60 s more.
  const message = expect.stringContaining('longer than `maxTotalWaitMs` allows');
  expect(calls[0]?.error).toMatchObject({ kind: 'rate-limit', message });
});

it('a pause that has ended while nobody was there is no news to who comes later', async () => {
  const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(60) });
  const clock = virtualClock();
  const state = memoryState();
  const first = connect(connector, { state, clock });
  track(get(first));
  await until(() => first.status.paused);
  await first.close();
  await clock.advance(120_000);
  const late = connect(connector, { state, clock });
  const told: unknown[] = [];
  late.on('pause', (event) => told.push(event));
  late.on('resume', (event) => told.push(event));
  const before = late.status;
  await clock.advance(1);
  expect({ before: before.paused, told }).toEqual({ before: false, told: [] });
});

it('a state that throws when it is told of a pause harms no call, and is told of', async () => {
  const connector = await scriptedConnector({
    handle: (exchange) => (exchange.number === 1 ? exchange.limit(1) : exchange.reply(200, {})),
  });
  const state: ConnectionState = {
    ...memoryState(),
    pause: () => {
      throw new Error('out of reach');
    },
  };
  const client = connect(connector, { state });
  const errors: unknown[] = [];
  client.on('error', (event) => errors.push(event));
  await expect(get(client)).resolves.toMatchObject({ status: 200 });
  await grace();
  expect(errors).toEqual([{ method: 'state', path: '', error: new Error('out of reach') }]);
});

it('and so does one that rejects, once for each outage (G11)', async () => {
  const connector = await scriptedConnector({
    handle: (exchange) => (exchange.number % 2 === 1 ? exchange.limit(1) : exchange.reply(200, {})),
  });
  let isDown = true;
  const state: ConnectionState = {
    ...memoryState(),
    pause: async () => {
      if (isDown) throw new Error('out of reach');
    },
  };
  const { client, clock } = connectVirtually(connector, { state });
  const errors: unknown[] = [];
  client.on('error', (event) => errors.push(event));
  const outage = { method: 'state', path: '', error: new Error('out of reach') };
  for (const down of [true, true, false, true, true]) {
    isDown = down;
    await expect(clock.runUntil(get(client))).resolves.toMatchObject({ status: 200 });
  }
  await grace();
  expect(errors).toEqual([outage, outage]);
});

it.each([undefined, null, '/items'])('a request that is %s is named (TypeError)', async (request) => {
  const client = connect(await scriptedConnector());
  await expect(client.request(request as never)).rejects.toThrow(new TypeError('`request` must be an object.'));
});

it('the cause of an error may lead back to itself', async () => {
  const cause = new Error('not an issue');
  cause.cause = cause;
  const schema = z.unknown().transform(() => {
    throw cause;
  });
  const connector = await scriptedConnector();
  expect(await rejection(connect(connector).get('/items', { schema }))).toBeInstanceOf(Error);
});

it.each([
  [{}, 'an object'],
  [new Map(), 'a Map'],
  [new Date(Number.NaN), 'an invalid Date'],
  [[[]], 'an array in an array'],
  [Number.NaN, 'NaN'],
  [Symbol('s'), 'Symbol(s)'],
])('a query value that cannot be written is named: %o', async (value, what) => {
  const client = connect(await scriptedConnector());
  const message = await rejection(client.get('/items', { query: { since: [value] } as never })).then(String);
  expect(message).toContain('`query.since` cannot be written');
  expect(message).toContain(`and holds ${what}.`);
});

it.each<[string, () => unknown, string]>([
  ['yields null', () => null, 'it yields null instead of bytes or text'],
  ['yields a number', () => 7, 'it yields a value of type number instead of bytes or text'],
  [
    'throws an error',
    () => {
      throw new Error('disk gone');
    },
    'disk gone',
  ],
  [
    'throws text',
    () => {
      throw 'disk gone';
    },
    'disk gone',
  ],
  [
    'throws nothing',
    () => {
      throw undefined;
    },
    'undefined',
  ],
])('a body that %s is named, and not repeated (G8)', async (_what, next, message) => {
  const connector = await scriptedConnector();
  async function* body() {
    yield 'start';
    yield next() as string;
  }
  const error = await rejection(connect(connector).put('/items', { body: () => body() }));
  expect(error.message).toContain(`\`body\` failed while it was being sent: ${message}`);
  expect(connector.requests.length).toBeLessThanOrEqual(1);
});

it('a pause that ends no later than the one in effect is no news to the others', async () => {
  const state = memoryState();
  const heard: number[] = [];
  state.onPause(({ resumeAt }) => heard.push(resumeAt.getTime()));
  for (const resumeAt of [9000, 8000, 9000, 9001]) await state.pause({ scope: '/a', resumeAt: new Date(resumeAt) });
  await state.pause({ scope: '/b', resumeAt: new Date(1) });
  expect(heard).toEqual([9000, 9001, 1]);
});

it('a dispatcher and an own fetch exclude each other', async () => {
  const connector = await scriptedConnector();
  const options = { fetch: globalThis.fetch, dispatcher: { dispatch: () => true } as never };
  expect(() => connect(connector, options)).toThrow('`dispatcher` and `fetch` cannot be combined');
});

const remaining = { header: 'x-left', resetHeader: 'x-reset' };

it("without pacing, a limit is waited for where the connector's remainder is read", async () => {
  const connector = await scriptedConnector({
    handle: (exchange) => (exchange.number === 1 ? exchange.limit(0) : exchange.reply(200, 'there')),
  });
  const client = connect(connector, { pacing: 'off', rateLimit: { remaining } });
  expect(await client.get('/items')).toBe('there');
  expect(client.status.counters).toMatchObject({ refused: 1, pauses: 1 });
});

it('a login that waits in a pause ends with the calls that wanted it (G4)', async () => {
  const connector = await scriptedConnector({ initialize: (exchange) => exchange.limit(3600) });
  const { client, clock } = connectVirtually(connector);
  const controller = new AbortController();
  const call = track(client.request({ method: 'GET', path: '/items', signal: controller.signal }));
  await until(() => client.status.paused);
  await grace();
  expect(clock.held).toBeGreaterThan(0); // control
  controller.abort();
  await until(() => call.settled);
  await until(() => clock.held === 0);
});

it('a login does not wait for room in the quota', async () => {
  const connector = await scriptedConnector();
  connector.handle = (exchange) => exchange.reply(200, {}, { 'ratelimit-policy': '"default";q=2;w=60' });
  const { client } = connectVirtually(connector);
  await get(client);
  connector.expireSessions();
  const call = track(get(client));
  await until(() => connector.logins.length === 2);
  await grace();
  expect(call.settled).toBe(false); // control: the call itself does
});

it.each<[string, (exchange: Exchange) => unknown, string]>([
  [
    'ends in the middle',
    ({ response }) => response.writeHead(200, { 'content-length': 100 }).write('[', () => response.destroy()),
    'The login failed: POST /initialize: 200 NETWORK_ERROR: the connection ended in the middle of the response',
  ],
  [
    'is too large',
    (exchange) => exchange.reply(200, ['x'.repeat(1_100_000)]),
    'The login failed: POST /initialize: 200 RESPONSE_TOO_LARGE: the response is larger than the 1 MiB limit of a login',
  ],
])('a login whose response %s says so, and shows nothing of it (E9)', async (_how, initialize, message) => {
  const connector = await scriptedConnector({ initialize });
  const error = await rejection(get(connect(connector, { retry: { retries: 0 } })));
  expect(error.message).toBe(message);
});

it('a tunnel is no request (D1)', async () => {
  const connector = await scriptedConnector();
  const call = connect(connector).request({ method: 'CONNECT' as never, path: '/items' });
  await expect(call).rejects.toThrow('`method` must be an HTTP method, got "CONNECT".');
});

it('a form with a file that no Blob stands for is no body', async () => {
  const connector = await scriptedConnector();
  const form = Object.assign([['name', 'a'] as const, ['file', { size: 1 }] as const], {
    [Symbol.toStringTag]: 'FormData',
  });
  const call = connect(connector).post('/items', { body: form as never });
  await expect(call).rejects.toThrow('`body` must be a string');
  expect(connector.requests).toHaveLength(0);
});

it('among clients of one gate, the call of the highest priority goes first', async () => {
  const connector = await scriptedConnector();
  const clock = virtualClock();
  const state = memoryState();
  const clients = [connect(connector, { state, clock }), connect(connector, { state, clock })] as const;
  connector.handle = (exchange: Exchange) => exchange.reply(200, {}, { 'ratelimit-policy': '"default";q=1;w=60' });
  await get(clients[0], '/first');
  const calls = [
    [0, '/d', 1],
    [1, '/b', 3],
    [0, '/a', 4],
    [1, '/c', 2],
  ] as const;
  for (const [which, path, priority] of calls) track(clients[which].request({ method: 'GET', path, priority }));
  await grace();
  for (let count = 2; count <= 5; count++) {
    await clock.advance(60_000);
    await until(() => connector.requests.length === count);
  }
  expect(connector.requests.map(({ path }) => path)).toEqual(['/first', '/a', '/b', '/c', '/d']);
});

it('a stream that is shorter than its length names both', async () => {
  const connector = await scriptedConnector();
  const fetch = async (url: unknown, init?: RequestInit) =>
    `${url}`.endsWith('/file')
      ? new Response('12345', { headers: { 'content-length': '10' } })
      : await globalThis.fetch(url as string, init);
  const { body } = await connect(connector, { fetch: fetch as never }).stream('/file');
  await expect(new Response(body).text()).rejects.toThrow('received 5 bytes, but `content-length` is 10');
});

it('a state that loses its connection is reported as such (G11)', async () => {
  const connector = await scriptedConnector();
  const listeners: ((error: Error) => void)[] = [];
  const state: ConnectionState = {
    ...memoryState(),
    onError(listener) {
      listeners.push(listener);
      return () => {};
    },
  };
  const client = connect(connector, { state });
  const errors: unknown[] = [];
  client.on('error', (event) => errors.push(event));
  for (const listener of listeners) listener(new Error('out of reach'));
  expect(errors).toEqual([{ method: 'state', path: '', error: new Error('out of reach') }]);
});

it('a client that is at its `concurrency` holds up no other client of its gate', async () => {
  const connector = await scriptedConnector();
  const state = memoryState();
  const full = connect(connector, { state, concurrency: 1 });
  const other = connect(connector, { state });
  await get(full);
  const hold = holdAll();
  connector.handle = hold.handler;
  const calls = [track(get(full, '/held')), track(get(full, '/waiting'))];
  await until(() => connector.requests.length === 2);
  calls.push(track(get(other, '/other')));
  await until(() => connector.requests.some(({ path }) => path === '/other'));
  connector.handle = (exchange) => exchange.reply(200, {});
  hold.release((exchange) => exchange.reply(200, {}));
  await until(() => calls.every(({ settled }) => settled));
});

it('a request that broke off may have been counted by the connector (W8)', async () => {
  const connector = await scriptedConnector();
  const policy = { 'ratelimit-policy': '"default";q=2;w=60' };
  connector.handle = (exchange) => (exchange.number === 2 ? exchange.drop() : exchange.reply(200, {}, policy));
  const { client, clock } = connectVirtually(connector, { retry: { retries: 0 } });
  await get(client);
  expect(await rejection(get(client))).toMatchObject({ code: 'NETWORK_ERROR' });
  const third = track(get(client));
  await grace();
  expect(connector.requests).toHaveLength(2);
  await clock.advance(60_000);
  await until(() => third.settled);
  expect(third.value).toMatchObject({ status: 200 });
});

it('maxTotalWaitMs does not count the time that a login takes outside any pause (G5)', async () => {
  const connector = await scriptedConnector();
  const hold = holdAll();
  connector.initialize = (exchange) => (exchange.number === 1 ? hold.handler(exchange) : connector.logIn(exchange));
  const { client, clock } = connectVirtually(connector, { rateLimit: { maxTotalWaitMs: 1000 } });
  const call = track(get(client));
  await until(() => hold.held.length === 1);
  await clock.advance(5000);
  connector.handle = (exchange) => (exchange.number === 1 ? exchange.reply(401) : exchange.reply(200, {}));
  hold.release(connector.logIn);
  await until(() => call.settled);
  expect(call.value).toMatchObject({ status: 200 });
  expect(connector.logins).toHaveLength(2);
});

it('a clean-up that fails names its request', async () => {
  const connector = await scriptedConnector();
  const client = connect(connector, { cleanup: { path: '/logout?all=1' } });
  await get(client);
  connector.handle = (exchange) => exchange.fail(404, 'NO_LOGOUT', 'There is none');
  const errors: unknown[] = [];
  client.on('error', ({ error }) => errors.push(error));
  await client.close();
  expect(errors).toMatchObject([{ method: 'POST', path: '/logout', code: 'NO_LOGOUT' }]);
});

it.each([
  [300, 'https://other.test'],
  [201, '/items/7?view=all'],
  [404, '/items/7?view=all'],
])('of a `location` beside status %d an error shows %s (S7)', async (status, shown) => {
  const location = status === 300 ? 'https://other.test/items/7?view=all' : '/items/7?view=all';
  const connector = await scriptedConnector();
  const headers = { 'content-type': 'application/json', location };
  connector.handle = (exchange) => exchange.reply(status, '{', headers);
  const error = await rejection(connect(connector).get('/items'));
  expect(error.response?.headers.get('location')).toBe(shown);
});

it('a client that is closed while the next call has its permit already does not send it', async () => {
  const connector = await scriptedConnector();
  const parseJson = (text: string) => {
    void client.close();
    return JSON.parse(text);
  };
  const client = connect(connector, { parseJson, concurrency: 1 });
  const [first, second] = [track(get(client)), track(get(client))];
  await until(() => first.settled && second.settled);
  await grace();
  expect(first.value).toMatchObject({ status: 200 });
  expect(String(second.error)).toContain('closed');
  expect(connector.requests).toHaveLength(1);
});

it('nor does one that is paused in that moment, nor does it ask for the body (G1, G8)', async () => {
  const connector = await scriptedConnector();
  const clock = virtualClock();
  const resumeAt = new Date(clock.now() + 60_000).toISOString();
  const parseJson = (text: string) => {
    client.restore({ version: 1, pauses: [{ scope: '', resumeAt }], quotas: [] });
    return JSON.parse(text);
  };
  const client = connect(connector, { clock, parseJson, concurrency: 1 });
  let bodies = 0;
  const body = () => `${++bodies}`;
  const calls = [track(get(client)), track(client.request({ method: 'POST', path: '/items', body }))];
  await until(() => calls[0]?.settled === true);
  await grace();
  expect([connector.requests.length, bodies]).toEqual([1, 0]);
  await clock.advance(60_000);
  await until(() => calls[1]?.settled === true);
  expect(connector.requests.map((request) => String(request.body))).toEqual(['', '1']);
});

it('a session that was made by another clock has an unknown age (S4)', async () => {
  const state = memoryState();
  const [own, other] = [virtualClock(), virtualClock()];
  await state.renew(0, async () => ({ 'x-session': '1' }), own);
  await own.advance(500);
  expect(state.newer?.(0, own)).toMatchObject({ ageMs: 500 });
  expect(state.newer?.(0, other)).toMatchObject({ ageMs: undefined });
});

it.each<[string, { refused?: boolean; retryAt?: number }, number]>([
  ['refused, and says until when', { refused: true, retryAt: 60_000 }, 1],
  ['refused', { refused: true }, 2],
  ['interrupted', { retryAt: 60_000 }, 2],
])(
  'of a login that was %s, the next caller hears or tries again (S5)',
  async (_how, { retryAt, ...options }, times) => {
    const state = memoryState();
    const clock = virtualClock();
    let logins = 0;
    const login = async () => {
      logins++;
      const until = retryAt === undefined ? {} : { retryAt: new Date(clock.now() + retryAt) };
      throw new InitializeError('no', { ...options, ...until });
    };
    for (let caller = 0; caller < 2; caller++) {
      expect(await rejection(state.renew(0, login, clock))).toBeInstanceOf(InitializeError);
    }
    expect(logins).toBe(times);
  },
);
