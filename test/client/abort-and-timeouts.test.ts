import { getEventListeners } from 'node:events';
import { isConnectorError, RateLimitError } from 'concordat';
import type { ConnectorClient, RequestError } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, type ScriptedConnector, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, signal?: AbortSignal, path = '/items') =>
  client.request({ method: 'GET', path, ...(signal ? { signal } : {}) });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const ok = (exchange: Exchange) => exchange.reply(200, {});
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe("an abort rejects with the signal's reason and sends nothing more", () => {
  const reason = new Error('the user went home');

  it('before the call: nothing is sent, not even a login', async () => {
    const connector = await scriptedConnector();
    const error = await rejection(get(connect(connector), AbortSignal.abort(reason)));
    expect(error).toBe(reason);
    await grace(10);
    expect([...connector.logins, ...connector.requests]).toHaveLength(0);
  });

  it('in flight: at once, and the connector sees the connection go', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ handle: hold.handler });
    const controller = new AbortController();
    const call = track(get(connect(connector), controller.signal));
    await until(() => hold.held.length === 1);
    controller.abort(reason);
    await until(() => call.settled);
    expect(call.error).toBe(reason);
    await until(() => hold.held[0]?.socket.destroyed === true);
    await grace();
    expect(connector.requests).toHaveLength(1);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('while an asynchronous schema checks the data; so do `totalTimeoutMs` and the grace of `close()`', async () => {
    const connector = await scriptedConnector({ handle: ok });
    let checks = 0;
    const validate = () => {
      checks++;
      return new Promise<never>(() => {});
    };
    const schema = { '~standard': { version: 1, vendor: 'test', validate } } as const;
    const { client, clock } = connectVirtually(connector);
    const controller = new AbortController();
    const call = track(client.get('/items', { schema, signal: controller.signal }));
    const bounded = track(client.get('/items', { schema, totalTimeoutMs: 5000 }));
    const last = track(client.get('/items', { schema }));
    await until(() => checks === 3);
    controller.abort(reason);
    await until(() => call.settled);
    expect(call.error).toBe(reason);
    expect(listeners(controller.signal)).toBe(0);
    await clock.advance(5000);
    await until(() => bounded.settled);
    expect(bounded.error).toMatchObject({ code: 'BUDGET_EXCEEDED' });
    const closed = client.close({ graceMs: 10_000 });
    await clock.advance(9000);
    expect(last.settled).toBe(false);
    await clock.advance(1000);
    await closed;
    await until(() => last.settled);
    expect(last.error).toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  it('but `close()` lets an asynchronous schema finish', async () => {
    const connector = await scriptedConnector({ handle: ok });
    let finish: (() => void) | undefined;
    const validate = () => new Promise<{ value: string }>((resolve) => (finish = () => resolve({ value: 'checked' })));
    const schema = { '~standard': { version: 1, vendor: 'test', validate } } as const;
    const { client } = connectVirtually(connector);
    const call = client.post('/items', { json: {}, schema });
    await until(() => finish !== undefined);
    const closed = client.close({ graceMs: 10_000 });
    await grace(10);
    finish?.();
    await closed;
    expect(await call).toBe('checked');
  });

  it('while the body of a 200 arrives', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.response.writeHead(200).write('half'),
    });
    const controller = new AbortController();
    const call = track(get(connect(connector), controller.signal));
    await until(() => connector.requests.length === 1);
    await grace(10);
    controller.abort(reason);
    await until(() => call.settled);
    expect(call.error).toBe(reason);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('while the body of an error arrives', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.response.writeHead(404).write('half'),
    });
    const controller = new AbortController();
    const call = track(get(connect(connector), controller.signal));
    await until(() => connector.requests.length === 1);
    await grace(10);
    controller.abort(reason);
    await until(() => call.settled);
    expect(call.error).toBe(reason);
  });

  it('during the delay before a retry', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(500) });
    const { client, clock } = connectVirtually(connector, { retry: { minTimeoutMs: 5000, maxTimeoutMs: 5000 } });
    const controller = new AbortController();
    const call = track(get(client, controller.signal));
    await until(() => connector.requests.length === 1 && connector.open.length === 0);
    await grace(10);
    controller.abort(reason);
    await until(() => call.settled);
    expect(call.error).toBe(reason);
    await clock.advance(60_000);
    await grace(10);
    expect(connector.requests).toHaveLength(1);
    expect(listeners(controller.signal)).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('during the short delay before a fresh session is tried again', async () => {
    const connector = await scriptedConnector({ guard: false, handle: (exchange) => exchange.reply(401) });
    const { client, clock } = connectVirtually(connector);
    const controller = new AbortController();
    const call = track(get(client, controller.signal));
    await until(() => connector.requests.length === 2 && connector.open.length === 0);
    await grace(10);
    controller.abort(reason);
    await until(() => call.settled);
    expect(call.error).toBe(reason);
    await clock.advance(60_000);
    await grace(10);
    expect(connector.requests).toHaveLength(2);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('during a login', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const controller = new AbortController();
    const call = track(get(connect(connector), controller.signal));
    await until(() => hold.held.length === 1);
    controller.abort(reason);
    await until(() => call.settled);
    expect(call.error).toBe(reason);
    expect(listeners(controller.signal)).toBe(0);
    hold.release(connector.logIn);
    await grace();
    expect(connector.requests).toHaveLength(0);
  });

  it('while a factory makes the body, and the place is free again', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector, { concurrency: 1 });
    await get(client);
    const controller = new AbortController();
    const body = () => new Promise<string>(() => {});
    const call = track(client.request({ method: 'POST', path: '/', body, signal: controller.signal }));
    await grace(10);
    controller.abort(reason);
    await until(() => call.settled);
    expect(call.error).toBe(reason);
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });

  it('is an AbortError when the caller gave no reason', async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const controller = new AbortController();
    const call = track(get(connect(connector), controller.signal));
    await until(() => connector.requests.length === 1);
    controller.abort();
    await until(() => call.settled);
    expect(call.error).toBe(controller.signal.reason);
    expect(call.error).toMatchObject({ name: 'AbortError' });
  });

  it('may have any value as its reason', async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const controller = new AbortController();
    const call = track(get(connect(connector), controller.signal));
    await until(() => connector.requests.length === 1);
    controller.abort('enough');
    await until(() => call.settled);
    expect(call.error).toBe('enough');
  });

  it.each([[new AbortController()], [null], ['signal']])(
    'of another kind is refused with its name: %o',
    async (signal) => {
      const error = await rejection(connect({ url: 'http://127.0.0.1:1' }).get('/', { signal: signal as never }));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toBe('`signal` must be an AbortSignal, such as `controller.signal`.');
    },
  );

  it("a caller's own time-out is no transient failure: one request, and its TimeoutError", async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const controller = new AbortController();
    const call = rejection(get(connect(connector), controller.signal));
    await until(() => connector.requests.length === 1);
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')); // as AbortSignal.timeout does
    expect(await call).toBe(controller.signal.reason);
    await grace(20);
    expect(connector.requests).toHaveLength(1);
  });

  it('after the end of a call changes nothing', async () => {
    const connector = await scriptedConnector();
    const controller = new AbortController();
    await get(connect(connector), controller.signal);
    expect(listeners(controller.signal)).toBe(0);
    controller.abort();
    await grace(5);
  });
});

