import { type ClientEvents, type ConnectorClientOptions, createConnectorClient, memoryState } from 'concordat/client';
import { type SimulatedRateLimit, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seeded } from '../helpers/seeded.js';

const initialize = { parameters: { user: 'ada' } };
const minuteMs = 60_000;

type RateLimit = SimulatedRateLimit & { limit: number };

interface Setup {
  rateLimit: RateLimit;
  /** From the client to the connector and back. */
  latencyMs?: number | (() => number);
  client?: Partial<ConnectorClientOptions>;
}

/** A client and a connector with a quota, some way apart, on one virtual clock. */
function connectWithin({ rateLimit, latencyMs = 0, client: options }: Setup, clock = virtualClock()) {
  let connector = simulateConnector({ rateLimit, session: false, clock });
  const latency = typeof latencyMs === 'function' ? latencyMs : () => latencyMs;
  const travel = () => new Promise<void>((resolve) => void clock.setTimer(latency() / 2, resolve));
  const client = createConnectorClient({
    baseUrl: 'http://connector.test',
    initialize,
    clock,
    concurrency: 50,
    fetch: async (input, init) => {
      await travel();
      const response = await connector.fetch(input as string, init);
      await travel();
      return response;
    },
    ...options,
    rateLimit: { format: rateLimit.format === 'milliseconds' ? 'milliseconds' : 'seconds', ...options?.rateLimit },
  });
  onTestFinished(() => void client.close().catch(() => {}));
  /** Of each pause, in the order in which they ended. */
  const refused: number[] = [];
  let before = 0;
  client.on('resume', () => {
    refused.push(client.status.counters.refused - before);
    before = client.status.counters.refused;
  });
  return {
    clock,
    client,
    refused,
    /** From here on the connector has another quota. */
    change(other: RateLimit) {
      connector = simulateConnector({ rateLimit: other, session: false, clock });
    },
  };
}

/** Keeps so many calls going at once until all are done, as a synchronization does. */
async function sync(client: { get(path: string): Promise<unknown> }, total: number, atOnce = 50): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < total) await client.get(`/items/${next++}`);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Mostly about as long as asked for, sometimes six times as long. */
function noisy(latencyMs: number): () => number {
  const random = seeded(7);
  return () => latencyMs * (0.5 + random() + (random() < 0.02 ? 5 : 0));
}

const perMinute = (limit: number, more: Partial<RateLimit> = {}): RateLimit => ({ limit, windowMs: minuteMs, ...more });

