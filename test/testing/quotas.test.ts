import { type SimulateConnectorOptions, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { simulateInProcess } from './helpers/connect.js';

const minuteMs = 60_000;

/** Asks without a client: the status and, of a refusal, the wait. */
function asker(rateLimit: SimulateConnectorOptions['rateLimit'] & object) {
  const clock = virtualClock();
  const connector = simulateConnector({ rateLimit, session: false, clock });
  const ask = async (path = '/issues', method = 'GET') => {
    const init = method === 'POST' ? { method, body: '[]' } : { method };
    const { status, headers } = await connector.fetch(`http://c.test${path}`, init);
    return [status, headers.get('retry-after'), headers.get('x-wait')].filter((item) => item !== null).join(' ');
  };
  return { clock, connector, ask };
}

describe('several quotas', () => {
  it('two tiers: the longest wait counts, and a refused request counts for none', async () => {
    const { clock, ask } = asker([
      { limit: 2, windowMs: 1000 },
      { limit: 3, windowMs: minuteMs, header: 'x-wait' },
    ]);
    expect([await ask(), await ask(), await ask()]).toEqual(['200', '200', '403 1']);
    await clock.advance(1000);
    expect([await ask(), await ask()]).toEqual(['200', '403 59']);
    await clock.advance(59_000);
    expect([await ask(), await ask(), await ask()]).toEqual(['200', '200', '403 1']);
  });

  it('of a route, of a method, of logins', async () => {
    const { ask } = asker([
      { on: '/search', limit: 1, windowMs: minuteMs },
      { on: 'POST', limit: 1, windowMs: 2 * minuteMs },
      { on: 'login', limit: 1, windowMs: 3 * minuteMs },
    ]);
    expect([await ask('/search'), await ask('/search'), await ask('/issues')]).toEqual(['200', '403 60', '200']);
    expect([await ask('/issues', 'POST'), await ask('/issues', 'POST')]).toEqual(['200', '403 120']);
    expect([await ask('/initialize', 'POST'), await ask('/initialize', 'POST')]).toEqual(['200', '403 180']);
  });

  it('the client waits out both tiers, and loses nothing (G1)', async () => {
    const rateLimit = [
      { limit: 5, windowMs: 1000 },
      { limit: 20, windowMs: minuteMs },
    ];
    const { clock, connector, client } = simulateInProcess({ rateLimit });
    const reads = Promise.all(Array.from({ length: 60 }, (_, id) => client.get(`/issues/${id}`)));
    expect(await clock.runUntil(reads)).toHaveLength(60);
    expect(connector.journal.filter(({ kind, status }) => kind === 'request' && status === 200)).toHaveLength(60);
    expect(clock.monotonic()).toBeGreaterThan(2 * minuteMs);
  });

  it('each is announced where it applies (W8)', async () => {
    const connector = simulateConnector({
      session: false,
      clock: virtualClock(),
      rateLimit: [
        { limit: 9, windowMs: minuteMs, announce: 'policy' },
        { on: '/search', limit: 3, windowMs: 1000, announce: 'both' },
      ],
    });
    const announced = async (path: string) => {
      const { headers } = await connector.fetch(`http://c.test${path}`);
      return [headers.get('ratelimit-policy'), headers.get('ratelimit')];
    };
    expect(await announced('/issues')).toEqual(['"default";q=9;w=60', null]);
    expect(await announced('/search')).toEqual(['"default";q=9;w=60, "quota-2";q=3;w=1', '"quota-2";r=2;t=1']);
  });
});

describe('a quota that changes', () => {
  it.each(['fixed', 'sliding'] as const)('falls and rises (%s)', async (window) => {
    const limit = (elapsedMs: number) => (elapsedMs >= 1000 && elapsedMs < minuteMs ? 1 : 3);
    const { clock, ask } = asker({ limit, windowMs: minuteMs, window });
    expect([await ask(), await ask()]).toEqual(['200', '200']);
    await clock.advance(1000);
    expect(await ask()).toBe('403 59');
    await clock.advance(59_000);
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual(['200', '200', '200', '403 60']);
  });
});

describe('reset()', () => {
  it('begins anew: journal, sessions, quota, faults, steps and resources', async () => {
    const { clock, connector, client } = simulateInProcess({
      rateLimit: { limit: 2, windowMs: minuteMs },
      resources: { notes: [{ id: 1, text: 'first' }] },
      faults: [{ kind: 'reset', at: 1 }],
    });
    const round = async () => {
      await clock.runUntil(client.put('/notes/1', { json: { text: 'second' } }));
      await clock.runUntil(client.put('/notes/2', { json: { text: 'second' } }));
      return connector.journal.map(({ number, kind, status, fault }) => `${number} ${kind} ${status} ${fault}`);
    };
    const first = await round();
    expect(first).toContain('2 request undefined reset');
    connector.script([{ on: 'GET /never' }]);
    connector.reset();
    expect(connector.journal).toEqual([]);
    expect(connector.resource('notes').all()).toMatchObject([{ id: 1, text: 'first' }]);
    // The client still has the old session, which the connector no longer knows.
    const second = await round();
    expect(second).toEqual([
      '1 request undefined reset',
      '2 request 401 undefined',
      '3 login 200 undefined',
      '4 request 200 undefined',
      '5 request 201 undefined',
    ]);
    connector.assertAllConsumed();
  });
});
