import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ConnectionState, ConnectorClient, InitializeError } from 'concordat/client';
import { createConnectorClient, memoryState } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';
import { virtualClock } from '../helpers/virtual-clock.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

async function pair() {
  const connector = await scriptedConnector();
  const clock = virtualClock();
  const state = memoryState();
  const first = connect(connector, { state, clock });
  const second = connect(connector, { state, clock });
  return { connector, clock, first, second };
}

/** A client whose first request was refused for a minute; others may join. */
async function paused() {
  const connector = await scriptedConnector();
  connector.handle = (exchange) => (exchange.number === 1 ? exchange.limit(60) : exchange.reply(200, {}));
  const clock = virtualClock();
  const state = memoryState();
  const join = () => connect(connector, { state, clock });
  const first = join();
  const call = track(get(first));
  await until(() => first.status.paused);
  return { connector, clock, first, call, join };
}

describe('clients that share their state', () => {
  it('belong to one connection: the session of one connector is nothing for another', async () => {
    const [one, other] = [await scriptedConnector(), await scriptedConnector()];
    const state = memoryState();
    const client = connect(one, { state });
    expect(() => connect(other, { state })).toThrow(
      new TypeError(
        `\`state\` already belongs to the connection to ${one.url}: its session must not go to ${other.url}. ` +
          'Create a state for each connection.',
      ),
    );
    await get(client);
    await get(connect(one, { state })); // control
    expect([one.logins.length, other.logins.length]).toEqual([1, 0]);
  });

  it('share one login', async () => {
    const { connector, first, second } = await pair();
    const told: unknown[] = [];
    for (const client of [first, second]) client.on('initialize', ({ generation }) => told.push(generation));
    await Promise.all([get(first), get(second), get(first), get(second)]);
    expect(connector.logins).toHaveLength(1);
    // What one adopts it has not made.
    expect(told).toEqual([1]);
    expect([first, second].map(({ status }) => status.counters.logins).sort()).toEqual([0, 1]);
    expect(new Set(connector.requests.map(({ session }) => session))).toEqual(new Set(['session-1']));
  });

  const broken = new Error('connect ECONNREFUSED 127.0.0.1:5432');
  it.each<[string, Partial<ConnectionState>]>([
    ['rejects', { renew: () => Promise.reject(broken) }],
    [
      'throws',
      {
        renew: () => {
          throw broken;
        },
      },
    ],
    ['rejects after the login', { renew: (_expired, login) => login().then(() => Promise.reject(broken)) }],
    ['resolves to nothing', { renew: async () => undefined as never }],
    [
      'resolves to the session that has expired',
      { renew: async (expired) => ({ generation: expired, headers: { 'x-session': 'old' } }) },
    ],
    ['resolves to no headers', { renew: async (expired) => ({ generation: expired + 1, headers: null as never }) }],
  ])('use their own login if the state %s, and report it (G11)', async (_how, failing) => {
    const connector = await scriptedConnector();
    const client = connect(connector, { state: { ...memoryState(), ...failing } });
    const errors: unknown[] = [];
    client.on('error', (event) => errors.push(event));
    await get(client);
    expect(errors).toEqual([{ method: 'state', path: '', error: expect.any(Error) }]);
    connector.expireSessions();
    await get(client);
    expect(connector.logins).toHaveLength(2);
    expect(connector.requests.at(-1)?.session).toBe('session-2');
  });

  it('share again once the state is back; the outage was reported once (G11)', async () => {
    const connector = await scriptedConnector();
    const shared = memoryState();
    let isAway = false;
    const renew: ConnectionState['renew'] = (...words) => (isAway ? Promise.reject(broken) : shared.renew(...words));
    const [first, second] = [
      connect(connector, { state: { ...shared, renew } }),
      connect(connector, { state: shared }),
    ];
    const errors: unknown[] = [];
    first.on('error', (event) => errors.push(event));
    await get(first);
    isAway = true;
    for (let outage = 0; outage < 3; outage++) {
      connector.expireSessions();
      await get(first);
    }
    expect(errors).toHaveLength(1);
    isAway = false;
    for (let round = 0; round < 3; round++) {
      connector.expireSessions();
      const before = connector.logins.length;
      await get(first);
      await get(second);
      expect(connector.logins).toHaveLength(before + 1);
    }
    expect(errors).toHaveLength(1);
    isAway = true;
    connector.expireSessions();
    await get(first);
    expect(errors).toHaveLength(2);
  });

  it('a call that joins as the last one leaves gets a session, not the failure of the state (G11)', async () => {
    const connector = await scriptedConnector();
    const clock = virtualClock();
    let isFirst = true;
    const renew: ConnectionState['renew'] = async (expired, login) => {
      if (!isFirst) return { generation: expired + 1, headers: await login() };
      isFirst = false;
      await new Promise<void>((resolve) => void clock.setTimer(300, resolve));
      throw broken;
    };
    const client = connect(connector, { state: { ...memoryState(), renew }, clock });
    const controller = new AbortController();
    const left = track(client.get('/items', { signal: controller.signal }));
    await grace();
    controller.abort();
    await until(() => left.settled);
    const call = track(get(client));
    await grace();
    await clock.advance(300);
    await until(() => call.settled);
    expect(call).toMatchObject({ value: { status: 200 } });
  });

  it('and not if it is the login that failed', async () => {
    const connector = await scriptedConnector();
    connector.initialize = (exchange) => exchange.reply(401, {});
    const renew: ConnectionState['renew'] = async (_expired, login) => {
      await login().catch(() => {});
      throw broken;
    };
    const client = connect(connector, { state: { ...memoryState(), renew } });
    expect(await rejection(get(client))).toMatchObject({ name: 'InitializeError', refused: true });
    expect(connector.logins).toHaveLength(1);
  });

  it.each(['signal', 'totalTimeoutMs', 'close'] as const)(
    'a state that never tells of a newer session is bounded by %s (G4, G5)',
    async (bound) => {
      const connector = await scriptedConnector({ guard: false, handle: ({ reply }) => reply(401, {}) });
      let isAsked = false;
      const newer = () => {
        isAsked = true;
        return new Promise<never>(() => {});
      };
      const clock = virtualClock();
      const client = connect(connector, { state: { ...memoryState(), newer }, clock });
      const controller = new AbortController();
      const call = track(
        client.get('/items', bound === 'totalTimeoutMs' ? { totalTimeoutMs: 5000 } : { signal: controller.signal }),
      );
      while (!isAsked) await clock.advance(100);
      await grace();
      expect(call.settled).toBe(false);
      if (bound === 'signal') controller.abort();
      if (bound === 'totalTimeoutMs') await clock.advance(5000);
      if (bound === 'close') await client.close();
      await until(() => call.settled);
      expect(call.error).toMatchObject(
        {
          signal: { name: 'AbortError' },
          totalTimeoutMs: { code: 'BUDGET_EXCEEDED' },
          close: { code: 'CLIENT_CLOSED' },
        }[bound],
      );
    },
  );

  it('a state must say how to end its pauses, and may tell of one as JSON does', async () => {
    const connector = await scriptedConnector();
    const silent = { ...memoryState(), onPause: () => undefined as never };
    expect(() => connect(connector, { state: silent })).toThrow(
      new TypeError('`state.onPause` must return a function that ends it.'),
    );
    const resumeAt = new Date(Date.now() + 60_000).toISOString() as never;
    const onPause: ConnectionState['onPause'] = (listener) => {
      listener({ scope: '', resumeAt });
      listener({ scope: '', resumeAt: 'no time' as never });
      return () => {};
    };
    expect(connect(connector, { state: { ...memoryState(), onPause } }).status.paused).toBe(true);
  });

  it('wait after a refused login even if the state remembers none (S5)', async () => {
    const connector = await scriptedConnector();
    connector.initialize = (exchange) => exchange.reply(401, {});
    const forgetful: ConnectionState = {
      ...memoryState(),
      renew: async (expired, login) => ({ generation: expired + 1, headers: await login() }),
    };
    const clock = virtualClock();
    const client = connect(connector, { state: forgetful, clock });
    for (let call = 0; call < 3; call++) await rejection(get(client));
    expect(connector.logins).toHaveLength(1);
    await clock.advance(60_000);
    await rejection(get(client));
    expect(connector.logins).toHaveLength(2);
  });

  it('keep nothing of one that has closed', async () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const connector = await scriptedConnector();
    const state = memoryState();
    const use = async () => {
      const client = createConnectorClient({ baseUrl: connector.url, initialize: { parameters: {} }, state });
      await get(client);
      await client.close();
      return new WeakRef(client);
    };
    const closed = await use();
    const isGone = () => {
      collect();
      return closed.deref() === undefined;
    };
    await expect.poll(isGone).toBe(true);
    await get(connect(connector, { state }));
    expect(connector.logins).toHaveLength(1);
  });

  it('count each the pauses since it joined', async () => {
    const { clock, first, call, join } = await paused();
    await clock.advance(60_000);
    await until(() => call.settled);
    const second = join();
    await get(second);
    expect([first, second].map(({ status }) => status.counters.pausedMs)).toEqual([60_000, 0]);
  });

  it('recheck a fresh session with the newer one that another client has brought meanwhile (S4)', async () => {
    const { connector, clock, first, second } = await pair();
    await Promise.all([get(first), get(second)]);
    connector.alive.delete('session-1');
    connector.handle = ({ path, session, reply }) =>
      reply(path === '/early' && session === 'session-2' ? 401 : 200, session);
    const call = track(get(first, '/early')); // 401: logs in; and 401 again, so it waits for a moment
    await until(() => connector.requests.filter(({ path }) => path === '/early').length === 2);
    await grace();
    await get(second); // adopts session 2, and gets through
    connector.alive.delete('session-2');
    await get(second);
    expect(call.settled).toBe(false);
    await clock.advance(1000);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200, data: 'session-3' });
    expect(connector.logins).toHaveLength(3);
  });

  it('share one login per expiry, however the 401s fall', async () => {
    const { connector, first, second } = await pair();
    await Promise.all([get(first), get(second)]);
    for (let expiry = 1; expiry <= 3; expiry++) {
      connector.expireSessions();
      await Promise.all(many(50, (index) => get(index % 2 ? first : second)));
      expect(connector.logins).toHaveLength(1 + expiry);
    }
    connector.expireSessions();
    await get(first);
    await get(second); // finds out later, and adopts the session of the first
    expect(connector.logins).toHaveLength(5);
  });

  it('share a pause: during it nothing arrives from either', async () => {
    const { connector, clock, first, second } = await pair();
    await Promise.all([get(first), get(second)]);
    connector.handle = (exchange) => (exchange.number === 3 ? exchange.limit(3600) : exchange.reply(200, {}));
    const calls = [track(get(first))];
    await until(() => first.status.paused);
    calls.push(...many(5, () => track(get(second))));
    expect(second.status.paused).toBe(true);
    await clock.advance(3_599_999);
    await grace();
    expect(connector.requests).toHaveLength(3);
    await clock.advance(1000); // the pause is handed on as a date, which may round
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
  });

  it('a client that comes later joins the pause that is on', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3600) });
    const clock = virtualClock();
    const state = memoryState();
    const first = connect(connector, { state, clock });
    const controller = new AbortController();
    const call = track(first.request({ method: 'GET', path: '/', signal: controller.signal }));
    await until(() => first.status.paused);
    const late = track(get(connect(connector, { state, clock })));
    await clock.advance(1_800_000);
    await grace();
    expect(connector.requests).toHaveLength(1);
    expect(late.settled).toBe(false);
    controller.abort();
    await until(() => call.settled);
  });

  it('one that closes does not end the other one', async () => {
    const { connector, first, second } = await pair();
    await Promise.all([get(first), get(second)]);
    await first.close();
    connector.expireSessions();
    await expect(get(second)).resolves.toMatchObject({ status: 200 });
  });

  it('a refused login of one is refused for the other, too, and made once', async () => {
    const { connector, first, second } = await pair();
    const hold = holdAll();
    connector.initialize = hold.handler;
    const errors = [rejection(get(first)), rejection(get(second))];
    await until(() => hold.held.length > 0);
    await grace();
    expect(hold.held).toHaveLength(1);
    connector.initialize = (exchange) => exchange.fail(401, 'NO', 'Wrong password');
    hold.release((exchange) => exchange.fail(401, 'NO', 'Wrong password'));
    for (const error of await Promise.all(errors))
      expect(error).toMatchObject({ name: 'InitializeError', status: 401 });
    expect(connector.logins).toHaveLength(1);
  });

  it('a login refused a moment ago keeps the others from trying until the cool-down is over (S5)', async () => {
    const { connector, clock, first, second } = await pair();
    connector.initialize = (exchange) => exchange.fail(401, 'NO', 'Wrong password');
    const refused = await rejection(get(first));
    await clock.advance(20_000);
    const error = (await rejection(get(second))) as InitializeError;
    expect(error).toMatchObject({ name: 'InitializeError', status: 401, code: 'NO', refused: true });
    expect(error).toHaveProperty('retryAt', (refused as InitializeError).retryAt);
    expect(error.message.match(/no new login yet/g)).toHaveLength(1);
    expect(connector.logins).toHaveLength(1);
    connector.initialize = (exchange) => connector.logIn(exchange);
    await clock.advance(10_000);
    await get(second);
    await get(first);
    expect(connector.logins).toHaveLength(2);
  });

  it.each([-3_600_000, 3_600_000])('that cool-down lasts as long if the calendar jumps by %i ms', async (jumpMs) => {
    const { connector, clock, first, second } = await pair();
    connector.initialize = (exchange) => exchange.fail(401, 'NO', 'Wrong password');
    await rejection(get(first));
    clock.jumpCalendar(jumpMs);
    connector.initialize = (exchange) => connector.logIn(exchange);
    await clock.advance(29_000);
    expect(await rejection(get(second))).toMatchObject({ refused: true });
    expect(await rejection(get(first))).toMatchObject({ refused: true });
    expect(connector.logins).toHaveLength(1);
    await clock.advance(1000);
    await get(first);
    await get(second);
    expect(connector.logins).toHaveLength(2);
  });

  it('a call in its last fraction of a millisecond begins no other cool-down', async () => {
    const connector = await scriptedConnector();
    connector.initialize = (exchange) => exchange.fail(401, 'NO', 'Wrong password');
    const calendar = virtualClock();
    let fraction = 0.4;
    const clock = { ...calendar, now: calendar.now, monotonic: () => calendar.monotonic() + fraction };
    const state = memoryState();
    const first = connect(connector, { state, clock });
    const second = connect(connector, { state, clock });
    await rejection(get(first));
    fraction = 0;
    await calendar.advance(30_000);
    connector.initialize = (exchange) => connector.logIn(exchange);
    const error = await rejection(get(second));
    expect(error.retryAt.getTime() - clock.now()).toBe(1);
    await calendar.advance(1);
    await get(second);
    expect(connector.logins).toHaveLength(2);
  });

  it.each(['aborts', 'closes'])(
    'the one that runs the shared login %s: the other one gets its session',
    async (how) => {
      const { connector, clock, first, second } = await pair();
      connector.initialize = (exchange) => (exchange.number === 1 ? exchange.limit(60) : connector.logIn(exchange));
      const controller = new AbortController();
      const call = track(first.request({ method: 'GET', path: '/', signal: controller.signal }));
      await until(() => connector.logins.length === 1);
      const other = track(get(second));
      await until(() => first.status.paused);
      await grace();
      if (how === 'aborts') controller.abort();
      else first.close().catch(() => {});
      await until(() => call.settled);
      await clock.advance(61_000);
      await until(() => other.settled);
      expect(other.error).toBeUndefined();
      expect(other.value).toMatchObject({ status: 200 });
    },
  );

  it('take their listeners away from it when they close', async () => {
    const connector = await scriptedConnector();
    const shared = memoryState();
    const listeners = { onPause: 0, onError: 0 };
    const count = (name: keyof typeof listeners, stop: () => void = () => {}) => {
      listeners[name]++;
      return () => {
        listeners[name]--;
        stop();
      };
    };
    const told: ((error: Error) => void)[] = [];
    const state: ConnectionState = {
      ...shared,
      onPause: (listener) => count('onPause', shared.onPause(listener)),
      onError: (listener) => {
        told.push(listener);
        return count('onError');
      },
    };
    const clients = many(3, () => connect(connector, { state }));
    const errors: unknown[] = [];
    clients[0]?.on('error', ({ error }) => errors.push(error));
    await Promise.all(clients.map((client) => get(client)));
    expect(listeners).toEqual({ onPause: 3, onError: 3 });
    const outage = new Error('the state is out of reach');
    told[0]?.(outage);
    await until(() => errors.length > 0);
    expect(errors).toEqual([outage]); // control: what is taken away is what was heard by
    await clients[0]?.close();
    expect(listeners).toEqual({ onPause: 2, onError: 2 });
    await Promise.all(clients.map((client) => client.close()));
    expect(listeners).toEqual({ onPause: 0, onError: 0 });
  });

  it('a pause goes on when everybody who met it has closed, and ends for who comes then (G9)', async () => {
    const { connector, clock, first, call, join } = await paused();
    await first.close();
    await until(() => call.settled);
    expect(clock.pending).toBe(0); // nobody is there to be woken
    await clock.advance(20_000);
    const late = track(get(join()));
    await clock.advance(39_999);
    await grace();
    expect(connector.requests).toHaveLength(1);
    await clock.advance(1);
    await until(() => late.settled);
    expect(late.value).toMatchObject({ status: 200 });
  });

  it('hear of a limit that a client meets while it closes', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ handle: hold.handler });
    const clock = virtualClock();
    const told: Date[] = [];
    const state: ConnectionState = { ...memoryState(), pause: ({ resumeAt }) => void told.push(resumeAt) };
    const client = connect(connector, { state, clock });
    const call = track(get(client));
    await until(() => hold.held.length === 1);
    const closing = track(client.close());
    hold.release((exchange) => exchange.limit(60));
    await until(() => closing.settled && call.settled);
    expect(told).toEqual([new Date(clock.now() + 60_000)]);
  });

  it.each([
    [503, 503],
    [undefined, 403],
    [200, 403],
  ])('report a pause of another process that has the status %s as a %s (W7)', async (status, reported) => {
    const state = memoryState();
    state.pause({ scope: '', resumeAt: new Date(Date.now() + 60_000), status });
    const client = connect(await scriptedConnector(), { state, rateLimit: { onLimit: 'reject' } });
    expect(await rejection(get(client))).toMatchObject({ kind: 'rate-limit', status: reported });
  });

  it('leave no listener in memoryState when they close', async () => {
    const connector = await scriptedConnector();
    const clock = virtualClock();
    const state = memoryState();
    const client = connect(connector, { state, clock, rateLimit: { scope: ({ path }) => path } });
    await get(client, '/a');
    await client.close();
    await state.pause({ scope: '/b', resumeAt: new Date(clock.now() + 60_000) });
    expect(client.status.paused).toBe(false);
    const late = connect(connector, { state, clock, rateLimit: { scope: ({ path }) => path } });
    expect(late.status.paused).toBe(true); // control
  });

  it('are not paused by a pause that is over, whoever tells it', async () => {
    const { connector, clock } = await pair();
    const listeners: ((pause: { scope: string; resumeAt: Date }) => void)[] = [];
    const state: ConnectionState = {
      ...memoryState(),
      onPause: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    };
    const client = connect(connector, { clock, state });
    const tell = (inMs: number) => listeners[0]?.({ scope: '', resumeAt: new Date(clock.now() + inMs) });
    for (const inMs of [-60_000, -1, 0]) {
      tell(inMs);
      expect(client.status).toMatchObject({ paused: false, counters: { pauses: 0 } });
    }
    tell(1);
    expect(client.status).toMatchObject({ paused: true, counters: { pauses: 1 } }); // control
  });

  it('control: clients with a state of their own share nothing', async () => {
    const connector = await scriptedConnector();
    await Promise.all([get(connect(connector)), get(connect(connector))]);
    expect(connector.logins).toHaveLength(2);
  });
});
