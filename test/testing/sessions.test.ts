import { describe, expect, it } from 'vitest';
import { simulateInProcess, simulateOnPort } from './helpers/connect.js';

const sessionsOf = (connector: {
  journal: readonly { kind: string; session: number | undefined; status: number | undefined }[];
}) => connector.journal.filter(({ kind }) => kind === 'request').map(({ session, status }) => `${session}:${status}`);

describe('a session', () => {
  it('is asked for; without one the answer is 401 (E7)', async () => {
    const { connector } = simulateInProcess();
    const answer = await connector.fetch('http://c.test/issues');
    expect(answer.status).toBe(401);
    expect(connector.journal[0]?.refused).toBe('no-session');
    const { connector: open } = simulateInProcess({ session: false });
    expect((await open.fetch('http://c.test/issues')).status).toBe(200);
  });

  it('lives `ttlMs`, and not a millisecond longer', async () => {
    const { clock, connector, client } = simulateInProcess({ session: { ttlMs: 30_000 } });
    await client.get('/a');
    await clock.advance(29_999);
    await client.get('/a');
    await clock.advance(1);
    await client.get('/a');
    expect(sessionsOf(connector)).toEqual(['1:200', '1:200', '1:401', '2:200']);
  });

  it('serves `maxRequests`', async () => {
    const { connector, client } = simulateInProcess({ session: { maxRequests: 2 } });
    for (let call = 0; call < 5; call++) await client.get('/a');
    expect(sessionsOf(connector)).toEqual(['1:200', '1:200', '1:401', '2:200', '2:200', '2:401', '3:200']);
  });

  it('ends on command', async () => {
    const { connector, client } = await simulateOnPort();
    expect(connector.expireSessions()).toBe(0);
    await client.get('/a');
    expect(connector.expireSessions()).toBe(1);
    await client.get('/a');
    expect(sessionsOf(connector)).toEqual(['1:200', '1:401', '2:200']);
  });

  it('is refused while it is fresh: the client probes it again after a moment (S4)', async () => {
    const { clock, connector, client } = simulateInProcess({ session: { refuseFreshRequests: 1 } });
    await clock.runUntil(client.get('/a'));
    expect(connector.journal.at(-1)?.status).toBe(200);
    expect(connector.journal.filter(({ refused }) => refused === 'session-too-fresh').length).toBeGreaterThan(0);
    // Sessions that stay fresh for ever are a verdict (control).
    const { clock: other, client: refused } = simulateInProcess({ session: { refuseFreshMs: 3_600_000 } });
    await expect(other.runUntil(refused.get('/a'))).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  it('has the header that the option names', async () => {
    const { connector, client } = simulateInProcess({ session: { header: 'Authorization' } });
    await client.get('/a');
    expect(connector.journal.at(-1)?.headers).toMatchObject({ authorization: 'simulated-session-1' });
  });

  it('ends at cleanup', async () => {
    const { connector, client } = simulateInProcess({}, { cleanup: {} });
    await client.get('/a');
    await client.close();
    expect(connector.journal.map(({ kind, status }) => `${kind}:${status}`)).toEqual([
      'login:200',
      'request:200',
      'cleanup:204',
    ]);
    expect(connector.expireSessions()).toBe(0);
  });
});

describe('a login', () => {
  it('needs the credentials; wrong ones are refused, finally (S5)', async () => {
    const { connector, client } = simulateInProcess({ credentials: { user: 'ada', password: 'something else' } });
    await expect(client.get('/a')).rejects.toMatchObject({
      name: 'InitializeError',
      status: 401,
      code: 'WRONG_CREDENTIALS',
    });
    await expect(client.get('/a')).rejects.toMatchObject({ name: 'InitializeError' });
    expect(connector.journal.map(({ kind, refused }) => [kind, refused])).toEqual([['login', 'wrong-credentials']]);
    const { client: right } = simulateInProcess({ credentials: { user: 'ada', password: 'correct horse' } });
    await expect(right.get('/a')).resolves.toBeDefined();
  });

  it('takes the array and the object of rule S1, and nothing else', async () => {
    const { connector } = simulateInProcess({ credentials: { user: 'ada' } });
    const logIn = async (body: string) =>
      (await connector.fetch('http://c.test/initialize', { method: 'POST', body })).status;
    expect(await logIn('{"user":"ada"}')).toBe(200);
    expect(await logIn('[{"key":"user","value":"ada","sensitive":false}]')).toBe(200);
    expect(await logIn('{}')).toBe(401);
    expect(await logIn('"ada"')).toBe(400);
    expect(await logIn('not json')).toBe(400);
  });

  it('that fails for a while is tried again (S5)', async () => {
    const { clock, connector, client } = simulateInProcess({
      faults: [{ kind: 'status', status: 503, on: 'login', at: [1, 2] }],
    });
    await clock.runUntil(client.get('/a'));
    expect(connector.journal.map(({ kind, status }) => `${kind}:${status}`)).toEqual([
      'login:503',
      'login:503',
      'login:200',
      'request:200',
    ]);
  });

  it('that is slow is waited for, one that hangs is given up (S6)', async () => {
    const { clock, client } = await simulateOnPort({ faults: [{ kind: 'slow', delayMs: 20_000, on: 'login' }] });
    await clock.runUntil(client.get('/a'));
    expect(clock.monotonic()).toBe(20_000);
    const hung = await simulateOnPort({ faults: [{ kind: 'hang', on: 'login' }] }, { retry: { retries: 0 } });
    await expect(hung.clock.runUntil(hung.client.get('/a'))).rejects.toMatchObject({ name: 'InitializeError' });
    expect(hung.clock.monotonic()).toBe(60_000);
  });

  it('that is limited waits like any request (S5)', async () => {
    const { clock, connector, client } = simulateInProcess({
      faults: [{ kind: 'limit', waitMs: 7000, on: 'login', at: 1 }],
    });
    await clock.runUntil(client.get('/a'));
    expect(clock.monotonic()).toBe(7000);
    expect(connector.journal[0]).toMatchObject({ kind: 'login', status: 403, waitMs: 7000, fault: 'limit' });
  });
});
