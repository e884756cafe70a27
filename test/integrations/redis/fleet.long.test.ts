import { describe, expect, it } from 'vitest';
import { grace, until } from '../../helpers/until.js';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { worker } from './helpers/fleet.js';
import { type RedisServer, redisServer, serverProgram } from './helpers/redis-server.js';

const paths = (prefix: string, count = 10) => Array.from({ length: count }, (_, number) => `/${prefix}/${number}`);

describe.runIf(serverProgram)('two processes that share their state in redis', () => {
  async function fleet(simulate: Parameters<typeof listeningConnector>[0] = {}, password?: string) {
    const redis = await redisServer();
    const { connector, url } = await listeningConnector(simulate);
    const [one, two] = await Promise.all([worker(redis.url, url, password), worker(redis.url, url, password)]);
    const logins = () => connector.journal.filter(({ kind }) => kind === 'login');
    return { redis, connector, one, two, logins };
  }

  it('log in once, and once for each expiry (S3, S4)', async () => {
    const { connector, one, two, logins } = await fleet();
    const results = await Promise.all([one.get(...paths('one')), two.get(...paths('two'))]);
    expect(results.flatMap((result) => result.results).every((result) => result === 'ok')).toBe(true);
    expect(logins()).toHaveLength(1);
    for (let expiry = 1; expiry <= 3; expiry++) {
      connector.expireSessions();
      await Promise.all([one.get(...paths('one')), two.get(...paths('two'))]);
      expect(logins()).toHaveLength(1 + expiry);
    }
  });

  it('share a pause: the other process sends nothing until it is over (G1)', async () => {
    const { connector, one, two } = await fleet({ faults: [{ kind: 'limit', waitMs: 700, on: '/limited', at: 1 }] });
    await Promise.all([one.get('/warm-up'), two.get('/warm-up')]);
    one.start('/limited');
    await until(() => one.events('pause').length === 1);
    await until(() => two.events('pause').length === 1);
    await two.get('/of-two');
    const refused = connector.journal.find(({ fault }) => fault === 'limit');
    const next = connector.journal.find(({ number }) => number === refused!.number + 1);
    expect(next!.elapsedMs - refused!.elapsedMs).toBeGreaterThanOrEqual(700);
    expect(connector.journal.filter(({ refused: why }) => why !== undefined)).toHaveLength(0);
  });

  it('a process that starts during a pause waits, too', async () => {
    const redis = await redisServer();
    const { connector, url } = await listeningConnector({
      faults: [{ kind: 'limit', waitMs: 2500, on: '/limited', at: 1 }],
    });
    const one = await worker(redis.url, url);
    one.start('/limited');
    await until(() => one.events('pause').length === 1);
    const late = await worker(redis.url, url);
    await late.get('/late');
    const refused = connector.journal.find(({ fault }) => fault === 'limit');
    const of = connector.journal.find(({ path }) => path === '/late');
    expect(of!.elapsedMs - refused!.elapsedMs).toBeGreaterThanOrEqual(2500);
  });

  it('share the quota: once it is known they meet each limit about once in all (G10)', async () => {
    const rateLimit = { limit: 20, windowMs: 6000, format: 'milliseconds' } as const;
    const { redis, connector, one, two } = await fleet({ rateLimit });
    const reader = redis.connect();
    const isKnown = async () => {
      const [stored] = await reader.keys('*:quotas');
      const text = stored === undefined ? null : await reader.hget(stored, '');
      return text !== null && (JSON.parse(text) as { limit: number }).limit > 0;
    };
    const first = [one.get(...paths('one', 20)), two.get(...paths('two', 20))];
    const second = [one.get(...paths('three', 30)), two.get(...paths('four', 30))];
    while (!(await isKnown())) await grace();
    // The crowd that taught the quota is still coming in: what is counted comes after all of it.
    await Promise.all(first);
    const learnedAt = connector.journal.at(-1)!.elapsedMs;
    const results = await Promise.all([...first, ...second]);
    expect(results.flatMap((result) => result.results).every((result) => result === 'ok')).toBe(true);
    const limits = connector.journal.filter(({ refused }) => refused !== undefined);
    expect(limits.length).toBeGreaterThan(0); // control: there was a limit
    const later = limits.filter(({ elapsedMs }) => elapsedMs > learnedAt);
    // With the pause alone two processes meet about three limits in each window. A busy machine takes more windows, and
    // may be too slow for leases in one of them; three limits more than windows are what that costs.
    const windows = Math.ceil((connector.journal.at(-1)!.elapsedMs - learnedAt) / rateLimit.windowMs);
    expect(windows).toBeGreaterThan(1); // control: there were windows to count
    expect(later.length).toBeLessThanOrEqual(windows + 3);
  }, 240_000);

  it.each([
    ['is killed and comes back empty', (redis: RedisServer) => redis.kill().then(redis.restart)],
    ['forgets everything', (redis: RedisServer) => redis.connect().flushall()],
  ])(
    'lose no call when redis %s while permits are leased, and lease again (G10, G11)',
    async (_name, harm) => {
      const rateLimit = { limit: 20, windowMs: 6000, format: 'milliseconds' } as const;
      const { redis, connector, one, two } = await fleet({ rateLimit });
      const reader = redis.connect();
      const isLeased = async () => (await reader.keys('*:quotas').catch(() => [])).length > 0;
      const leased = async () => {
        while (!(await isLeased())) await grace();
      };
      const calls = Promise.all([one.get(...paths('one', 50)), two.get(...paths('two', 50))]);
      await leased();
      await reader.set('before', 'it was harmed');
      await harm(redis);
      expect(await reader.exists('before').catch(() => 0)).toBe(0); // control: it has forgotten, and may be told anew at once
      await leased();
      expect((await calls).flatMap(({ results }) => results).every((result) => result === 'ok')).toBe(true);
      const passed = connector.journal.filter(({ kind, status }) => kind === 'request' && status === 200);
      expect(passed).toHaveLength(100);
    },
    240_000,
  );

  it('try wrong credentials once (S5)', async () => {
    const { one, two, logins } = await fleet({ credentials: { user: 'ada', password: 'another one' } });
    const results = await Promise.all([one.get('/one'), two.get('/two')]);
    expect(results.map((result) => result.results)).toEqual([['InitializeError'], ['InitializeError']]);
    expect(await one.get('/again')).toMatchObject({ results: ['InitializeError'] });
    expect(logins()).toHaveLength(1);
  });

  it('take over the login of a process that died in the middle of it (S6)', async () => {
    const { one, two, logins } = await fleet({ faults: [{ kind: 'hang', on: 'login', at: 1 }] });
    one.start('/one');
    await until(() => logins().length === 1);
    const call = two.get('/two');
    await grace();
    expect(logins()).toHaveLength(1); // control: it waits for the other
    await one.kill();
    expect(await call).toMatchObject({ results: ['ok'] });
    expect(logins()).toHaveLength(2);
  });

  it('go on when redis is killed in the middle, each by itself, say so once, and share again when it is back', async () => {
    const { redis, connector, one, two, logins } = await fleet();
    await Promise.all([one.get(...paths('one')), two.get(...paths('two'))]);
    expect(logins()).toHaveLength(1);

    await redis.kill();
    connector.expireSessions();
    const during = await Promise.all([one.get(...paths('one')), two.get(...paths('two'))]);
    expect(during.flatMap(({ results }) => results).every((result) => result === 'ok')).toBe(true);
    expect(during.map(({ shared }) => shared)).toEqual([false, false]);
    expect(logins()).toHaveLength(3); // each its own
    for (const process of [one, two]) {
      expect(process.events('error')).toMatchObject([{ method: 'state', message: expect.stringContaining('Redis') }]);
    }

    await redis.restart();
    await until(() => one.events('error').length === 1);
    let shared = false;
    while (!shared) {
      const [first, second] = await Promise.all([one.get('/back'), two.get('/back')]);
      shared = first.shared && second.shared;
    }
    const before = logins().length;
    connector.expireSessions();
    await Promise.all([one.get(...paths('one')), two.get(...paths('two'))]);
    expect(logins()).toHaveLength(before + 1);
    expect(one.events('error')).toHaveLength(1);
  });
});
