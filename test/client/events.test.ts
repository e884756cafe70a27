import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import type { ClientEventName, ConnectorClient } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, connectVirtually, password } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';
import { virtualClock } from '../helpers/virtual-clock.js';

const names: ClientEventName[] = ['pause', 'resume', 'heartbeat', 'initialize', 'retry', 'error'];
const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const ok = (exchange: Exchange) => exchange.reply(200, {});
const hourMs = 3_600_000;

// biome-ignore lint/suspicious/noExplicitAny: events of all sorts in one list
type Seen = { name: ClientEventName; event: any }[];

function watch(client: ConnectorClient): Seen {
  const seen: Seen = [];
  for (const name of names) client.on(name, (event) => seen.push({ name, event }));
  return seen;
}

const named = (seen: Seen, name: ClientEventName) =>
  seen.filter((entry) => entry.name === name).map(({ event }) => event);

describe('pause, heartbeat and resume (G6)', () => {
  it('tell why, until when and for how long', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.number === 1 ? exchange.limit(3600) : ok(exchange));
    const { client, clock } = connectVirtually(connector);
    const seen = watch(client);
    const startedAt = clock.now();
    const call = track(get(client));
    await until(() => client.status.paused);
    expect(named(seen, 'pause')).toMatchObject([
      { reason: 'rate-limit', waitMs: hourMs, resumeAt: new Date(startedAt + hourMs), source: 'header' },
    ]);
    expect(named(seen, 'resume')).toHaveLength(0);
    await clock.advance(hourMs);
    await until(() => call.settled);
    expect(named(seen, 'resume')).toMatchObject([{ pausedMs: hourMs }]);
    const heartbeats = named(seen, 'heartbeat');
    expect(heartbeats.length).toBeGreaterThan(10);
    expect(heartbeats.every(({ resumeAt }) => resumeAt.getTime() === startedAt + hourMs)).toBe(true);
    expect(seen.map(({ name }) => name).indexOf('pause')).toBeLessThan(seen.map(({ name }) => name).indexOf('resume'));
    expect(named(seen, 'error')).toHaveLength(0);
  });

  it('come once per limit, however many requests met it', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    const seen = watch(client);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = many(30, () => track(get(client)));
    await until(() => hold.held.length === 30);
    hold.release((exchange) => exchange.limit(60));
    await until(() => client.status.counters.refused === 30);
    await grace();
    connector.handle = ok;
    await clock.advance(60_000);
    await until(() => calls.every(({ settled }) => settled));
    expect(named(seen, 'pause')).toHaveLength(1);
    expect(named(seen, 'resume')).toHaveLength(1);
  });

  it('the same if the responses come fractions of a millisecond apart, as on a real clock', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, { rateLimit: { format: 'milliseconds' } });
    const seen = watch(client);
    connector.handle = (exchange) =>
      exchange.number <= 20 ? clock.setTimer(exchange.number * 0.73, () => exchange.limit(100)) : ok(exchange);
    await clock.runUntil(Promise.all(many(20, () => get(client))));
    expect(client.status.counters.refused).toBe(20);
    expect(named(seen, 'pause')).toHaveLength(1);
    expect(named(seen, 'resume')).toHaveLength(1);
  });

  it('come again for the next limit', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.number < 4 ? exchange.limit(60) : ok(exchange));
    const { client, clock } = connectVirtually(connector);
    const seen = watch(client);
    const call = track(get(client));
    for (let round = 1; round <= 3; round++) {
      await until(() => named(seen, 'pause').length === round);
      await clock.advance(60_000);
    }
    await until(() => call.settled);
    expect(named(seen, 'pause')).toHaveLength(3);
    expect(named(seen, 'resume')).toMatchObject(many(3, () => ({ pausedMs: 60_000 })));
  });

  it('a short pause has no heartbeat', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.number === 1 ? exchange.limit(1) : ok(exchange));
    const { client, clock } = connectVirtually(connector);
    const seen = watch(client);
    const call = track(get(client));
    await until(() => client.status.paused);
    await clock.advance(1000);
    await until(() => call.settled);
    expect(named(seen, 'heartbeat')).toHaveLength(0);
  });

  it('a short pause has no heartbeat either where timers fire a little early', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.number === 1 ? exchange.limit(1) : ok(exchange));
    const clock = virtualClock();
    const setTimer: typeof clock.setTimer = (delayMs, listener) => clock.setTimer(Math.max(1, delayMs - 1), listener);
    const client = connect(connector, { clock: { ...clock, setTimer } });
    const seen = watch(client);
    const call = track(get(client));
    await until(() => client.status.paused);
    await clock.advance(999); // too early
    await clock.advance(1);
    await until(() => call.settled);
    expect(named(seen, 'resume')).toMatchObject([{ pausedMs: 1000 }]);
    expect(named(seen, 'heartbeat')).toHaveLength(0);
  });
});

