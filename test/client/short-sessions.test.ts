import {
  type ConnectorClient,
  type ConnectorClientOptions,
  createConnectorClient,
  memoryState,
} from 'concordat/client';
import { type SimulateConnectorOptions, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';

interface Plan {
  calls: number;
  clients?: number;
  connector: SimulateConnectorOptions;
  options?: Partial<ConnectorClientOptions>;
  path?: (index: number) => string;
}

/** Sends all calls at once, and counts what became of them. */
async function synchronise({ calls, clients: count = 1, connector: options, options: more, path = String }: Plan) {
  const clock = virtualClock();
  const connector = simulateConnector({ clock, latency: 10, ...options });
  const state = memoryState();
  const clients = Array.from({ length: count }, () =>
    createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize: { parameters: { user: 'alice' } },
      fetch: connector.fetch,
      clock,
      state,
      ...more,
    }),
  );
  const send = (_: unknown, index: number) => (clients[index % count] as ConnectorClient).get(`/${path(index)}`);
  const outcomes = await clock.runUntil(Promise.allSettled(Array.from({ length: calls }, send)));
  const failed = outcomes.filter(({ status }) => status === 'rejected');
  return { failed, logins: connector.journal.filter(({ kind }) => kind === 'login').length };
}

describe('sessions that end after so many requests lose no call, and each serves as many as it can (S4)', () => {
  it.each<[string, number, number, Partial<Plan>]>([
    ['of one request', 1, 80, {}],
    ['of three', 3, 200, {}],
    ['of fifteen', 15, 300, {}],
    ['of forty', 40, 1000, {}],
    ['of fifty, for four clients of one state', 50, 1500, { clients: 4 }],
    ['of five, for three clients of one state', 5, 200, { clients: 3 }],
    ['of ten, with few calls at once', 10, 100, { options: { concurrency: 12 } }],
  ])('%s', async (_name, maxRequests, calls, plan) => {
    const { failed, logins } = await synchronise({ calls, connector: { session: { maxRequests } }, ...plan });
    expect(failed).toEqual([]);
    expect(logins).toBe(Math.ceil(calls / maxRequests));
  });

  it('of ten, for calls of three scopes', async () => {
    const scope = ({ path }: { path: string }) => path.split('/')[1] as string;
    const path = (index: number) => `${index % 3}/${index}`;
    const plan = { calls: 200, path, options: { rateLimit: { scope } } };
    const { failed, logins } = await synchronise({ ...plan, connector: { session: { maxRequests: 10 } } });
    expect(failed).toEqual([]);
    expect(logins).toBe(20);
  });

  it.each([3, 20])('of %i, whose responses take longer than a recheck waits at least', async (maxRequests) => {
    const { failed } = await synchronise({ calls: 60, connector: { session: { maxRequests }, latency: 1500 } });
    expect(failed).toEqual([]);
  });

  it('of one second, with a rate limit and two clients', async () => {
    const connector = { session: { ttlMs: 1000 }, rateLimit: { limit: 50, windowMs: 1000 } };
    const { failed } = await synchronise({ calls: 600, clients: 2, connector });
    expect(failed).toEqual([]);
  });

  it('of five, while a scope is paused: the calls of another one go on', async () => {
    const clock = virtualClock();
    const session = { maxRequests: 5 };
    const rateLimit = { on: 'GET /a/:id', limit: 30, windowMs: 120_000 };
    const connector = simulateConnector({ clock, latency: 10, session, rateLimit });
    const client = createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize: { parameters: { user: 'alice' } },
      fetch: connector.fetch,
      clock,
      rateLimit: { scope: ({ path }) => path.split('/')[1] as string },
    });
    const limited = Array.from({ length: 60 }, (_, index) => client.get(`/a/${index}`));
    let longestMs = 0;
    const timed = async (index: number) => {
      await new Promise<void>((resolve) => clock.setTimer(250 * index, resolve));
      const since = clock.monotonic();
      await client.get(`/b/${index}`);
      longestMs = Math.max(longestMs, clock.monotonic() - since);
    };
    await clock.runUntil(Promise.all([...limited, ...Array.from({ length: 40 }, (_, index) => timed(index))]));
    expect(longestMs).toBeLessThan(8000);
    expect(clock.monotonic()).toBeGreaterThan(100_000);
  });

  it('over real sockets', async () => {
    const served = new Map<string | undefined, number>();
    const connector = await scriptedConnector({
      guard: false,
      handle: ({ session, reply }) => {
        const before = served.get(session) ?? 0;
        served.set(session, before + 1);
        reply(before < 20 ? 200 : 401, {});
      },
    });
    const client = connect(connector);
    await Promise.all(Array.from({ length: 200 }, (_, index) => client.get(`/items/${index}`)));
    expect(connector.logins).toHaveLength(10);
  });
});