describe('a window costs one refused request, and none of its quota is lost', () => {
  it.each<[string, Setup]>([
    ['a fixed window', { rateLimit: perMinute(100), latencyMs: 50 }],
    ['a fixed window that says milliseconds', { rateLimit: perMinute(100, { format: 'milliseconds' }), latencyMs: 50 }],
    ['a sliding window', { rateLimit: perMinute(100, { window: 'sliding' }), latencyMs: 50 }],
    ['no latency at all', { rateLimit: perMinute(100) }],
    ['a slow connector', { rateLimit: perMinute(100), latencyMs: 300 }],
    ['latency that varies', { rateLimit: perMinute(100), latencyMs: noisy(100) }],
    [
      'latency that varies, and a sliding window',
      { rateLimit: perMinute(100, { window: 'sliding' }), latencyMs: noisy(50) },
    ],
    ['a quota far below the concurrency', { rateLimit: perMinute(5), latencyMs: 50 }],
  ])('%s', async (_name, setup) => {
    const { clock, client, refused } = connectWithin(setup);
    const started = clock.monotonic();
    const { limit } = setup.rateLimit;
    await clock.runUntil(sync(client, 10 * limit));
    const [crowd, ...later] = refused;
    expect(crowd).toBeLessThanOrEqual(50); // the first limit comes as a surprise
    expect(later).toEqual(Array(8).fill(1));
    expect((clock.monotonic() - started) / (9 * minuteMs)).toBeLessThan(1.02);
    expect(client.status.quota).toMatchObject({ limit });
  });

  it('a quota that takes half the window to send', async () => {
    const rateLimit = { limit: 1000, windowMs: 4000, format: 'milliseconds' } as const;
    const { clock, client, refused } = connectWithin({ rateLimit, latencyMs: 100 });
    const started = clock.monotonic();
    await clock.runUntil(sync(client, 4000));
    expect(refused.slice(1)).toEqual([1, 1]);
    const sendingMs = (1000 / 50) * 100;
    expect(clock.monotonic() - started).toBeLessThan(3 * 1.04 * 4000 + sendingMs + 200); // a latency in each window
  });

  it('10,000 requests at 100 a minute, 50 at once: time ÷ ideal below 1.02, and 98 refused after the first crowd', async () => {
    const { clock, client, refused } = connectWithin({ rateLimit: perMinute(100), latencyMs: 50 });
    const started = clock.monotonic();
    await clock.runUntil(sync(client, 10_000));
    expect((clock.monotonic() - started) / (99 * minuteMs)).toBeLessThan(1.01);
    expect(refused).toEqual([50, ...Array(98).fill(1)]);
  });

  it("control: with pacing: 'off' every window costs a crowd", async () => {
    const { clock, client, refused } = connectWithin({
      rateLimit: perMinute(100),
      latencyMs: 50,
      client: { pacing: 'off' },
    });
    await clock.runUntil(sync(client, 1000));
    expect(Math.min(...refused)).toBeGreaterThan(10);
    expect(client.status.quota).toBeUndefined();
  });

  it('a latency of a fifth of the window: the release loses no window (G3)', async () => {
    const rateLimit = { limit: 100, windowMs: 1000, format: 'milliseconds' } as const;
    const elapsed = async (pacing: 'auto' | 'off') => {
      const { clock, client } = connectWithin({
        rateLimit,
        latencyMs: 200,
        client: { pacing, rateLimit: { jitterMs: 0 } },
      });
      await clock.runUntil(sync(client, 2000));
      return clock.monotonic();
    };
    // The wait begins when the answer is here, and ends when the next request is there: that is one latency in each window.
    expect((await elapsed('auto')) / (19 * 1200)).toBeLessThan(1.05);
    expect(await elapsed('off')).toBeGreaterThan(1.3 * (19 * 1200)); // control: doubling alone takes longer than a window
  });

  it('a sliding window that fills evenly costs one request a window, not one for every gap', async () => {
    const { clock, client } = connectWithin({ rateLimit: perMinute(100, { window: 'sliding' }), latencyMs: 50 });
    const random = seeded(3);
    let next = 0;
    const worker = async () => {
      while (next++ < 1000) {
        await new Promise<void>((resolve) => void clock.setTimer(random() * 40_000, resolve));
        await client.get('/items');
      }
    };
    await clock.runUntil(Promise.all(Array.from({ length: 50 }, worker)));
    expect(client.status.counters.refused).toBeLessThan(120); // some 1,100 without pacing
  });

  it('over real sockets, too', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({ rateLimit: perMinute(60), clock });
    const { url, close } = await connector.listen();
    onTestFinished(close);
    const client = createConnectorClient({ baseUrl: url, initialize, clock, concurrency: 30 });
    onTestFinished(() => void client.close().catch(() => {}));
    await clock.runUntil(sync(client, 360, 30));
    const { refused, pauses } = client.status.counters;
    expect(pauses).toBe(5);
    expect(refused).toBeLessThanOrEqual(30 + 4);
    expect(client.status.quota).toMatchObject({ limit: 60 });
    expect(connector.journal.filter(({ status }) => status === 200 || status === 403)).toHaveLength(1 + 360 + refused);
  });
});

describe('what was learned', () => {
  it('grows when the quota grew: within a few windows the new one is used whole', async () => {
    const { clock, client, change, refused: later } = connectWithin({ rateLimit: perMinute(100), latencyMs: 50 });
    await clock.runUntil(sync(client, 350));
    await clock.advance(minuteMs);
    change(perMinute(400));
    const changedAt = clock.monotonic();
    await clock.runUntil(sync(client, 2400));
    expect(client.status.quota).toMatchObject({ limit: 400 });
    expect((clock.monotonic() - changedAt) / (5 * minuteMs)).toBeLessThan(1.02);
    const [found, ...rest] = later.slice(3);
    expect(found).toBeLessThanOrEqual(8); // it went faster and faster beyond the old boundary
    expect(rest).toEqual(Array(4).fill(1));
  });

  it.each([400, 4000])('grows to %i in a time that does not depend on how much that is', async (limit) => {
    const { clock, client, change } = connectWithin({ rateLimit: perMinute(20), latencyMs: 500 });
    await clock.runUntil(sync(client, 70, 10));
    change(perMinute(limit));
    const changedAt = clock.monotonic();
    await clock.runUntil(sync(client, 1200, 10));
    // 10 at once and half a second each are 1,200 a minute: more cannot be had.
    expect(clock.monotonic() - changedAt).toBeLessThan(6 * minuteMs);
  });

  it('shrinks when the quota shrank: after one more crowd a window costs one request again', async () => {
    const { clock, client, refused, change } = connectWithin({ rateLimit: perMinute(100), latencyMs: 50 });
    await clock.runUntil(sync(client, 350));
    change(perMinute(30));
    const windows = refused.length;
    await clock.runUntil(sync(client, 300));
    const [crowd, ...later] = refused.slice(windows);
    expect(crowd).toBeGreaterThan(1);
    expect(later.slice(1).every((count) => count === 1)).toBe(true);
    expect(client.status.quota).toMatchObject({ limit: 30 });
  });

  it('is told by status and event, once, without anything secret', async () => {
    const { clock, client } = connectWithin({ rateLimit: perMinute(100), latencyMs: 50 });
    const told: ClientEvents['quota'][] = [];
    client.on('quota', (event) => told.push(event));
    expect(client.status.quota).toBeUndefined();
    await clock.runUntil(sync(client, 900));
    expect(told).toEqual([{ quota: { limit: 100, windowMs: expect.any(Number) } }]);
    expect(told[0]?.quota?.windowMs).toBeGreaterThanOrEqual(minuteMs);
    expect(told[0]?.quota?.windowMs).toBeLessThan(1.02 * minuteMs);
  });

  it('is forgotten when no limit was met for an hour', async () => {
    const { clock, client } = connectWithin({ rateLimit: perMinute(100), latencyMs: 50 });
    const told: ClientEvents['quota'][] = [];
    await clock.runUntil(sync(client, 350));
    client.on('quota', (event) => told.push(event));
    await clock.advance(59 * minuteMs);
    expect(client.status.quota).toMatchObject({ limit: 100 });
    await clock.advance(3 * minuteMs);
    await clock.runUntil(client.get('/items'));
    expect(client.status.quota).toBeUndefined();
    expect(told).toEqual([{ quota: undefined }]);
  });

  it('is not taken from a limit that says nothing of a quota: the second request of all is refused', async () => {
    const { clock, client, change } = connectWithin({ rateLimit: perMinute(1), latencyMs: 50 });
    await clock.runUntil(client.get('/items'));
    const call = client.get('/items');
    await clock.advance(100);
    expect(client.status.paused).toBe(true);
    expect(client.status.quota).toBeUndefined();
    change(perMinute(1000));
    await clock.runUntil(call);
  });

  it('is kept for each scope', async () => {
    const clock = virtualClock();
    const search = simulateConnector({ rateLimit: perMinute(10), session: false, clock });
    const items = simulateConnector({ rateLimit: perMinute(40), session: false, clock });
    const client = createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize,
      clock,
      rateLimit: { scope: ({ path }) => path.split('/')[1] ?? '' },
      fetch: (input, init) => (String(input).includes('/search') ? search : items).fetch(input as string, init),
    });
    onTestFinished(() => void client.close().catch(() => {}));
    const all = [...Array(25)].flatMap((_, index) => [client.get(`/search/${index}`), client.get(`/items/${index}`)]);
    await clock.runUntil(Promise.all([...all, ...[...Array(60)].map((_, index) => client.get(`/items/${index}`))]));
    expect(client.snapshot().quotas).toMatchObject([
      { scope: 'search', limit: 10 },
      { scope: 'items', limit: 40 },
    ]);
    expect(client.status.quota).toMatchObject({ limit: 10 }); // the tighter one
  });
});