it('a timeout of Infinity works with every clock, that of the tests included', async () => {
  const connector = await scriptedConnector();
  const infinity = Number.POSITIVE_INFINITY;
  const { client, clock } = connectVirtually(connector, {
    initialize: { parameters: {}, timeoutMs: infinity },
    timeoutMs: infinity,
    totalTimeoutMs: infinity,
    maxStreamBytes: infinity,
  });
  expect(await client.get('/items')).toMatchObject({ path: '/items' });
  const { data } = await client.request({ method: 'GET', path: '/items', responseType: 'stream' });
  expect(await new Response(data as ReadableStream).json()).toMatchObject({ path: '/items' });
  expect(clock.pending).toBe(0);
});

describe("one caller's abort harms nobody else", () => {
  it('who waits for the same login: it goes on, and is made once', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const client = connect(connector);
    const controllers = many(5, () => new AbortController());
    const calls = controllers.map(({ signal }) => track(get(client, signal)));
    await until(() => hold.held.length === 1);
    controllers[0]?.abort(); // the one that started it
    controllers[3]?.abort();
    await until(() => calls.filter(({ settled }) => settled).length === 2);
    hold.release(connector.logIn);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.map(({ error }) => error === undefined)).toEqual([false, true, true, false, true]);
    expect(connector.logins).toHaveLength(1);
    expect(connector.requests).toHaveLength(3);
  });

  it('a login that was left by everybody serves the next call, or the next call makes its own', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const client = connect(connector);
    const controller = new AbortController();
    const call = track(get(client, controller.signal));
    await until(() => hold.held.length === 1);
    controller.abort();
    await until(() => call.settled);
    connector.initialize = connector.logIn;
    const next = track(get(client));
    await grace(10);
    hold.release(connector.logIn);
    await until(() => next.settled);
    expect(next.value).toMatchObject({ status: 200 });
    expect(connector.logins.length).toBeLessThanOrEqual(2);
  });

  it('who is in flight on other connections', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ handle: hold.handler });
    const client = connect(connector);
    const controller = new AbortController();
    const calls = [track(get(client, controller.signal)), track(get(client)), track(get(client))];
    await until(() => hold.held.length === 3);
    controller.abort();
    await until(() => calls[0]?.settled === true);
    hold.release((exchange) => exchange.socket.destroyed || ok(exchange));
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.map(({ error }) => error === undefined)).toEqual([false, true, true]);
  });

  it('who waits for the same prober: another one takes over', async () => {
    const connector = await scriptedConnector({ guard: false });
    const first = holdAll();
    connector.handle = first.handler;
    const { client, clock } = connectVirtually(connector);
    const controllers = many(3, () => new AbortController());
    const calls = controllers.map(({ signal }, index) => track(get(client, signal, `/${index}`)));
    await until(() => first.held.length === 3);
    first.release((exchange) => exchange.reply(401));
    await until(() => first.held.length === 3);
    connector.handle = ok;
    first.release((exchange) => exchange.reply(401));
    await grace();
    for (const index of [0, 1]) {
      controllers[index]?.abort();
      await grace(5);
    }
    for (let step = 0; step < 10; step++) {
      await clock.advance(1000);
      await grace(5);
    }
    await until(() => calls.every(({ settled }) => settled));
    expect(calls[2]?.error).toBeUndefined();
  });
});

