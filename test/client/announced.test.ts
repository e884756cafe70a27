import { type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { type SimulatedRateLimit, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { seeded } from '../helpers/seeded.js';
import { grace, track, until } from '../helpers/until.js';

interface Setting {
  rateLimit?: SimulatedRateLimit;
  /** Written on every response, over what the simulator writes. */
  headers?: Record<string, string>;
  /** Leaves the response of the login as it is. */
  quietLogin?: boolean;
  options?: Partial<ConnectorClientOptions>;
  /** Milliseconds on the way there, and on the way back. */
  latency?: (random: () => number) => number;
}

/** Up to 60 ms each way, and one in ten up to a second. */
const withTail = (random: () => number) => (random() < 0.1 ? 200 + 800 * random() : 60 * random());

/** A cold client of a simulated connector, on a clock of its own. */
function connect({ rateLimit, headers, quietLogin, options, latency = withTail }: Setting) {
  const clock = virtualClock();
  const random = seeded(7);
  const connector = simulateConnector({ clock, ...(rateLimit && { rateLimit }) });
  const travel = () => new Promise<void>((resolve) => void clock.setTimer(latency(random), resolve));
  const client = createConnectorClient({
    baseUrl: 'http://connector.test',
    initialize: { parameters: { user: 'ada' } },
    clock,
    timeoutMs: 600_000,
    fetch: async (input, init) => {
      await travel();
      const response = await connector.fetch(input as string, init);
      const isQuiet = quietLogin && String(input).endsWith('/initialize');
      for (const [name, value] of Object.entries(isQuiet ? {} : (headers ?? {}))) response.headers.set(name, value);
      await travel();
      return response;
    },
    ...options,
  });
  onTestFinished(() => void client.close().catch(() => {}));
  /** So many calls, 64 at once. @returns how long they took, in milliseconds. */
  const sync = async (total: number, atOnce = 64) => {
    const startedAt = clock.monotonic();
    let next = 0;
    const worker = async () => {
      while (next++ < total) await client.get('/items');
    };
    await clock.runUntil(Promise.all(Array.from({ length: atOnce }, worker)));
    return clock.monotonic() - startedAt;
  };
  return { client, connector, sync };
}

const refusals = ({ connector }: ReturnType<typeof connect>) =>
  connector.journal.filter((entry) => entry.refused === 'rate-limit').length;

describe('a quota that the connector announces (W8)', () => {
  it.each<[string, Partial<SimulatedRateLimit>]>([
    ['fixed windows, by its policy alone', { announce: 'policy', window: 'fixed' }],
    ['sliding windows, by its policy alone', { announce: 'policy', window: 'sliding' }],
    ['fixed windows, with what is left', { announce: 'both', window: 'fixed' }],
    ['sliding windows, with what is left', { announce: 'both', window: 'sliding' }],
  ])('lets a cold client with 64 callers meet no refusal in 100 windows: %s', async (_name, announced) => {
    const setting = { rateLimit: { limit: 20, windowMs: 5000, ...announced } };
    const told = connect(setting);
    const tookMs = await told.sync(20 * 100);
    expect(refusals(told)).toBe(0);
    expect(told.client.status).toMatchObject({ quota: { limit: 20, windowMs: 5000 }, counters: { pauses: 0 } });
    expect(tookMs / (100 * 5000)).toBeLessThan(1.3); // a place is kept until a window after the response
  });

  it('control: without the announcement the same client meets a crowd', async () => {
    const silent = connect({ rateLimit: { limit: 20, windowMs: 5000 } });
    await silent.sync(100);
    expect(refusals(silent)).toBeGreaterThan(20);
  });

  it.each([1, 2])('a quota of %i is kept, too', async (limit) => {
    const told = connect({ rateLimit: { limit, windowMs: 1000, announce: 'policy', window: 'sliding' } });
    await told.sync(100 * limit);
    expect(refusals(told)).toBe(0);
  });

  it('of several policies the tightest counts', async () => {
    const headers = { 'ratelimit-policy': '"day";q=1000000;w=86400, "burst";q=5;w=1, "minute";q=400;w=60' };
    const told = connect({ headers, rateLimit: { limit: 5, windowMs: 1000, window: 'sliding' } });
    await told.sync(200);
    expect(refusals(told)).toBe(0);
    expect(told.client.status.quota).toEqual({ limit: 5, windowMs: 1000 });
  });

  it('of several remainders the smallest counts', async () => {
    const headers = { ratelimit: '"minute";r=400;t=60, "burst";r=0;t=5, "day";r=9000;t=80000' };
    const told = connect({ headers, latency: () => 0 });
    expect(await told.sync(1, 1)).toBe(5000); // the login's response says it, too
  });

  it('what is left of a long window counts beside that of a short one', async () => {
    const clock = virtualClock();
    const travel = () => new Promise<void>((resolve) => void clock.setTimer(10, resolve));
    const [perSecond, nextDayAt] = [10, 60_000];
    let [leftToday, second, used, refused] = [12, -1, 0, 0];
    const client = createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize: async () => ({ 'x-session': 's' }),
      clock,
      fetch: async () => {
        await travel();
        const now = clock.monotonic();
        if (Math.floor(now / 1000) > second) [second, used] = [Math.floor(now / 1000), 0];
        if (now >= nextDayAt) leftToday = 9000;
        const isRefused = used >= perSecond || leftToday === 0;
        if (isRefused) refused++;
        else [used, leftToday] = [used + 1, leftToday - 1];
        const day = `"day";r=${leftToday};t=${Math.max(1, Math.ceil((nextDayAt - now) / 1000))}`;
        const headers: Record<string, string> = {
          'ratelimit-policy': `"second";q=${perSecond};w=1, "day";q=9000;w=86400`,
          ratelimit: `"second";r=${perSecond - used};t=1, ${day}`,
        };
        if (isRefused) headers['retry-after'] = leftToday === 0 ? '60' : '1';
        await travel();
        return new Response('{}', { status: isRefused ? 403 : 200, headers });
      },
    });
    onTestFinished(() => client.close());
    await clock.runUntil(client.get('/items'));
    await clock.runUntil(Promise.all(Array.from({ length: 99 }, () => client.get('/items'))));
    expect(refused).toBe(0);
    expect(clock.monotonic()).toBeLessThan(nextDayAt + 12_000);
  });

  it('wins over what was learned', async () => {
    const told = connect({ rateLimit: { limit: 20, windowMs: 5000, announce: 'policy' } });
    told.client.restore({ version: 1, pauses: [], quotas: [{ scope: '', limit: 500, windowMs: 1000 }] });
    await told.sync(200);
    expect(refusals(told)).toBe(0);
  });

  it('is a plug-in: with pacing off nobody reads it', async () => {
    const off = connect({ rateLimit: { limit: 20, windowMs: 5000, announce: 'both' }, options: { pacing: 'off' } });
    await off.sync(100);
    expect(refusals(off)).toBeGreaterThan(20);
    expect(off.client.status.quota).toBeUndefined();
  });

  it('never makes a limit of a denial: the wait header does (W2)', async () => {
    const headers = { 'ratelimit-policy': '"default";q=5;w=60', ratelimit: '"default";r=0;t=60' };
    const denied = connect({ headers, options: { retry: { retries: 0 } } });
    denied.connector.script([{ on: 'GET /items', reply: { kind: 'status', status: 403 } }]);
    await expect(denied.sync(1)).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('an announcement that is wrong costs what none would (W8)', () => {
  const rateLimit: SimulatedRateLimit = { limit: 20, windowMs: 5000 };
  let unannounced: Promise<{ refused: number; tookMs: number }> | undefined;
  /** What 400 calls cost where nothing is announced: the same for all tests. */
  const withoutAnnouncement = () => {
    unannounced ??= (async () => {
      const silent = connect({ rateLimit });
      const tookMs = await silent.sync(400);
      return { refused: refusals(silent), tookMs };
    })();
    return unannounced;
  };

  it.each<[string, Record<string, string>]>([
    ['more than there is', { 'ratelimit-policy': '"default";q=60;w=5' }],
    ['a window that is shorter', { 'ratelimit-policy': '"default";q=20;w=1' }],
    ['more is left than there is', { ratelimit: '"default";r=1000;t=60' }],
    ['nonsense', { 'ratelimit-policy': 'q=;;w', ratelimit: '"default";r=-1;t="soon"' }],
    ['what nobody could keep', { 'ratelimit-policy': '"default";q=0;w=0', ratelimit: '"x";r=0;t=999999999999' }],
  ])('%s', async (_name, headers) => {
    const silent = await withoutAnnouncement();
    const wrong = connect({ rateLimit, headers });
    const wrongMs = await wrong.sync(400);
    expect(refusals(wrong)).toBeLessThanOrEqual(silent.refused + 20);
    expect(wrongMs).toBeLessThan(silent.tookMs * 1.3);
  });

  it.each([
    '"default";q=5000;w=3600', // that of the product, beside a limit that it does not announce
    '"default";q=1000;w=60',
  ])('more than there is, for a long time, and not by the login: %s', async (policy) => {
    const silent = await withoutAnnouncement();
    const wrong = connect({ rateLimit, headers: { 'ratelimit-policy': policy }, quietLogin: true });
    await wrong.sync(400);
    expect(refusals(wrong)).toBeLessThanOrEqual(silent.refused + 2);
  });

  it.each<[string, Record<string, string>]>([
    ['one a day', { 'ratelimit-policy': '"default";q=1;w=86400' }],
    ['nothing, for a day', { ratelimit: '"default";r=0;t=86400' }],
  ])('far too little: %s, where there is no limit', async (_name, headers) => {
    const wrong = connect({ headers });
    expect(await wrong.sync(1000)).toBeLessThan(5 * 60_000);
    expect(wrong.client.status.quota).toBeUndefined();
  });

  it('is believed again once it is another one', async () => {
    const headers: Record<string, string> = { 'ratelimit-policy': '"default";q=60;w=5' };
    const mended = connect({ rateLimit: { ...rateLimit, limit: 5 }, headers });
    await mended.sync(200);
    expect(mended.client.status.quota).toMatchObject({ limit: 5 });
    headers['ratelimit-policy'] = '"default";q=4;w=5';
    await mended.sync(5);
    const before = refusals(mended);
    await mended.sync(100);
    expect(refusals(mended)).toBe(before);
    expect(mended.client.status.quota).toEqual({ limit: 4, windowMs: 5000 });
  });
});

it('an announcement is not refuted by the refusals of requests that went before it (W8)', async () => {
  const connector = await scriptedConnector();
  const hold = holdAll();
  const { client, clock } = connectVirtually(connector);
  connector.handle = (exchange) => exchange.reply(200, {}, { 'ratelimit-policy': '"default";q=10;w=60' });
  await client.get('/first');
  await clock.advance(61_000); // what was not counted, such as the login, is long gone
  connector.handle = hold.handler;
  const calls = Array.from({ length: 9 }, () => track(client.get('/items')));
  await until(() => hold.held.length === 9);
  await clock.advance(10);
  hold.held.shift()?.reply(200, {}, { 'ratelimit-policy': '"default";q=5;w=60' });
  await until(() => calls.some(({ settled }) => settled));
  hold.release((exchange) => exchange.limit(60));
  await until(() => client.status.paused && connector.open.length === 0);
  connector.handle = (exchange) => exchange.reply(200, {});
  while (!calls.every(({ settled }) => settled)) {
    await clock.advance(60_000);
    await grace();
  }
  expect(client.status.quota).toEqual({ limit: 5, windowMs: 60_000 });
});

it('a path whose quota is smaller holds nobody back for what other paths have used (W8)', async () => {
  const connector = await scriptedConnector();
  const { client, clock } = connectVirtually(connector);
  const limits: Record<string, number> = { items: 100, search: 10 };
  const used: Record<string, number> = { items: 0, search: 0 };
  connector.handle = (exchange) => {
    const name = exchange.path.slice(1);
    const limit = limits[name] ?? 0;
    const left = limit - ++used[name]!;
    const headers = { 'ratelimit-policy': `"${name}";q=${limit};w=60`, ratelimit: `"${name}";r=${left};t=60` };
    exchange.reply(200, {}, headers);
  };
  for (let call = 0; call < 40; call++) await client.get('/items');
  await client.get('/search');
  await Promise.all(Array.from({ length: 9 }, () => client.get('/search')));
  expect(clock.monotonic()).toBe(0);
  expect(client.status.quota).toEqual({ limit: 10, windowMs: 60_000 });
});
