import { type SimulateConnectorOptions, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';

type RateLimit = NonNullable<SimulateConnectorOptions['rateLimit']>;
const base = 'http://connector.test';

/** Asks without a client, and shows what the answer tells of the quota. */
function asker(rateLimit: RateLimit, options: Omit<SimulateConnectorOptions, 'rateLimit'> = {}) {
  const clock = virtualClock();
  const connector = simulateConnector({ rateLimit, session: false, clock, ...options });
  const ask = async (path = '/issues', init?: RequestInit) => {
    const { status, headers } = await connector.fetch(base + path, init);
    return [status, headers.get('ratelimit-policy'), headers.get('ratelimit')];
  };
  return { clock, connector, ask };
}

const policy = '"default";q=2;w=60';
const minute = { limit: 2, windowMs: 60_000 };

describe('the announced quota (W8)', () => {
  it('nothing is announced by default', async () => {
    for (const announce of [undefined, false] as const) {
      const { ask } = asker({ ...minute, ...(announce === undefined ? {} : { announce }) });
      expect(await ask()).toEqual([200, null, null]);
    }
  });

  it('`policy` announces the policy only', async () => {
    const { ask } = asker({ ...minute, announce: 'policy' });
    expect(await ask()).toEqual([200, policy, null]);
  });

  it('of a fixed window: what is left, and its end, rounded up to seconds', async () => {
    const { clock, ask } = asker({ ...minute, announce: 'both' });
    expect(await ask('/initialize', { method: 'POST', body: '[]' })).toEqual([200, policy, '"default";r=2']);
    expect(await ask()).toEqual([200, policy, '"default";r=1;t=60']);
    await clock.advance(10_001);
    expect(await ask()).toEqual([200, policy, '"default";r=0;t=50']);
    await clock.advance(49_998);
    expect(await ask()).toEqual([403, policy, '"default";r=0;t=1']);
    await clock.advance(1);
    expect(await ask()).toEqual([200, policy, '"default";r=1;t=60']);
  });

  it('of a sliding window: when the oldest request no longer counts', async () => {
    const { clock, ask } = asker({ ...minute, window: 'sliding', announce: 'both' });
    expect(await ask()).toEqual([200, policy, '"default";r=1;t=60']);
    await clock.advance(40_000);
    expect(await ask()).toEqual([200, policy, '"default";r=0;t=20']);
    expect(await ask()).toEqual([403, policy, '"default";r=0;t=20']);
    await clock.advance(20_000);
    expect(await ask()).toEqual([200, policy, '"default";r=0;t=40']);
  });

  it('a quota that was used up on command', async () => {
    const { clock, connector, ask } = asker({ ...minute, announce: 'both' });
    connector.useUpQuota();
    await clock.advance(30_000);
    expect(await ask()).toEqual([403, policy, '"default";r=0;t=30']);
  });

  it('one for each session', async () => {
    const connector = simulateConnector({ rateLimit: { ...minute, scope: 'session', announce: 'both' } });
    for (let user = 0; user < 2; user++) {
      const login = await connector.fetch(`${base}/initialize`, { method: 'POST', body: '[]' });
      expect(login.headers.get('ratelimit')).toBe('"default";r=2');
      const [{ key, value }] = (await login.json()) as [{ key: string; value: string }];
      const { headers } = await connector.fetch(base, { headers: { [key]: value } });
      expect(headers.get('ratelimit')).toMatch(/^"default";r=1;t=\d+$/);
    }
  });

  it('is on every response of the connector: refusals, errors and faults, and not on the page of a proxy', async () => {
    const { ask } = asker(
      { ...minute, announce: 'policy' },
      {
        session: {},
        routes: { 'GET /own': () => new Response('', { headers: { 'RateLimit-Policy': 'garbage' } }) },
        faults: [
          { kind: 'status', status: 503, on: '/broken' },
          { kind: 'limit', on: '/limited' },
          { kind: 'html', on: '/proxy' },
        ],
      },
    );
    expect(await ask('/issues')).toEqual([401, policy, null]);
    expect(await ask('/initialize', { method: 'POST', body: '7' })).toEqual([400, policy, null]);
    expect(await ask('/cleanup', { method: 'POST' })).toEqual([204, policy, null]);
    expect(await ask('/broken')).toEqual([503, policy, null]);
    expect(await ask('/limited')).toEqual([403, policy, null]);
    expect(await ask('/proxy')).toEqual([502, null, null]);
  });

  it('a response that tells something of its own is left as it is', async () => {
    const announcement = { 'RateLimit-Policy': 'garbage', ratelimit: '"x";r=0' };
    const { ask } = asker(
      { ...minute, announce: 'both' },
      { routes: { 'GET /own': () => new Response('', { headers: announcement }) } },
    );
    expect(await ask('/own')).toEqual([200, 'garbage', '"x";r=0']);
  });

  it('over a port, too', async () => {
    const connector = await simulateConnector({ rateLimit: { ...minute, announce: 'both' }, session: false }).listen();
    try {
      const { headers } = await fetch(`${connector.url}/issues`);
      expect(headers.get('ratelimit-policy')).toBe(policy);
      expect(headers.get('ratelimit')).toMatch(/^"default";r=1;t=\d+$/);
    } finally {
      await connector.close();
    }
  });

  it('windows of less than a second are announced as one second', async () => {
    const { ask } = asker({ limit: 5, windowMs: 250, announce: 'policy' });
    expect(await ask()).toEqual([200, '"default";q=5;w=1', null]);
  });

  it('a wrong option is a TypeError that names it', () => {
    const make = (rateLimit: object) => () => simulateConnector({ rateLimit: rateLimit as RateLimit });
    expect(make({ ...minute, announce: true })).toThrow(/`rateLimit.announce`/);
    expect(make({ limit: 1, windowMs: 86_400_001, announce: 'both' })).toThrow(/`rateLimit.announce`.*day/);
    expect(make({ limit: 1, windowMs: 86_400_001 })).not.toThrow(); // control
  });
});
