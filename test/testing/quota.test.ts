import { parseWait, type WaitFormat, waitFormats } from 'concordat';
import { type SimulateConnectorOptions, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { simulateInProcess, simulateOnPort } from './helpers/connect.js';

const minuteMs = 60_000;

/** Asks without a client, so that every single answer can be looked at. */
function asker(rateLimit: NonNullable<SimulateConnectorOptions['rateLimit']>) {
  const clock = virtualClock();
  const connector = simulateConnector({ rateLimit, session: false, clock });
  return { clock, connector, ask: () => connector.fetch('http://connector.test/issues') };
}

describe('the quota', () => {
  it('allows `limit` requests a window, then answers 403 with the wait header and a contract body (W2, E1)', async () => {
    const { clock, ask } = asker({ limit: 2, windowMs: minuteMs });
    expect((await ask()).status).toBe(200);
    await clock.advance(10_000);
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect(refused.status).toBe(403);
    expect(refused.headers.get('retry-after')).toBe('50');
    expect(await refused.json()).toEqual({ errors: { code: 'RATE_LIMITED', message: expect.any(String) } });
  });

  it('a fixed window starts with its first request, and ends as a whole', async () => {
    const { clock, ask } = asker({ limit: 2, windowMs: minuteMs });
    await clock.advance(15_000);
    await ask();
    await clock.advance(59_000);
    await ask();
    await clock.advance(999);
    expect((await ask()).status).toBe(403);
    await clock.advance(1);
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 200, 403]);
  });

  it('a sliding window looks back from each request', async () => {
    const { clock, ask } = asker({ limit: 2, windowMs: minuteMs, window: 'sliding' });
    await ask();
    await clock.advance(59_000);
    await ask();
    const refused = await ask();
    expect(refused.headers.get('retry-after')).toBe('1');
    await clock.advance(1000);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 403]);
  });

  it('is one for all, or one for each session', async () => {
    const statuses = async (scope: 'global' | 'session') => {
      const connector = simulateConnector({ rateLimit: { limit: 1, windowMs: minuteMs, scope } });
      const seen: number[] = [];
      for (let user = 0; user < 2; user++) {
        const login = await connector.fetch('http://c.test/initialize', { method: 'POST', body: '[]' });
        const [{ key, value }] = (await login.json()) as [{ key: string; value: string }];
        for (let call = 0; call < 2; call++) {
          seen.push((await connector.fetch('http://c.test/', { headers: { [key]: value } })).status);
        }
      }
      return seen;
    };
    expect(await statuses('global')).toEqual([200, 403, 403, 403]);
    expect(await statuses('session')).toEqual([200, 403, 200, 403]);
  });

  it('can be used up on command', async () => {
    const { clock, connector, ask } = asker({ limit: 5, windowMs: minuteMs });
    expect((await ask()).status).toBe(200);
    connector.useUpQuota();
    expect((await ask()).headers.get('retry-after')).toBe('60');
    await clock.advance(minuteMs);
    expect((await ask()).status).toBe(200);
    expect(() => simulateConnector().useUpQuota()).toThrow(/`rateLimit`/);
  });

  it('the real client waits exactly as long as it has to, and loses nothing (G1)', async () => {
    for (const simulate of [simulateInProcess, simulateOnPort]) {
      const { clock, connector, client } = await simulate({ rateLimit: { limit: 3, windowMs: minuteMs } });
      const calls = Promise.all(Array.from({ length: 9 }, (_, index) => client.get(`/issues/${index}`)));
      await clock.runUntil(calls);
      expect(clock.monotonic()).toBe(2 * minuteMs);
      const served = connector.journal.filter(({ kind, status }) => kind === 'request' && status === 200);
      expect(new Set(served.map(({ path }) => path)).size).toBe(9);
    }
  });
});