describe('signals that live long', () => {
  it('gather no listeners over 500 calls of every outcome, and cause no warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => {
      process.off('warning', onWarning);
    });
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => exchange.reply([200, 404, 500, 200, 401][exchange.number % 5] ?? 200, {});
    const client = connect(connector, { retry: { retries: 1 }, freshSessionGraceMs: 0 });
    const { signal } = new AbortController();
    await Promise.allSettled(many(500, () => get(client, signal)));
    expect(listeners(signal)).toBe(0);
    await grace(10);
    expect(warnings.map(String).filter((text) => text.includes('MaxListeners'))).toEqual([]);
  });
});

describe('signals that live long', () => {
  /** What `AbortSignal.any` leaves on a signal: on Node 20 for as long as the signal lives. */
  const dependants = (signal: AbortSignal): number => {
    const name = Object.getOwnPropertySymbols(signal).find(({ description }) => description === 'kDependantSignals');
    return name === undefined ? 0 : ((signal as unknown as Record<symbol, Set<unknown>>)[name]?.size ?? 0);
  };

  it('gather nothing else either: after a login, a retry, a refused session and a bound on the whole call (G4)', async () => {
    const { signal } = new AbortController();
    const connector = await scriptedConnector({ guard: false });
    const statuses = [200, 503, 200, 401, 401, 200];
    connector.handle = (exchange) => exchange.reply(statuses.shift() ?? 200, {});
    const { client, clock } = connectVirtually(connector);
    for (let call = 0; call < 3; call++) await clock.runUntil(get(client, signal));
    expect(statuses).toEqual([]);
    expect({ dependants: dependants(signal), listeners: listeners(signal) }).toEqual({ dependants: 0, listeners: 0 });
    const bounded = connect(connector, { totalTimeoutMs: 60_000 });
    for (let call = 0; call < 3; call++) await get(bounded, signal);
    const begun: Exchange[] = [];
    connector.handle = (exchange) => begun.push(exchange) && exchange.response.writeHead(200).write('half');
    const { body } = await bounded.stream('/items', { signal });
    expect(listeners(signal)).toBeGreaterThan(0); // control: it can still end the body
    begun[0]?.response.end();
    await new Response(body).text();
    expect({ dependants: dependants(signal), listeners: listeners(signal) }).toEqual({ dependants: 0, listeners: 0 });
    const control = AbortSignal.any([signal]);
    control.addEventListener('abort', () => {}); // Node 24 links the two no earlier
    expect(dependants(signal)).toBe(1);
    expect(control.aborted).toBe(false);
  });

  it('end a body that is being read, also with a bound on the whole call', async () => {
    const reason = new Error('the user went home');
    const connector = await scriptedConnector();
    connector.handle = (exchange) => exchange.response.writeHead(200).write('half');
    const retry = { retries: 9, minTimeoutMs: 300, maxTimeoutMs: 300 };
    const { client, clock } = connectVirtually(connector, { totalTimeoutMs: 1000, retry });
    const controller = new AbortController();
    const { body } = await client.stream('/items', { signal: controller.signal });
    await clock.advance(1000); // the bound is over: it ended with the head
    const text = track(new Response(body).text());
    await grace(5);
    expect(text.settled).toBe(false);
    controller.abort(reason);
    await until(() => text.settled);
    expect(text.error).toBe(reason);
    expect(listeners(controller.signal)).toBe(0);
  });
});

