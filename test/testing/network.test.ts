import { simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { simulateInProcess, simulateOnPort } from './helpers/connect.js';

const noRetry = { retry: { retries: 0 } };
const codeOf = (promise: Promise<unknown>) => promise.catch((error) => error.code);

describe.each([
  ['over a socket', simulateOnPort],
  ['over fetch', simulateInProcess],
])('%s', (_name, simulate) => {
  it.each(['closed', 'cut-head', 'refused'] as const)('%s is a network error; the next GET is served', async (kind) => {
    const { clock, client } = await simulate({ faults: [{ kind, at: 1 }] }, noRetry);
    expect(await clock.runUntil(codeOf(client.get('/issues')))).toBe('NETWORK_ERROR');
    expect(await clock.runUntil(client.get('/issues'))).toMatchObject({ path: '/issues' });
  });

  it('a connection that was idle too long costs a GET nothing, and a POST is not sent twice (G7)', async () => {
    for (const processed of [false, true]) {
      const faults = [{ kind: 'closed', processed, at: 2 }] as const;
      const { clock, connector, client } = await simulate({ resources: { notes: [] }, faults });
      await client.get('/notes');
      expect(await clock.runUntil(codeOf(client.post('/notes', { json: { text: 'once' } })))).toBe('NETWORK_ERROR');
      expect(connector.resource('notes').all()).toHaveLength(processed ? 1 : 0);
    }
  });

  it('a head that is cut comes after the request has had its effect', async () => {
    const { clock, connector, client } = await simulate({ resources: { notes: [] }, faults: [{ kind: 'cut-head' }] });
    expect(await clock.runUntil(codeOf(client.post('/notes', { json: {} })))).toBe('NETWORK_ERROR');
    expect(connector.resource('notes').all()).toHaveLength(1);
  });

  it('a compressed body is read like any other', async () => {
    const { client } = await simulate({ faults: [{ kind: 'gzip' }] });
    const { data, headers } = await client.request({ method: 'GET', path: '/issues' });
    expect(data).toEqual({ method: 'GET', path: '/issues' });
    expect(headers.get('content-encoding')).toBe('gzip');
  });

  it.each([
    [{ kind: 'status', status: 503, delayMs: 700 }, 'CONNECTOR_ERROR'],
    [{ kind: 'limit', status: 429, waitMs: 999_000, delayMs: 700 }, 'RATE_LIMITED'],
    [{ kind: 'reset', delayMs: 700 }, 'NETWORK_ERROR'],
    [{ kind: 'closed', delayMs: () => 700 }, 'NETWORK_ERROR'],
    [{ kind: 'truncated', delayMs: 700 }, 'NETWORK_ERROR'],
  ] as const)('%j comes that much later', async (fault, code) => {
    const overrides = { ...noRetry, rateLimit: { maxWaitMs: 1000 } };
    const { clock, client } = await simulate({ faults: [fault] }, overrides);
    const call = codeOf(client.get('/issues'));
    expect(await clock.runUntil(call)).toBe(code);
    expect(clock.monotonic()).toBe(700);
  });

  it('a 401 that comes late ends the session all the same (S4)', async () => {
    const { clock, connector, client } = await simulate({ faults: [{ kind: 'expired', at: 1, delayMs: 700 }] });
    await clock.runUntil(client.get('/issues'));
    expect(connector.journal.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'login 200',
      'request 401',
      'login 200',
      'request 200',
    ]);
    expect(clock.monotonic()).toBe(700);
  });

  it('latency delays every response, logins included', async () => {
    const { clock, client } = await simulate({ latency: 40 });
    await clock.runUntil(client.get('/issues'));
    expect(clock.monotonic()).toBe(80);
  });
});

describe.each<[string, (init?: RequestInit) => Promise<Response>]>([
  ['over a socket', async (init) => fetch(`${(await simulateOnPort({ session: false })).url}/issues`, init)],
  ['over fetch', (init) => simulateInProcess({ session: false }).connector.fetch('http://c.test/issues', init)],
])('%s a bare fetch', (_name, ask) => {
  it('gets no body for a HEAD', async () => {
    const response = await ask({ method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('json')]);
    expect([response.body, await response.text()]).toEqual([null, '']);
  });
});

it('an abort ends a request whose route is running, at once (fetch)', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  let told: unknown;
  const connector = simulateConnector({
    session: false,
    routes: {
      '/issues': ({ signal }) => {
        signal.addEventListener('abort', () => {
          told = signal.reason;
        });
        queueMicrotask(() => controller.abort(reason));
        return new Promise(() => {});
      },
    },
  });
  await expect(connector.fetch('http://c.test/issues', { signal: controller.signal })).rejects.toBe(reason);
  expect(told).toBe(reason);
});

describe('random latency', () => {
  const timesOf = async (seed?: number) => {
    const clock = virtualClock();
    const latency = (random: () => number) => Math.floor(1000 * random());
    const connector = simulateConnector({ clock, session: false, latency, ...(seed === undefined ? {} : { seed }) });
    const take = async () => {
      const times: number[] = [];
      for (let call = 0; call < 50; call++) {
        const before = clock.monotonic();
        await clock.runUntil(connector.fetch('http://c.test/'));
        times.push(clock.monotonic() - before);
      }
      return times;
    };
    return { take, connector };
  };

  it('is the same for the same seed, and after a reset; another seed has other numbers', async () => {
    const { take, connector } = await timesOf();
    const first = await take();
    const second = await take();
    connector.reset();
    expect(await take()).toEqual(first);
    expect(await (await timesOf(1)).take()).toEqual(first);
    expect(await (await timesOf(2)).take()).not.toEqual(first);
    expect(second).not.toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(40);
    expect(Math.min(...first)).toBeLessThan(200);
    expect(Math.max(...first)).toBeGreaterThan(800);
  });
});