describe('every format of the wait header (W4)', () => {
  it.each([...waitFormats])('%s says how long to wait', async (format: WaitFormat) => {
    const { clock, ask } = asker({ limit: 1, windowMs: 90_000, format, header: 'x-wait' });
    await clock.advance(250);
    await ask();
    const refused = await ask();
    expect(refused.headers.has('retry-after')).toBe(false);
    const wait = parseWait(refused.headers.get('x-wait'), { format, date: refused.headers.get('date') });
    // Dates count whole seconds.
    expect(wait.waitMs).toBeGreaterThanOrEqual(90_000);
    expect(wait.waitMs).toBeLessThan(92_000);
  });

  it.each([...waitFormats])('the real client understands %s', async (format: WaitFormat) => {
    const { clock, client } = simulateInProcess(
      { rateLimit: { limit: 1, windowMs: 90_000, format } },
      { rateLimit: { format, jitterMs: 0 } },
    );
    await client.get('/a');
    await clock.runUntil(client.get('/b'));
    expect(clock.monotonic()).toBeGreaterThanOrEqual(90_000);
    expect(clock.monotonic()).toBeLessThan(92_000);
    expect(client.status.counters.refused).toBe(1);
  });
});

describe('flaws of the wait header', () => {
  const pauseOf = async (format: Parameters<typeof simulateOnPort>[0]) => {
    const { clock, client } = await simulateOnPort(format, { retry: { retries: 0 } });
    const pauses: { waitMs: number; source: string }[] = [];
    client.on('pause', ({ waitMs, source }) => pauses.push({ waitMs, source }));
    const outcome = await clock.runUntil(
      client.get('/a').then(
        () => 'answered',
        (error) => error,
      ),
    );
    return { pauses, outcome };
  };
  const limitOnce = (
    format: 'seconds' | 'missing' | 'empty' | 'invalid' | 'negative' | 'fraction' | 'duplicated' | 'past' | 'huge',
  ) => pauseOf({ faults: [{ kind: 'limit', waitMs: 5000, format, at: 1 }] });

  it('a right one, for comparison, is waited for (control)', async () => {
    expect(await limitOnce('seconds')).toEqual({ pauses: [{ waitMs: 5000, source: 'header' }], outcome: 'answered' });
  });

  it.each(['empty', 'invalid', 'negative', 'fraction'] as const)('%s: the client falls back (W6)', async (format) => {
    expect(await limitOnce(format)).toEqual({ pauses: [{ waitMs: 60_000, source: 'fallback' }], outcome: 'answered' });
  });

  it('missing: access is denied (W2)', async () => {
    const { pauses, outcome } = await limitOnce('missing');
    expect(pauses).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'forbidden', code: 'RATE_LIMITED' });
  });

  it('duplicated: the longest valid wait counts (W4)', async () => {
    expect(await limitOnce('duplicated')).toEqual({
      pauses: [{ waitMs: 5000, source: 'header' }],
      outcome: 'answered',
    });
  });

  it('past: a wait of zero (W5)', async () => {
    expect((await limitOnce('past')).outcome).toBe('answered');
  });

  it('huge: nobody sleeps that long (W7)', async () => {
    const { outcome } = await limitOnce('huge');
    expect(outcome).toMatchObject({ kind: 'rate-limit', resumeAt: expect.any(Date) });
  });

  it('over a socket, duplicated headers are two lines', async () => {
    const { url } = await simulateOnPort({
      session: false,
      faults: [{ kind: 'limit', waitMs: 5000, format: 'duplicated' }],
    });
    const { createConnection } = await import('node:net');
    const bytes = await new Promise<string>((resolve) => {
      const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nhost: c\r\nconnection: close\r\n\r\n');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(bytes.match(/^retry-after: .*$/gim)).toEqual(['Retry-After: 5', 'Retry-After: 0']);
  });

  it.each([
    [429, 'seconds'],
    [503, 'seconds'],
    [429, 'missing'],
  ] as const)('status %i with the header %s is a limit too (W3)', async (status, format) => {
    const { pauses, outcome } = await pauseOf({ faults: [{ kind: 'limit', waitMs: 5000, status, format, at: 1 }] });
    expect(outcome).toBe('answered');
    expect(pauses).toHaveLength(1);
  });
});
