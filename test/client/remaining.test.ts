import { type ClientEvents, type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { track, until } from '../helpers/until.js';

type RateLimitOptions = NonNullable<ConnectorClientOptions['rateLimit']>;

const remaining = {
  header: 'X-RateLimit-Remaining',
  resetHeader: 'X-RateLimit-Reset',
  resetFormat: 'epoch-seconds',
} as const;

/** A connector that says in each answer what is left of its quota, 40 ms away, with a client of 50 at once. */
function connectTold(limit: number, rateLimit: RateLimitOptions, windowMs = 60_000, more: Record<string, string> = {}) {
  const clock = virtualClock();
  const sent: number[] = [];
  let startedAt = Number.NEGATIVE_INFINITY;
  let used = 0;
  const client = createConnectorClient({
    baseUrl: 'http://connector.test',
    initialize: async () => ({ 'x-session': 's' }),
    clock,
    concurrency: 50,
    rateLimit: { jitterMs: 0, ...rateLimit },
    fetch: async () => {
      const travel = () => new Promise<void>((resolve) => void clock.setTimer(20, resolve));
      await travel();
      const now = clock.monotonic();
      if (now >= startedAt + windowMs) {
        startedAt = now;
        used = 0;
      }
      const isRefused = used >= limit;
      if (!isRefused) used++;
      sent.push(now);
      const resetsInMs = startedAt + windowMs - now;
      const headers: Record<string, string> = {
        'x-ratelimit-remaining': String(limit - used),
        'x-ratelimit-reset': String(Math.ceil((clock.now() + resetsInMs) / 1000)),
        ...more,
      };
      if (isRefused) headers['retry-after'] = String(Math.ceil(resetsInMs / 1000));
      await travel();
      return new Response('{}', { status: isRefused ? 403 : 200, headers });
    },
  });
  onTestFinished(() => void client.close().catch(() => {}));
  const sync = async (total: number) => {
    let next = 0;
    const worker = async () => {
      while (next++ < total) await client.get('/items');
    };
    await clock.runUntil(Promise.all(Array.from({ length: 50 }, worker)));
  };
  return { clock, client, sent, sync };
}

describe('responses that say how much of the quota is left', () => {
  it.each([100, 10, 1])(
    'close the gate before the first refusal, and nothing of the quota is lost: %i',
    async (limit) => {
      const { clock, client, sync } = connectTold(limit, { remaining });
      const started = clock.monotonic();
      await sync(8 * limit);
      expect(client.status.counters).toMatchObject({ refused: 0, pauses: limit === 1 ? 8 : 8 });
      expect((clock.monotonic() - started) / (7 * 60_000)).toBeLessThan(1.03); // the reset is in whole seconds
    },
  );

  it('are binding alone: a wrong announcement of somebody else beside them stays advice (W8)', async () => {
    const forgotten = { ratelimit: '"proxy";r=0;t=86400' };
    const { clock, client, sync } = connectTold(100, { remaining }, 60_000, forgotten);
    const started = clock.monotonic();
    await sync(800);
    expect(client.status.counters).toMatchObject({ refused: 0 });
    // Two requests wait a minute each to find out.
    expect(clock.monotonic() - started).toBeLessThan((7 * 1.03 + 2) * 60_000);
  });

  it('control: without the option the limit is met', async () => {
    const { client, sync } = connectTold(100, {});
    await sync(300);
    expect(client.status.counters.refused).toBeGreaterThan(10);
  });

  it('are a pause like any other: one event, with its source (G6)', async () => {
    const { clock, client, sync } = connectTold(10, { remaining });
    const pauses: ClientEvents['pause'][] = [];
    client.on('pause', (event) => pauses.push(event));
    await sync(10);
    expect(pauses).toEqual([
      { reason: 'rate-limit', source: 'header', waitMs: expect.any(Number), resumeAt: expect.any(Date) },
    ]);
    const { waitMs, resumeAt } = pauses[0] as ClientEvents['pause'];
    expect(waitMs).toBeGreaterThan(59_000);
    expect(waitMs).toBeLessThanOrEqual(61_000);
    expect(client.status).toMatchObject({ paused: true, resumeAt });
    await clock.advance(waitMs);
    expect(client.status.paused).toBe(false);
  });

  it('with onLimit: reject they reject the next call before it is sent', async () => {
    const { client, sent, sync } = connectTold(10, { remaining, onLimit: 'reject' });
    await sync(10);
    await expect(client.get('/items')).rejects.toMatchObject({ kind: 'rate-limit', resumeAt: client.status.resumeAt });
    expect(sent).toHaveLength(10);
  });

  it.each<[string, Record<string, string>]>([
    ['the reset is missing', { 'x-ratelimit-remaining': '0' }],
    ['the reset makes no sense', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }],
    ['the reset is over', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }],
    ['the number makes no sense', { 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '9999999999' }],
    ['something is left', { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '9999999999' }],
  ])('do not close it where %s', async (_name, headers) => {
    const connector = await scriptedConnector({ handle: (exchange: Exchange) => exchange.reply(200, {}, headers) });
    const { client } = connectVirtually(connector, { rateLimit: { remaining } });
    for (let call = 0; call < 3; call++) await client.get('/items');
    expect(client.status.paused).toBe(false);
  });

  it('do close it over real sockets, in seconds from now, and the response to a failed request counts', async () => {
    const headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' };
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(exchange.number === 1 ? 404 : 200, {}, exchange.number === 1 ? headers : {}),
    });
    const { client, clock } = connectVirtually(connector, {
      rateLimit: { remaining: { header: 'ratelimit-remaining', resetHeader: 'ratelimit-reset' } },
    });
    await client.get('/missing').catch(() => {});
    const call = track(client.get('/items'));
    await clock.advance(29_999);
    expect(connector.requests).toHaveLength(1);
    await clock.advance(1);
    await until(() => call.settled);
    expect(connector.requests).toHaveLength(2);
  });

  it('are believed again after a refusal that they did not foretell: others may use the same quota', async () => {
    const left = (count: number) => ({ 'ratelimit-remaining': String(count), 'ratelimit-reset': '30' });
    const connector = await scriptedConnector({
      handle(exchange) {
        if (exchange.number === 2) return exchange.limit(60);
        return exchange.reply(200, {}, left(exchange.number === 1 ? 5 : 0));
      },
    });
    const { client, clock } = connectVirtually(connector, {
      rateLimit: { remaining: { header: 'ratelimit-remaining', resetHeader: 'ratelimit-reset' } },
    });
    await client.get('/items');
    const refused = track(client.get('/items'));
    await until(() => client.status.paused);
    await clock.advance(60_000);
    await until(() => refused.settled);
    expect(client.status.paused).toBe(true); // nothing is left, says the answer
  });

  it.each([
    [{ header: 'x' }, 'rateLimit.remaining.resetHeader'],
    [{ header: 'a b', resetHeader: 'x' }, 'rateLimit.remaining.header'],
    [{ header: 'x', resetHeader: 'y', resetFormat: 'days' }, 'rateLimit.remaining.resetFormat'],
    ['x', 'rateLimit.remaining'],
  ])('%j is a TypeError that names %s', (option, name) => {
    const create = () =>
      createConnectorClient({
        baseUrl: 'http://connector.test',
        initialize: { parameters: {} },
        rateLimit: { remaining: option as never },
      });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(`\`${name}\``);
  });
});

it('a response from before the last limit that arrives after its pause closes nothing (W8)', async () => {
  const connector = await scriptedConnector();
  const { client, clock } = connectVirtually(connector, {
    timeoutMs: 600_000,
    rateLimit: { remaining: { header: 'x-left', resetHeader: 'x-reset', resetFormat: 'seconds' } },
  });
  const hold = holdAll();
  await client.get('/first');
  connector.handle = (exchange) => (exchange.path === '/early' ? hold.handler(exchange) : exchange.limit(60));
  const early = track(client.get('/early'));
  await until(() => hold.held.length === 1);
  const limited = track(client.get('/limited'));
  await until(() => client.status.paused);
  connector.handle = (exchange) => exchange.reply(200, {});
  await clock.advance(60_000);
  await until(() => limited.settled);
  hold.release((exchange) => exchange.reply(200, {}, { 'x-left': '0', 'x-reset': '3600' }));
  await until(() => early.settled);
  expect(client.status.paused).toBe(false);
  await client.get('/next');
  connector.handle = (exchange) => exchange.reply(200, {}, { 'x-left': '0', 'x-reset': '3600' });
  await client.get('/last');
  expect(client.status.paused).toBe(true); // control
});