describe('at the boundary', () => {
  it('one request that hangs holds the others for no longer than the window', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({ session: false, clock, faults: [{ kind: 'hang', on: '/hangs' }] });
    const client = createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize,
      clock,
      timeoutMs: 3_600_000,
      snapshot: { version: 1, pauses: [], quotas: [{ scope: '', limit: 1, windowMs: minuteMs }] },
      fetch: connector.fetch as typeof fetch,
    });
    onTestFinished(() => void client.close().catch(() => {}));
    await client.get('/items'); // the one that the quota has room for
    client.get('/hangs').catch(() => {});
    let settled = false;
    const next = client.get('/items').then(() => {
      settled = true;
    });
    await clock.advance(minuteMs - 100);
    expect(settled).toBe(false); // control: it does wait
    await clock.advance(200);
    await next;
  });

  it('a login is not held back', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({ rateLimit: perMinute(20), session: { maxRequests: 30 }, clock });
    const client = createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize,
      clock,
      fetch: connector.fetch as typeof fetch,
    });
    onTestFinished(() => void client.close().catch(() => {}));
    await clock.runUntil(sync(client, 200, 10));
    expect(client.status.counters.logins).toBeGreaterThanOrEqual(7);
    expect(client.status.quota).toMatchObject({ limit: 20 });
  });

  /** Refused requests of so many clients that share their state, 48 calls at once in all. */
  const waste = async (count: number) => {
    const clock = virtualClock();
    const connector = simulateConnector({ rateLimit: perMinute(100), clock });
    const state = memoryState();
    const atOnce = 48 / count;
    const all = Array.from({ length: count }, () =>
      createConnectorClient({
        baseUrl: 'http://connector.test',
        initialize,
        clock,
        state,
        concurrency: atOnce,
        fetch: async (input, init) => {
          await new Promise<void>((resolve) => void clock.setTimer(25, resolve));
          return connector.fetch(input as string, init);
        },
      }),
    );
    for (const client of all) onTestFinished(() => void client.close().catch(() => {}));
    const started = clock.monotonic();
    await clock.runUntil(Promise.all(all.map((client) => sync(client, 1200 / count, atOnce))));
    expect((clock.monotonic() - started) / (11 * minuteMs)).toBeLessThan(1.03);
    expect(all.map((client) => client.status.quota?.limit)).toEqual(all.map(() => 100));
    return connector.journal.filter((entry) => entry.refused === 'rate-limit').length;
  };

  it('2 and 8 clients that share their state waste what one does: they share one gate (G10)', async () => {
    const ofOne = await waste(1);
    for (const clients of [2, 8]) expect(await waste(clients), `${clients} clients`).toBeLessThanOrEqual(ofOne);
  });
});