describe('initialize, retry and error (G6)', () => {
  it('initialize comes once per login', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    const seen = watch(client);
    await Promise.all(many(20, () => get(client)));
    expect(named(seen, 'initialize')).toHaveLength(1);
    connector.expireSessions();
    await Promise.all(many(20, () => get(client)));
    expect(named(seen, 'initialize')).toHaveLength(2);
    expect(named(seen, 'error')).toHaveLength(0);
  });

  it('retry comes before every retry of a transient failure, and not for logins and limits', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => {
      if (exchange.number <= 2) return exchange.reply(500);
      return exchange.number === 3 ? exchange.limit(0) : ok(exchange);
    };
    const client = connect(connector);
    const seen = watch(client);
    await get(client, '/things');
    expect(named(seen, 'retry')).toMatchObject([
      { method: 'GET', path: '/things', attempt: 1 },
      { method: 'GET', path: '/things', attempt: 2 },
    ]);
    expect(named(seen, 'retry')[0].error).toMatchObject({ status: 500 });
    expect(named(seen, 'error')).toHaveLength(0);
  });

  it('error comes when a call failed for good, with its error', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(404) });
    const client = connect(connector);
    const seen = watch(client);
    const error = await rejection(get(client, '/missing'));
    expect(named(seen, 'error')).toMatchObject([{ method: 'GET', path: '/missing' }]);
    expect(named(seen, 'error')[0].error).toBe(error);
  });

  it('error without a listener throws nowhere', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(404) });
    await expect(get(connect(connector))).rejects.toMatchObject({ status: 404 });
  });
});

describe('listeners', () => {
  it('are taken away by the function that `on` returns, each for itself', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    const calls: string[] = [];
    const offFirst = client.on('initialize', () => calls.push('first'));
    client.on('initialize', () => calls.push('second'));
    await get(client);
    offFirst();
    offFirst();
    connector.expireSessions();
    await get(client);
    expect(calls).toEqual(['first', 'second', 'second']);
  });

  it('are taken away one by one where one function listens twice', async () => {
    const connector = await scriptedConnector({ handle: ({ reply }) => reply(400) });
    const client = connect(connector);
    const heard: unknown[] = [];
    const listener = (event: unknown) => heard.push(event);
    const first = client.on('error', listener);
    client.on('error', listener);
    first();
    first();
    await client.get('/items').catch(() => {});
    expect(heard).toHaveLength(1);
  });

  it('that throw harm neither the call nor other listeners', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.number === 1 ? exchange.limit(0) : ok(exchange));
    const client = connect(connector);
    let heard = 0;
    for (const name of names) {
      client.on(name, () => {
        throw new Error('a broken listener');
      });
      client.on(name, () => heard++);
    }
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
    expect(heard).toBeGreaterThan(0);
  });

  it.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('a broken listener');
      },
    ],
    [
      'reject',
      async () => {
        throw new Error('a broken listener');
      },
    ],
  ])('that %s cause one `error` event, which names the event', async (_how, broken) => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    const seen = watch(client);
    client.on('initialize', broken as () => void);
    client.on('error', broken as () => void); // nobody is told of this one
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
    await until(() => named(seen, 'error').length > 0);
    await grace(5);
    expect(named(seen, 'error')).toMatchObject([
      { method: 'on', path: 'initialize', error: { message: 'a broken listener' } },
    ]);
  });

  it('for an event that does not exist are refused', async () => {
    const connector = await scriptedConnector();
    expect(() => connect(connector).on('paused' as never, () => {})).toThrow(TypeError);
    expect(() => connect(connector).on('pause', 'x' as never)).toThrow(TypeError);
  });
});

