import type { ConnectorClient, ConnectorClientOptions } from 'concordat/client';
import { InitializeError } from 'concordat/client';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { holdAll, type ScriptedConnector, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const hourMs = 3_600_000;

describe('initialize.timeoutMs bounds a login as a whole (S6)', () => {
  const login = { initialize: { parameters: {}, timeoutMs: 5000 }, timeoutMs: 60_000 };

  it('does not start anew with each attempt', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const { client, clock } = connectVirtually(connector, login);
    const call = track(get(client));
    await until(() => hold.held.length === 1);
    await clock.advance(3000);
    hold.release((exchange) => exchange.fail(503, 'BUSY', 'Busy'));
    await until(() => clock.pending > 0 && connector.open.length === 0);
    await clock.advance(2); // the delay of these tests before a retry, at most
    await until(() => hold.held.length === 1);
    await clock.advance(1997);
    expect(call.settled).toBe(false);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(InitializeError);
    expect((call.error as Error).message).toContain('TIMEOUT');
    expect(connector.logins).toHaveLength(2);
  });

  it('counts the delays between attempts, and cuts the last one', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.fail(503, 'BUSY', 'Busy') });
    const { client, clock } = connectVirtually(connector, {
      ...login,
      retry: { minTimeoutMs: 2000, maxTimeoutMs: 30_000 },
    });
    clock.random = () => 0;
    const error = await clock.runUntil(rejection(get(client)));
    expect(error).toMatchObject({ name: 'InitializeError', status: 503, code: 'BUSY' });
    expect(clock.monotonic()).toBe(5000); // 2000, and 3000 of the next 4000
    expect(connector.logins).toHaveLength(2);
  });

  it('does not count pauses', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const { client, clock } = connectVirtually(connector, login);
    const call = track(get(client));
    for (let round = 0; round < 2; round++) {
      await until(() => hold.held.length === 1);
      await clock.advance(2000);
      hold.release((exchange) => exchange.limit(3600));
      await until(() => client.status.paused);
      await clock.advance(hourMs);
    }
    await until(() => hold.held.length === 1);
    await clock.advance(999); // 4999 in all
    hold.release(connector.logIn);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it('control: nor does it leave more than the rest after a pause', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const { client, clock } = connectVirtually(connector, login);
    const call = track(get(client));
    await until(() => hold.held.length === 1);
    await clock.advance(4000);
    hold.release((exchange) => exchange.limit(3600));
    await until(() => client.status.paused);
    await clock.advance(hourMs);
    await until(() => hold.held.length === 1);
    await clock.advance(999);
    expect(call.settled).toBe(false);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(InitializeError);
  });
});

describe('the minute of a login function (S6)', () => {
  it('ends one that calls the client itself, even before it waits for anything', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector, {
      initialize: async (): Promise<Record<string, string>> => client.get('/token'),
    });
    const error = await clock.runUntil(rejection(get(client)));
    expect(error.message).toContain('initialize did not finish within 60000 ms (it must send with the `request`');
    expect(clock.monotonic()).toBe(60_000);
  });

  it('runs once for requests that are made at the same time', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ guard: false, handle: hold.handler });
    const { client, clock } = connectVirtually(connector, {
      initialize: async ({ request }) => {
        await Promise.all(['/a', '/b', '/c'].map((path) => request({ method: 'POST', path })));
        await request({ method: 'POST', path: '/d' });
        return { 'x-session': 's' };
      },
    });
    const call = track(get(client));
    for (const [count, durationMs] of [
      [3, 25_000],
      [1, 34_000],
    ] as const) {
      await until(() => hold.held.length === count);
      await clock.advance(durationMs);
      for (const exchange of hold.held.splice(0)) exchange.reply(200, {});
    }
    await until(() => hold.held.length === 1 || call.settled);
    expect(call.error).toBeUndefined();
    hold.release((exchange) => exchange.reply(200, {}));
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it('does not run during pauses', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = ({ number, limit, reply }) => (number % 2 ? limit(3600) : reply(200, {}));
    let requests = 0;
    const { client, clock } = connectVirtually(connector, {
      initialize: async ({ request }) => {
        await new Promise<void>((resolve) => clock.setTimer(7000, resolve));
        for (const path of ['/first/initialize', '/second/initialize']) {
          await request({ method: 'POST', path });
          requests++;
        }
        return new Promise(() => {}); // and then it hangs
      },
    });
    const call = track(get(client));
    await until(() => clock.pending > 1);
    await clock.advance(7000);
    for (let round = 1; round <= 2; round++) {
      await until(() => client.status.paused);
      await clock.advance(hourMs);
      await until(() => requests === round);
    }
    await clock.advance(52_999);
    await grace();
    expect(call.settled).toBe(false);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(InitializeError);
    expect((call.error as Error).message).toContain('60000 ms');
  });
});

describe('a login that only queues for a socket when a limit is met (G1)', () => {
  const twoRequests: ConnectorClientOptions['initialize'] = async ({ request }) => {
    await Promise.all([
      request({ method: 'POST', path: '/a/initialize' }),
      request({ method: 'POST', path: '/b/initialize' }),
    ]);
    return { 'x-session': 'own' };
  };

  async function withOneSocket(connector: ScriptedConnector) {
    const dispatcher = new Pool(connector.url, { connections: 1 });
    onTestFinished(() => dispatcher.destroy());
    return connectVirtually(connector, { dispatcher, initialize: twoRequests });
  }

  it('is not sent before the pause is over', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = ({ number, limit, reply }) => (number === 1 ? limit(60) : reply(200, {}));
    const { client, clock } = await withOneSocket(connector);
    const call = track(get(client));
    await until(() => client.status.paused);
    await clock.advance(59_999);
    await grace();
    expect(connector.logins.map(({ path }) => path)).toEqual(['/a/initialize']);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.error).toBeUndefined();
    expect(connector.logins.map(({ path }) => path).sort()).toEqual([
      '/a/initialize',
      '/a/initialize',
      '/b/initialize',
    ]);
  });

  it('control: without a limit it follows on the same socket', async () => {
    const connector = await scriptedConnector({ guard: false, initialize: ({ reply }) => reply(200, {}) });
    const { client } = await withOneSocket(connector);
    await get(client);
    expect(connector.logins).toHaveLength(2);
    expect(connector.sockets.size).toBe(1);
  });
});
