import { RateLimitError } from 'concordat';
import type { ClientEvents, ConnectorClient, ConnectorClientOptions } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const ok = (exchange: Exchange) => exchange.reply(200, {});
const unreadable = (exchange: Exchange) => exchange.limit('soon');

/** A client that is logged in and has so many requests on their way, each to be answered by the test. */
async function inFlight(count: number, options: Partial<ConnectorClientOptions> = {}) {
  const connector = await scriptedConnector();
  const { client, clock } = connectVirtually(connector, options);
  await get(client);
  const pauses: ClientEvents['pause'][] = [];
  client.on('pause', (pause) => pauses.push(pause));
  const hold = holdAll();
  connector.handle = hold.handler;
  const calls = Array.from({ length: count }, (_, index) => track(client.post(`/${index}`)));
  await until(() => hold.held.length === count);
  /** Answers the next one that is held, and waits until the client has taken notice. */
  const answer = async (limit: (exchange: Exchange) => void) => {
    const { refused } = client.status.counters;
    limit(hold.held.shift() as Exchange);
    await until(() => client.status.counters.refused === refused + 1);
    await grace(2);
  };
  return { connector, client, clock, pauses, hold, calls, answer };
}

describe('late refusals of one limit', () => {
  it('do not double the fallback wait: the next limit does (W6)', async () => {
    const { client, clock, pauses, hold, calls, answer } = await inFlight(4);
    const minuteLater = new Date(clock.now() + 60_000);
    for (let late = 0; late < 4; late++) {
      await answer((exchange) => exchange.reply(429));
      expect(client.status.resumeAt).toEqual(minuteLater);
    }
    expect(pauses).toMatchObject([{ waitMs: 60_000, source: 'fallback' }]);
    await clock.advance(60_000);
    await until(() => hold.held.length === 1); // one goes first
    await answer((exchange) => exchange.reply(429));
    expect(pauses.map(({ waitMs }) => waitMs)).toEqual([60_000, 120_000]);
    expect(calls.some(({ settled }) => settled)).toBe(false);
  });

  it('count once where the first said how long, and a late one does not (W6)', async () => {
    const { client, clock, pauses, hold, answer } = await inFlight(3);
    const start = clock.now();
    await answer((exchange) => exchange.limit(10));
    expect(client.status.resumeAt).toEqual(new Date(start + 10_000));
    await answer(unreadable);
    expect(client.status.resumeAt).toEqual(new Date(start + 60_000));
    await answer(unreadable);
    expect(client.status.resumeAt).toEqual(new Date(start + 60_000));
    await clock.advance(60_000);
    await until(() => hold.held.length === 1);
    await answer(unreadable);
    expect(pauses.map(({ waitMs }) => waitMs)).toEqual([10_000, 120_000]);
  });

  it('a late success does not make the next fallback wait a first one again', async () => {
    const { client, clock, pauses, hold, answer } = await inFlight(2);
    await answer(unreadable);
    hold.release(ok); // it had gone out before the limit was met, so it says nothing about it
    await until(() => client.status.counters.refused === 1 && hold.held.length === 0);
    await clock.advance(60_000);
    await until(() => hold.held.length === 1);
    await answer(unreadable);
    expect(pauses.map(({ waitMs }) => waitMs)).toEqual([60_000, 120_000]);
  });
});

describe('the one that goes first after a pause', () => {
  it('lets one follow, and no more, when its connection breaks: that says nothing about the limit (G3, W6)', async () => {
    const { clock, pauses, hold, calls, answer } = await inFlight(6);
    for (let late = 0; late < 6; late++) await answer(unreadable);
    await clock.advance(60_000);
    await until(() => hold.held.length === 1);
    hold.release((exchange) => exchange.drop());
    await until(() => calls.filter(({ settled }) => settled).length === 1);
    await until(() => hold.held.length > 0);
    await grace();
    expect(hold.held).toHaveLength(1);
    await answer(unreadable);
    expect(pauses.map(({ waitMs }) => waitMs)).toEqual([60_000, 120_000]);
  });
});

describe('a wait of zero (W5)', () => {
  it('is believed once; who says it again is asked less and less often, up to once a second', async () => {
    const { client, clock, hold, answer } = await inFlight(1);
    await answer((exchange) => exchange.limit(0));
    await clock.advance(0);
    await until(() => hold.held.length === 1);
    for (const floorMs of [10, 20, 40, 80, 160, 320, 640, 1000, 1000]) {
      const before = clock.monotonic();
      await answer((exchange) => exchange.limit(0));
      expect(client.status.paused).toBe(true);
      await clock.advance(floorMs - 1);
      await grace(2);
      expect(hold.held).toHaveLength(0);
      await clock.advance(1);
      await until(() => hold.held.length === 1);
      expect(clock.monotonic() - before).toBe(floorMs);
    }
  });
});

describe('a shorter limit that comes later (G2)', () => {
  it('changes nothing of what calls are told from then on', async () => {
    const { connector, client, clock, calls, answer } = await inFlight(2, { rateLimit: { onLimit: 'reject' } });
    const resumeAt = new Date(clock.now() + 3_600_000);
    await answer((exchange) => exchange.limit(3600));
    await clock.advance(1000);
    await answer((exchange) => exchange.limit(60));
    await until(() => calls.every(({ settled }) => settled));
    const told = { name: 'RateLimitError', resumeAt, retryAfterMs: 3_599_000 };
    expect(calls[1]?.error).toMatchObject(told);
    expect(await rejection(get(client))).toMatchObject(told);
    expect(client.status.resumeAt).toEqual(resumeAt);
    expect(client.snapshot().pauses).toEqual([{ scope: '', resumeAt: resumeAt.toISOString() }]);
    expect(connector.requests).toHaveLength(3);
  });

  it('does not let calls wait that would wait for too long (W7)', async () => {
    const { client, calls, answer } = await inFlight(2, { rateLimit: { maxWaitMs: 600_000 } });
    await answer((exchange) => exchange.limit(3600));
    await answer((exchange) => exchange.limit(60));
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error instanceof RateLimitError)).toBe(true);
    expect(await rejection(get(client))).toMatchObject({ name: 'RateLimitError', retryAfterMs: 3_600_000 });
  });

  it('control: a longer one is what they are told', async () => {
    const { client, clock, answer } = await inFlight(2, { rateLimit: { onLimit: 'reject' } });
    await answer((exchange) => exchange.limit(60));
    const resumeAt = new Date(clock.now() + 3_600_000);
    await answer((exchange) => exchange.limit(3600));
    expect(await rejection(get(client))).toMatchObject({ resumeAt, retryAfterMs: 3_600_000 });
    expect(client.snapshot().pauses).toEqual([{ scope: '', resumeAt: resumeAt.toISOString() }]);
  });
});
