import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { scriptedConnector } from '../../helpers/scripted-connector.js';
import { grace, track, until } from '../../helpers/until.js';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { worker } from './helpers/fleet.js';
import { member } from './helpers/member.js';
import { proxy } from './helpers/proxy.js';
import { redisServer, serverProgram } from './helpers/redis-server.js';

const lock = 'concordat:{c}:login';

/** How many scripts Redis has run. */
async function scriptsRun(redis: Redis): Promise<number> {
  const [, calls = '0'] = /cmdstat_eval:calls=(\d+)/.exec(await redis.info('commandstats')) ?? [];
  return Number(calls);
}

/** A connector with one session for each account: a login ends the session before it. */
async function singleSessionConnector() {
  const connector = await scriptedConnector();
  connector.initialize = (exchange) => {
    connector.alive.clear();
    connector.logIn(exchange);
  };
  return connector;
}

describe.runIf(serverProgram)('a redis that hangs (G11)', () => {
  it('and goes on: a question that comes too late takes no right to log in', async () => {
    const server = await redisServer();
    const { connector, url } = await listeningConnector();
    const observer = server.connect();
    const { client, state } = member(server, url, { timeoutMs: 1000, takeoverMs: 600_000 });
    await client.get('/issues');
    const before = await scriptsRun(observer);
    server.freeze();
    connector.expireSessions();
    await client.get('/issues'); // asks in vain, then logs in by itself
    await grace(1000); // what it asked is too late by now, even if its clock is off by a time-out
    server.thaw();
    while ((await scriptsRun(observer)) === before) await grace();
    expect(await observer.get(lock)).toBeNull();
    await until(() => state.shared);
    connector.expireSessions();
    await client.get('/issues'); // control: nobody stands in the way, and questions in time are answered
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(3);
  });
});

describe.runIf(serverProgram)('the right to log in (S6, G11)', () => {
  it('is lost three seconds after its holder has died, and kept while it lives', async () => {
    const server = await redisServer();
    const { connector, url } = await listeningConnector({ faults: [{ kind: 'hang', on: 'login', at: 1 }] });
    const { client, redis } = member(server, url, { takeoverMs: undefined });
    track(client.get('/issues'));
    await until(() => connector.journal.length === 1);
    const leftMs = await redis.pttl(lock);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(3000);
    await redis.pexpire(lock, 600_000);
    while ((await redis.pttl(lock)) > 3000) await grace(); // it says again and again that it lives
    expect(await redis.exists(lock)).toBe(1);
  });

  it('of a process that hung in its login has passed on: it overwrites no newer session', async () => {
    const server = await redisServer();
    const connector = await singleSessionConnector();
    const observer = server.connect();
    const [one, two] = await Promise.all([worker(server.url, connector.url), worker(server.url, connector.url)]);
    let respond = () => {};
    connector.initialize = (exchange) => {
      connector.alive.clear();
      if (exchange.number === 1) respond = () => connector.logIn(exchange);
      else connector.logIn(exchange);
    };
    const first = one.get('/one');
    await until(() => connector.logins.length === 1);
    one.freeze();
    expect(await two.get('/two')).toMatchObject({ results: ['ok'] });
    const session = await observer.hgetall('concordat:{fleet}:session');
    respond();
    connector.alive.delete('session-1'); // the login of `two` has ended it
    one.thaw();
    expect(await first).toMatchObject({ results: ['ok'] });
    expect(await two.get('/two')).toMatchObject({ results: ['ok'] });
    expect(await observer.hgetall('concordat:{fleet}:session')).toEqual(session);
    expect(connector.logins).toHaveLength(2);
  });

  it('expired, and nobody took it: the session is stored all the same', async () => {
    const server = await redisServer();
    const connector = await scriptedConnector();
    const observer = server.connect();
    connector.initialize = async (exchange) => {
      await observer.flushall();
      connector.logIn(exchange);
    };
    await member(server, connector.url).client.get('/one');
    await member(server, connector.url).client.get('/two');
    expect(connector.logins).toHaveLength(1);
  });
});

