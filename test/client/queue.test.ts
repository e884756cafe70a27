import { getEventListeners } from 'node:events';
import type { ConnectorClient } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { Waiter, WaitQueue } from '../../src/client/rate-limit/wait-queue.js';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { seeded } from '../helpers/seeded.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path: string, priority?: number) =>
  client.request({ method: 'GET', path, ...(priority === undefined ? {} : { priority }) });

/** A client whose first request has been refused, with one connection: what waits goes out one by one, in its order. */
async function paused() {
  const connector = await scriptedConnector();
  const { client, clock } = connectVirtually(connector, { concurrency: 1 });
  connector.handle = (exchange: Exchange) => (exchange.number === 1 ? exchange.limit(60) : exchange.reply(200, {}));
  const calls = [track(get(client, '/refused'))];
  await until(() => client.status.paused);
  const order = () => connector.requests.slice(1).map(({ path }) => path);
  const release = async () => {
    await clock.advance(60_000);
    await until(() => calls.every(({ settled }) => settled));
  };
  return { client, calls, order, release };
}

describe('who waits', () => {
  it('goes first come, first served', async () => {
    const { client, calls, order, release } = await paused();
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
    for (const path of paths) calls.push(track(get(client, path)));
    await release();
    expect(order()).toEqual(['/refused', ...paths]);
  });

  it.each(['limit', 'failure'])('whoever comes back after a %s goes before those who came later', async (what) => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, { concurrency: 1 });
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = [track(get(client, '/first'))];
    await until(() => hold.held.length === 1);
    calls.push(...['/a', '/b', '/c'].map((path) => track(get(client, path))));
    await grace();
    expect(connector.requests).toHaveLength(1); // the others wait behind it
    connector.handle = (exchange: Exchange) => exchange.reply(200, {});
    if (what === 'limit') {
      hold.release((exchange) => exchange.limit(60));
      await until(() => client.status.paused);
    } else {
      connector.handle = hold.handler; // the next one in line is under way when it comes back
      hold.release((exchange) => exchange.fail(503, 'BUSY', 'Busy'));
      await until(() => hold.held.length === 1);
      await clock.advance(10);
      connector.handle = (exchange: Exchange) => exchange.reply(200, {});
      hold.release((exchange) => exchange.reply(200, {}));
    }
    await clock.advance(60_000);
    await until(() => calls.every(({ settled }) => settled));
    const order = connector.requests.slice(1).map(({ path }) => path);
    expect(order).toEqual(what === 'limit' ? ['/first', '/a', '/b', '/c'] : ['/a', '/first', '/b', '/c']);
  });

  it('and so does one that was sent at once, when others have come to the queue meanwhile', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, { concurrency: 2 });
    await get(client, '/login');
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = ['/a', '/b', '/c', '/d', '/e'].map((path) => track(get(client, path)));
    await until(() => hold.held.length === 2);
    connector.handle = (exchange: Exchange) => exchange.reply(200, {});
    hold.release((exchange) => exchange.limit(60));
    await until(() => client.status.paused);
    await clock.advance(60_000);
    await until(() => calls.every(({ settled }) => settled));
    // The two that were refused go first, in their order; those behind them go two by two.
    const order = connector.requests.slice(3).map(({ path }) => path);
    expect(order.slice(0, 2)).toEqual(['/a', '/b']);
    expect(order.slice(2).sort()).toEqual(['/c', '/d', '/e']);
  });

  it('goes before one that comes at the very moment in which there is room again', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    const quota = { 'ratelimit-policy': '"default";q=1;w=60' };
    connector.handle = (exchange: Exchange) => exchange.reply(200, {}, quota);
    await get(client, '/first');
    const calls: ReturnType<typeof track>[] = [];
    // Set before the client's own timer, which is due in the same millisecond: so it fires before that one.
    clock.setTimer(60_000, () => calls.push(track(get(client, '/late'))));
    calls.push(track(get(client, '/waiting')));
    await grace();
    expect(connector.requests).toHaveLength(1); // control: there is no room
    await clock.advance(60_000);
    await until(() => connector.requests.length === 2);
    expect(connector.requests[1]?.path).toBe('/waiting');
    await clock.advance(60_000);
    await until(() => calls.every(({ settled }) => settled));
    expect(connector.requests.map(({ path }) => path)).toEqual(['/first', '/waiting', '/late']);
  });

  it('goes by priority first, and within one priority by who came first', async () => {
    const { client, calls, order, release } = await paused();
    const waiting: [string, number?][] = [
      ['/a'],
      ['/low', -1],
      ['/high', 5],
      ['/b', 0],
      ['/higher', 5.5],
      ['/high2', 5],
    ];
    for (const [path, priority] of waiting) calls.push(track(get(client, path, priority)));
    await release();
    expect(order()).toEqual(['/higher', '/high', '/high2', '/refused', '/a', '/b', '/low']);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '1', null])('a priority of %s is a TypeError', async (priority) => {
    const client = connect(await scriptedConnector());
    const error = await rejection(get(client, '/', priority as number));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('`priority`');
  });
});

describe('the queue', () => {
  let arrivals = 0;
  class Caller extends Waiter {
    override order = arrivals++;
    constructor(
      readonly priority: number,
      readonly signal: AbortSignal | undefined,
    ) {
      super();
    }
    waitLimitError() {
      return undefined;
    }
  }
  const waiter = (priority: number, signal?: AbortSignal) => new Caller(priority, signal);
  const permit = { epoch: 0, isLogin: false, isBeyond: false, startedAt: 0 };

  it('serves ten thousand in their order, whoever leaves in the middle', async () => {
    const queue = new WaitQueue(() => {});
    const random = seeded(1);
    const controllers = Array.from({ length: 10 }, () => new AbortController());
    const served: { priority: number; arrived: number }[] = [];
    const gone: number[] = [];
    const all = Array.from({ length: 10_000 }, (_, arrived) => {
      const priority = Math.floor(random() * 5);
      return queue
        .wait(waiter(priority, controllers[arrived % 20]?.signal))
        .then(() => void served.push({ priority, arrived }))
        .catch(() => void gone.push(arrived));
    });
    controllers[3]?.abort();
    controllers[7]?.abort();
    expect(queue.size).toBe(9000);
    while (queue.size > 0) queue.next(permit);
    await Promise.all(all);
    expect(gone.every((arrived) => [3, 7].includes(arrived % 20))).toBe(true);
    expect(gone).toHaveLength(1000);
    const expected = [...served].sort((a, b) => b.priority - a.priority || a.arrived - b.arrived);
    expect(served).toEqual(expected);
    expect(controllers.every(({ signal }) => getEventListeners(signal, 'abort').length === 0)).toBe(true);
  });

  it('has one listener on a signal, however many share it (G4)', () => {
    const queue = new WaitQueue(() => {});
    const { signal } = new AbortController();
    for (let index = 0; index < 1000; index++) queue.wait(waiter(0, signal)).catch(() => {});
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (let index = 0; index < 999; index++) queue.next(permit);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    queue.next(permit);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('turns away who comes with a signal that has aborted meanwhile (G4)', async () => {
    let aborted = 0;
    const queue = new WaitQueue(() => aborted++);
    await expect(queue.wait(waiter(0, AbortSignal.abort('gone')))).rejects.toBe('gone');
    expect([queue.size, aborted]).toEqual([0, 1]);
  });
});