describe('many calls at once', () => {
  it('on a new client, and in back-off, cause no warning although none of them has a signal', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => {
      process.off('warning', onWarning);
    });
    const connector = await scriptedConnector();
    connector.handle = (exchange) => exchange.reply(exchange.number <= 60 ? 503 : 200, {});
    const client = connect(connector, { retry: { retries: 3, minTimeoutMs: 1, maxTimeoutMs: 5 } });
    await Promise.allSettled(many(60, () => get(client)));
    await grace(10);
    expect(warnings.map(String).filter((text) => text.includes('MaxListeners'))).toEqual([]);
  });
});

describe('timeoutMs', () => {
  it('bounds one attempt: an error that names the call and the time, and is no abort', async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const client = connect(connector, { timeoutMs: 60, retry: { retries: 0 } });
    const error = await rejection(get(client));
    expect(error).toBeInstanceOf(Error);
    expect(isConnectorError(error)).toBe(false);
    expect(error.name).not.toBe('AbortError');
    expect(error.message).toContain('GET /items');
    expect(error.message).toContain('60 ms');
  });

  it('can be set for one request, shorter or longer', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => setTimeout(() => ok(exchange), 120);
    const client = connect(connector, { timeoutMs: 60, retry: { retries: 0 } });
    await rejection(get(client));
    await expect(client.request({ method: 'GET', path: '/', timeoutMs: 30_000 })).resolves.toMatchObject({
      status: 200,
    });
    const patient = connect(connector, { timeoutMs: 30_000, retry: { retries: 0 } });
    await rejection(patient.request({ method: 'GET', path: '/', timeoutMs: 60 }));
    await expect(get(patient)).resolves.toMatchObject({ status: 200 });
  });

  it('runs on the clock of the client', async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const { client, clock } = connectVirtually(connector, { timeoutMs: 30_000, retry: { retries: 0 } });
    const call = track(get(client));
    await until(() => connector.requests.length === 1);
    await clock.advance(29_999);
    expect(call.settled).toBe(false);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(Error);
  });

  it('says if the body of the request was still being sent, and what to do', async () => {
    const connector = await scriptedConnector({ handle: () => {}, early: true });
    const { client, clock } = connectVirtually(connector, { timeoutMs: 1000, retry: { retries: 0 } });
    const slow = track(
      client.put('/slow', {
        body: async function* () {
          yield 'a';
          await new Promise(() => {});
        },
      }),
    );
    const unread = track(client.put('/unread', { body: new Blob([Buffer.alloc(50_000_000)]) }));
    const bytes = track(client.put('/bytes', { body: Buffer.alloc(5_000_000) }));
    const sent = track(
      client.put('/sent', {
        body: async function* () {
          yield 'a';
        },
      }),
    );
    await until(() => connector.requests.length === 4);
    const toEnd = connector.requests.find(({ path }) => path === '/sent')?.response.req;
    await until(() => toEnd?.complete === true);
    await clock.advance(1000);
    await until(() => [slow, unread, bytes, sent].every(({ settled }) => settled));
    const why = 'TIMEOUT: no complete response within 1000 ms';
    const upload = "; the request's body was still being sent, so set a longer `timeoutMs` for this upload";
    expect(slow.error).toMatchObject({ message: `PUT /slow: ${why}${upload}` });
    expect(unread.error).toMatchObject({ message: `PUT /unread: ${why}${upload}` });
    const maybe = '; an upload of 5 MB may need a longer `timeoutMs`';
    expect(bytes.error).toMatchObject({ message: `PUT /bytes: ${why}${maybe}` });
    expect(sent.error).toMatchObject({ message: `PUT /sent: ${why}` });
  });

  it('leaves no timer behind after a response', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    await get(client);
    await rejection(client.request({ method: 'GET', path: '/', timeoutMs: 0 })); // refused: zero is no time
    expect(clock.pending).toBe(0);
  });

  it('time spent waiting for a turn does not count', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ handle: hold.handler });
    const { client, clock } = connectVirtually(connector, { timeoutMs: 500, concurrency: 1, retry: { retries: 0 } });
    const calls = Promise.all(many(8, () => get(client)));
    for (let turn = 0; turn < 8; turn++) {
      await until(() => hold.held.length === 1);
      await clock.advance(499);
      hold.release(ok);
    }
    await expect(calls).resolves.toHaveLength(8);
  });

  it('an attempt that times out frees its place', async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const client = connect(connector, { concurrency: 2, retry: { retries: 0 } });
    await Promise.allSettled(many(6, () => client.request({ method: 'GET', path: '/', timeoutMs: 50 })));
    connector.handle = ok;
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });
});