describe.runIf(serverProgram)('connections that die silently (G11)', () => {
  const times = { timeoutMs: 2000 };

  it('all of them: it is noticed without a call, told once, and sharing resumes', async () => {
    const server = await redisServer();
    const { connector, url } = await listeningConnector();
    const way = await proxy(server.url);
    const behind = { connect: () => server.connect(way.url) };
    const members = [member(behind, url, times), member(behind, url, times)] as const;
    await Promise.all(members.map(({ client }) => client.get('/issues')));
    way.silence();
    await until(() => members.every(({ errors }) => errors.length === 1));
    await until(() => members.every(({ state }) => state.shared));
    connector.expireSessions();
    await Promise.all(members.map(({ client }) => client.get('/issues')));
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(2);
    expect(members.map(({ errors }) => errors.length)).toEqual([1, 1]);
  });

  it('both, whichever is noticed and replaced first: it is told once', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const outage = async (noticedFirst: string) => {
      const way = await proxy(server.url);
      const { client, state, errors } = member({ connect: () => server.connect(way.url) }, url);
      await client.get('/issues');
      while (way.count('subscribe') === 0) await grace();
      const before = way.connections;
      way.silence();
      way.cut(noticedFirst); // the other one is silent: only its test finds that out
      await until(() => errors.length === 1);
      await until(() => state.shared);
      return [way.connections - before, errors.length];
    };
    const bothReplacedToldOnce = [2, 1];
    expect(await Promise.all([outage('eval'), outage('subscribe')])).toEqual([
      bothReplacedToldOnce,
      bothReplacedToldOnce,
    ]);
  });

  it('and new ones, too: a login asks once at most, and sharing resumes when they work again', async () => {
    const server = await redisServer();
    const { connector, url } = await listeningConnector();
    const way = await proxy(server.url);
    const { client, state, errors } = member({ connect: () => server.connect(way.url) }, url, times);
    await client.get('/issues');
    const asked = way.count(lock);
    expect(asked).toBeGreaterThan(0); // control
    way.silence();
    way.swallowNew(true);
    for (let login = 0; login < 10; login++) {
      connector.expireSessions();
      await client.get('/issues');
    }
    expect(way.count(lock) - asked).toBeLessThanOrEqual(1);
    expect(state.shared).toBe(false);
    way.swallowNew(false);
    await until(() => state.shared);
    expect(errors).toHaveLength(1);
  });

  it('only that for messages: it is told, and pauses of the others arrive', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const way = await proxy(server.url);
    const deaf = member({ connect: () => server.connect(way.url) }, url, times);
    const other = member(server, url);
    await Promise.all([deaf.client.get('/issues'), other.client.get('/issues')]);
    while (way.count('subscribe') === 0) await grace();
    way.silence('subscribe');
    await other.state.pause({ scope: '', resumeAt: new Date(Date.now() + 600_000) });
    await until(() => deaf.errors.length === 1);
    expect(String(deaf.errors[0])).toContain('messages');
    await until(() => deaf.client.status.paused);
    await until(() => deaf.state.shared);
  });
});

describe.runIf(serverProgram)('a system with one session for each account', () => {
  it('`whenAway: wait`: nobody logs in until redis is back, and then one does', async () => {
    const server = await redisServer();
    const connector = await singleSessionConnector();
    const options = { whenAway: 'wait', maxAwayMs: 600_000 } as const;
    const members = [member(server, connector.url, options), member(server, connector.url, options)];
    await Promise.all(members.map(({ client }) => client.get('/issues')));
    await server.kill();
    await until(() => members.every(({ state }) => !state.shared));
    await Promise.all(members.map(({ client }) => client.get('/issues'))); // control: the session they have is used
    connector.expireSessions();
    const calls = members.map(({ client }) => track(client.get('/issues')));
    await grace(200);
    expect(connector.logins).toHaveLength(1);
    await server.restart();
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(connector.logins).toHaveLength(2);
  });

  it('counts `maxAwayMs` from the last answer: the wait for the login of another process is none for redis', async () => {
    const server = await redisServer();
    const { connector, url } = await listeningConnector({ faults: [{ kind: 'hang', on: 'login', at: 1 }] });
    const options = { whenAway: 'wait', maxAwayMs: 5000, timeoutMs: 200, takeoverMs: 600_000 } as const;
    const [one, two] = [member(server, url, options), member(server, url, options)];
    track(one.client.get('/issues'));
    await until(() => connector.journal.length === 1);
    track(two.client.get('/issues'));
    await grace(5500);
    server.freeze();
    await until(() => !two.state.shared);
    server.thaw();
    await until(() => two.state.shared);
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(1);
  });

  it('waits no longer than `maxAwayMs`', async () => {
    const server = await redisServer();
    await server.kill();
    const connector = await singleSessionConnector();
    const { client } = member(server, connector.url, { whenAway: 'wait', maxAwayMs: 100, timeoutMs: 200 });
    await client.get('/issues');
    expect(connector.logins).toHaveLength(1);
  });
});

describe.runIf(serverProgram)('many states on one connection', () => {
  it('share two connections of their own, and leave no listener on it', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const redis = server.connect();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    await redis.ping();
    const before = redis.eventNames().map((name) => redis.listenerCount(name));
    const members = Array.from({ length: 100 }, (_, number) =>
      member(server, url, { redis, connection: `c${number}` }),
    );
    await Promise.all(members.map(({ client }) => client.get('/issues')));
    const clients = ((await redis.client('LIST')) as string).trim().split('\n');
    expect(clients).toHaveLength(3);
    expect(redis.eventNames().map((name) => redis.listenerCount(name))).toEqual(before);
    const other = member(server, url, { connection: 'c99' });
    await other.state.pause({ scope: '', resumeAt: new Date(Date.now() + 600_000) });
    await until(() => members[99]!.client.status.paused);
    expect(members[0]!.client.status.paused).toBe(false);
    await grace();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});