describe('the same facts are on diagnostics_channel (G6)', () => {
  it('one channel an event, naming the connector', async () => {
    const connector = await scriptedConnector();
    const messages: Seen = [];
    for (const name of names) {
      const listener = (message: unknown) => messages.push({ name, event: message });
      subscribe(`concordat:client:${name}`, listener);
      onTestFinished(() => {
        unsubscribe(`concordat:client:${name}`, listener);
      });
    }
    const script = [500, 0, 404];
    connector.handle = (exchange) => {
      const status = script.shift();
      return status === 0 ? exchange.limit(0) : exchange.reply(status ?? 200, {});
    };
    const client = connect(connector);
    const seen = watch(client);
    await rejection(get(client));
    const mine = messages.filter(({ event }) => event.baseUrl === connector.url);
    expect(mine.map(({ name }) => name)).toEqual(seen.map(({ name }) => name));
    expect(new Set(mine.map(({ name }) => name))).toEqual(new Set(['initialize', 'retry', 'pause', 'resume', 'error']));
  });
});

describe('secrets are in no event (S7)', () => {
  it('whatever happens and whatever the connector echoes', async () => {
    const connector = await scriptedConnector({ guard: false });
    const session = (number: number) => `canary-session-${number}`;
    connector.initialize = (exchange) =>
      exchange.number === 2
        ? exchange.fail(503, 'BUSY', `not now, ${String(exchange.body)}`)
        : exchange.reply(200, { 'x-session': session(exchange.number) });
    const script = ['500', '401', 'limit', 'drop', '400'];
    connector.handle = (exchange) => {
      const echo = `headers were ${JSON.stringify(exchange.headers)}`;
      const step = script.shift();
      if (step === 'limit') exchange.fail(403, 'L', echo, { 'retry-after': '0' });
      else if (step === 'drop') exchange.drop();
      else exchange.fail(Number(step), 'E', echo);
    };
    const client = connect(connector);
    const seen = watch(client);
    const error = await rejection(get(client));
    expect(script).toHaveLength(0);
    const text = inspect([seen, error], { depth: 20, showHidden: true }) + JSON.stringify(seen);
    expect(new Set(seen.map(({ name }) => name))).toEqual(new Set(['initialize', 'retry', 'pause', 'resume', 'error']));
    expect(text).not.toContain('canary-session');
    expect(text).not.toContain(password);
    expect(text).toContain('headers were'); // control: it was echoed
  });

  it('nor in what the client shows of itself', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = (exchange) => exchange.reply(200, { 'x-session': 'canary-session' });
    const client = connect(connector);
    await get(client);
    const text = inspect(client, { depth: 10 }) + JSON.stringify(client) + JSON.stringify(client.status);
    expect(text).not.toContain('canary-session');
    expect(text).not.toContain(password);
  });
});

describe('status', () => {
  it('counts what happened', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    const script = [500, 401, 0, 200];
    connector.handle = (exchange) => {
      const status = script.shift();
      return status === 0 ? exchange.limit(0) : exchange.reply(status ?? 200, {});
    };
    await get(client);
    expect(client.status).toMatchObject({ paused: false, resumeAt: undefined, session: 'active' });
    expect(client.status.counters).toMatchObject({ calls: 1, refused: 1, logins: 2, pauses: 1, retries: 1 });
    expect(client.status.counters.sent).toBe(connector.requests.length + connector.logins.length);
  });

  it('adds up the time paused', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.number <= 2 ? exchange.limit(60) : ok(exchange));
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    for (let round = 1; round <= 2; round++) {
      await until(() => client.status.paused && connector.requests.length === round);
      await clock.advance(60_000);
    }
    await until(() => call.settled);
    expect(client.status.counters.pausedMs).toBe(120_000);
  });

  it('never takes paused time back, however late the timer is that ends the pause', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.number === 1 ? exchange.limit(60) : ok(exchange));
    let time = 0;
    const never = { cancel() {}, hold() {} };
    const client = connect(connector, { clock: { now: () => time, monotonic: () => time, setTimer: () => never } });
    const calls = [track(get(client))];
    await until(() => client.status.paused);
    time += 61_000;
    expect(client.status.counters.pausedMs).toBe(60_000);
    calls.push(track(get(client)));
    await until(() => calls.every(({ settled }) => settled));
    expect(client.status.counters.pausedMs).toBe(60_000);
  });

  it('counts whole milliseconds, of a clock that has finer ones', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => exchange.limit(60);
    const { client, clock } = connectVirtually(connector);
    get(client).catch(() => {});
    await until(() => client.status.paused);
    await clock.advance(1000.4);
    expect(client.status.counters.pausedMs).toBe(1000);
    client.close();
  });

  it('cannot be used to change the client', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    const before = client.status;
    try {
      Object.assign(before.counters, { calls: 99 });
    } catch {
      // frozen is fine, too
    }
    expect(client.status.counters.calls).toBe(0);
  });
});