it('streams that nobody reads take no socket from another scope (D4)', async () => {
  const connector = await scriptedConnector({
    handle: (exchange) => {
      if (!exchange.path.startsWith('/files')) return ok(exchange);
      exchange.response.writeHead(200, { 'content-length': 1_000_000 });
      exchange.response.write('the beginning');
    },
  });
  const scope = ({ path }: { path: string }) => (path.startsWith('/files') ? 'files' : 'rest');
  const client = connect(connector, { concurrency: 1, rateLimit: { scope }, retry: { retries: 0 }, timeoutMs: 2000 });
  const { body } = await client.stream('/files/1');
  await expect(get(client)).resolves.toMatchObject({ status: 200 });
  await body.cancel();
});

describe('totalTimeoutMs bounds the whole call', () => {
  it.each([
    ['retries', (exchange: Exchange) => exchange.reply(500)],
    ['a long pause', (exchange: Exchange) => exchange.limit(3600)],
    ['a connector that does not answer', () => {}],
  ])('%s included', async (_name, handle) => {
    const connector = await scriptedConnector({ handle });
    const { client, clock } = connectVirtually(connector, {
      totalTimeoutMs: 5000,
      retry: { retries: 1000, minTimeoutMs: 100, maxTimeoutMs: 100 },
    });
    const errors: unknown[] = [];
    client.on('error', ({ error }) => errors.push(error));
    const call = track(get(client));
    for (let step = 0; step < 49; step++) {
      await grace(2);
      await clock.advance(100);
    }
    expect(call.settled).toBe(false);
    await clock.advance(200);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(Error);
    expect((call.error as Error).message).toContain('GET /items');
    expect(errors).toEqual([call.error]);
    const { sent } = client.status.counters; // the last of them may still be arriving
    for (let step = 0; step < 20; step++) await clock.advance(3_600_000);
    expect(client.status.counters.sent).toBe(sent);
    expect(connector.requests.length + connector.logins.length).toBeLessThanOrEqual(sent);
  });

  /** What a call says that had a second, of which nothing came. */
  async function overBudget(connector: ScriptedConnector, event: 'retry' | 'pause' = 'retry') {
    const retry = { retries: 9, minTimeoutMs: 300, maxTimeoutMs: 300 };
    const { client, clock } = connectVirtually(connector, { totalTimeoutMs: 1000, retry });
    const met = new Promise((resolve) => client.on(event, resolve));
    const call = track(get(client));
    await met;
    await clock.advance(1000);
    await until(() => call.settled);
    return call.error as RequestError;
  }

  it('tells what failed meanwhile', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.fail(500, 'BOOM', 'It broke.') });
    const error = await overBudget(connector);
    expect(error).toMatchObject({ code: 'BUDGET_EXCEEDED', cause: { status: 500, code: 'BOOM' } });
    expect(Object.keys(error)).not.toContain('cause');
  });

  it('tells why there is no session yet', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.drop() });
    expect(await overBudget(connector)).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      attempts: 0,
      cause: { code: 'NETWORK_ERROR', path: '/initialize' },
    });
  });

  it('does not blame what an earlier login met', async () => {
    const connector = await scriptedConnector({
      initialize: (exchange) => (exchange.number === 1 ? exchange.drop() : connector.logIn(exchange)),
    });
    const { client, clock } = connectVirtually(connector);
    const retried = new Promise((resolve) => client.on('retry', resolve));
    const first = track(get(client));
    await retried;
    await clock.advance(2);
    await until(() => first.settled);
    expect(connector.logins).toHaveLength(2); // control
    connector.expireSessions();
    const hold = holdAll();
    connector.initialize = hold.handler;
    const call = track(client.get('/items', { totalTimeoutMs: 1000 }));
    await until(() => hold.held.length === 1);
    await clock.advance(1000);
    await until(() => call.settled);
    expect(call.error).toMatchObject({ code: 'BUDGET_EXCEEDED', attempts: 1 });
    expect((call.error as RequestError).cause).toBeUndefined();
  });

  it('does not blame the login of another call where it has been sent itself', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, {
      retry: { retries: 9, minTimeoutMs: 300, maxTimeoutMs: 300 },
    });
    await get(client);
    const hold = holdAll();
    connector.handle = hold.handler;
    const sent = track(client.get('/slow', { totalTimeoutMs: 1000 }));
    await until(() => hold.held.length === 1);
    connector.expireSessions();
    connector.initialize = (exchange) => exchange.drop();
    const retried = new Promise((resolve) => client.on('retry', resolve));
    const waiting = track(client.get('/items', { totalTimeoutMs: 1000 }));
    await retried;
    await clock.advance(1000);
    await until(() => sent.settled && waiting.settled);
    expect(sent.error).toMatchObject({ code: 'BUDGET_EXCEEDED', attempts: 1 });
    expect((sent.error as RequestError).cause).toBeUndefined();
    expect(waiting.error).toMatchObject({ attempts: 1, cause: { path: '/initialize' } }); // control
  });

  it('tells how long a rate limit lasts', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3600) });
    const error = await overBudget(connector, 'pause');
    expect(error.message).toMatch(/1000 ms \(paused by a rate limit until \d{4}-\d\d-\d\dT[\d:.]+Z\)$/);
    const { cause } = error as { cause?: RateLimitError };
    expect(cause).toBeInstanceOf(RateLimitError);
    expect(error.message).toContain(cause?.resumeAt.toISOString());
    expect(cause?.retryAfterMs).toBe(3_599_000);
  });

  it('is an `error` event, although the signal of the call has been aborted (G6)', async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const { client, clock } = connectVirtually(connector);
    const errors: unknown[] = [];
    client.on('error', ({ error }) => errors.push(error));
    const failure = rejection(client.get('/hangs', { totalTimeoutMs: 1000, signal: new AbortController().signal }));
    await until(() => connector.requests.length === 1);
    await clock.advance(1000);
    expect(errors).toEqual([await failure]);
  });

  it('what was retried is the cause of nothing else', async () => {
    const connector = await scriptedConnector({
      handle: ({ number, reply }) => reply(number === 1 ? 500 : 404, {}),
    });
    const { client, clock } = connectVirtually(connector, { retry: { retries: 1 } });
    const retried = new Promise((resolve) => client.on('retry', resolve));
    const failure = rejection(client.get('/items'));
    await retried;
    await clock.advance(60_000);
    const error = await failure;
    expect(error).toMatchObject({ status: 404, attempts: 2 });
    expect(error.cause).toBeUndefined();
  });

  it('a limit is not the cause if the request was on its way', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.path === '/limit' && exchange.limit(3600),
    });
    const { client, clock } = connectVirtually(connector);
    const failure = rejection(client.post('/hangs', { json: {}, totalTimeoutMs: 1000 }));
    await until(() => connector.requests.length === 1);
    client.get('/limit').catch(() => {});
    await until(() => client.status.paused);
    await clock.advance(1000);
    const error = (await failure) as RequestError;
    expect([error.code, error.cause]).toEqual(['BUDGET_EXCEEDED', undefined]);
  });
});
