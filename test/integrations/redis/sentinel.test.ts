import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { grace, until } from '../../helpers/until.js';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { member } from './helpers/member.js';
import { redisServer, sentinel, serverProgram } from './helpers/redis-server.js';

// `redis-server` is the sentinel, too.
describe.runIf(serverProgram)('a master that fails, with a replica and a sentinel (G11)', () => {
  it('each process logs in for itself meanwhile at most, and all share again through the new master', async () => {
    const master = await redisServer();
    const replica = await redisServer('--replicaof', '127.0.0.1', String(master.port));
    const { port } = await sentinel(master);
    const connect = () => {
      const redis = new Redis({ sentinels: [{ host: '127.0.0.1', port }], name: 'main', lazyConnect: true });
      onTestFinished(() => redis.disconnect());
      return redis;
    };
    const asked = new Redis(port, '127.0.0.1');
    onTestFinished(() => asked.disconnect());
    while (!String(await asked.call('SENTINEL', 'replicas', 'main')).includes('master-link-status,ok'))
      await grace(100);

    const { connector, url } = await listeningConnector();
    const members = [member({ connect }, url), member({ connect }, url)];
    const logins = () => connector.journal.filter(({ kind }) => kind === 'login').length;
    const callAll = () => Promise.all(members.map(({ client }) => client.get('/issues')));
    await callAll();
    expect(logins()).toBe(1);

    await master.kill();
    await until(() => members.every(({ state }) => !state.shared));
    connector.expireSessions();
    await callAll();
    await until(() => members.every(({ state }) => state.shared));
    const before = logins();
    expect(before).toBeLessThanOrEqual(3);
    connector.expireSessions();
    await callAll();
    expect(logins()).toBe(before + 1);
    expect(await replica.connect().exists('concordat:{c}:session')).toBe(1); // it is the master now
  }, 120_000);
});
