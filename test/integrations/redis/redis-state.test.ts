import { inspect } from 'node:util';
import { InitializeError } from 'concordat/client';
import { type RedisStateOptions, redisState } from 'concordat/redis';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Exchange, scriptedConnector } from '../../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../../helpers/until.js';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { encryptionKey, member } from './helpers/member.js';
import { type RedisServer, redisServer, serverProgram } from './helpers/redis-server.js';

/** Changes the connections that a state opens for itself. */
function withOwnConnections(redis: Redis, change: (own: Redis) => void): Redis {
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (options) => {
    const own = duplicate(options);
    change(own);
    return own;
  };
  return redis;
}

/** A connection, and what its state asks about who may log in. */
function watchedConnection(server: RedisServer) {
  const questions: unknown[] = [];
  const redis = withOwnConnections(server.connect(), (own) => {
    const send = own.sendCommand.bind(own);
    own.sendCommand = ((command: Parameters<typeof send>[0], ...rest: []) => {
      if (command.args.includes('concordat:{c}:login')) questions.push(command.name);
      return send(command, ...rest);
    }) as typeof own.sendCommand;
  });
  return { redis, questions };
}

/** All that is in Redis, as text. */
async function contents(redis: Redis): Promise<string> {
  const keys = await redis.keys('*');
  const values = await Promise.all(
    keys.map(async (key) => ((await redis.type(key)) === 'hash' ? redis.hgetall(key) : redis.get(key))),
  );
  return JSON.stringify([keys, values]);
}

describe.runIf(serverProgram)('a session in redis (S7)', () => {
  async function withCanary(options: Partial<RedisStateOptions>) {
    const server = await redisServer();
    const { url, connector } = await listeningConnector({ session: { header: 'x-session' } });
    const { client, redis } = member(server, url, options);
    await client.get('/issues');
    return { server, url, connector, redis, value: connector.journal.at(-1)!.headers['x-session'] as string };
  }

  it('cannot be read without the key', async () => {
    const { redis, value } = await withCanary({});
    const text = await contents(redis);
    expect(text).toContain('sealed');
    for (const form of [value, Buffer.from(value).toString('base64').slice(0, -4)]) expect(text).not.toContain(form);
  });

  it('can with `storeSessionInPlainText` (control)', async () => {
    const { redis, value } = await withCanary({ storeSessionInPlainText: true });
    expect(await contents(redis)).toContain(value);
  });

  it('is not in what the state shows of itself, nor is the key', async () => {
    const server = await redisServer();
    const { url, connector } = await listeningConnector();
    const { client, state } = member(server, url);
    await client.get('/issues');
    const text = inspect(state, { depth: 20, showHidden: true }) + JSON.stringify(state);
    expect(text).not.toContain(encryptionKey);
    expect(text).not.toContain(connector.journal.at(-1)!.headers['x-session']);
    expect(text).toContain('shared'); // control
  });

  it('that was written with another key is as good as none: the client logs in', async () => {
    const { server, url, connector } = await withCanary({});
    const other = member(server, url, { encryptionKey: 'another key, which is 32 bytes or more, too' });
    await other.client.get('/issues');
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(2);
    const same = member(server, url, { encryptionKey: 'another key, which is 32 bytes or more, too' });
    await same.client.get('/issues');
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(2); // control
  });

  it('of one connection is not that of another', async () => {
    const { server, url, connector } = await withCanary({});
    await member(server, url, { connection: 'd' }).client.get('/issues');
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(2);
  });

  it('put in the place of another connection’s is not taken for it', async () => {
    const { server, url, redis, connector } = await withCanary({});
    await redis.copy('concordat:{c}:session', 'concordat:{d}:session');
    await member(server, url, { connection: 'd' }).client.get('/issues');
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(2);
  });

  it('is gone after `sessionTtlMs`', async () => {
    const { redis } = await withCanary({ sessionTtlMs: 50_000 });
    const leftMs = await redis.pttl('concordat:{c}:session');
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(50_000);
  });
});

describe.runIf(serverProgram)('when redis is not there', () => {
  it('at the start: a client works by itself, and says so once', async () => {
    const server = await redisServer();
    await server.kill();
    const { url } = await listeningConnector();
    const { client, state, errors } = member(server, url, { timeoutMs: 200 });
    await client.get('/issues');
    await client.get('/issues');
    expect(errors).toHaveLength(1);
    expect(String(errors[0])).toMatch(/Redis: .* uses a session and pauses of its own/);
    expect(state.shared).toBe(false);
  });

  it('control: with redis it says nothing', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const { client, state, errors } = member(server, url);
    await client.get('/issues');
    expect(errors).toEqual([]);
    expect(state.shared).toBe(true);
  });

  it('with TLS to a port that has none, it asks about that', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const redis = new Redis(server.url.replace('redis:', 'rediss:'), { lazyConnect: true });
    const { client, errors } = member(server, url, { redis, timeoutMs: 200 });
    await client.get('/issues');
    expect(errors.map(String)).toEqual([
      expect.stringContaining('no TLS connection (has this port TLS?) within 200 ms'),
    ]);
  });

  it('what it tells holds neither password nor session (S7)', async () => {
    const { port } = await redisServer('--requirepass', 'canary-old');
    const { url } = await listeningConnector();
    const redis = new Redis(port, { password: 'canary-rotated', lazyConnect: true });
    const { client, errors } = member({ connect: () => redis }, url);
    await client.get('/issues');
    await until(() => errors.length > 0);
    expect(String(errors[0])).toContain('WRONGPASS');
    expect(inspect(errors, { depth: 9, showHidden: true })).not.toContain('canary');
  });

  it('because it hangs: a login asks it once, and requests never', async () => {
    const server = await redisServer();
    const { url, connector } = await listeningConnector();
    const { redis, questions } = watchedConnection(server);
    const { client, errors } = member(server, url, { redis, timeoutMs: 1500 });
    await client.get('/issues');
    expect(questions).toHaveLength(2); // control: may I, and here it is
    server.freeze();
    connector.expireSessions();
    for (let call = 0; call < 5; call++) await client.get('/issues');
    server.thaw();
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(2);
    expect(questions).toHaveLength(3);
    expect(errors).toHaveLength(1);
  });

  it('a pause holds in its own process, and is told to the others when redis is back (G1)', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 600_000, on: '/limited' }] });
    const [one, two] = [member(server, url), member(server, url)];
    await Promise.all([one.client.get('/'), two.client.get('/')]);
    await server.kill();
    const call = track(one.client.get('/limited'));
    await until(() => one.client.status.paused);
    await two.client.get('/issues'); // knows nothing of it, and does not wait
    expect(two.client.status.paused).toBe(false);
    await server.restart();
    await until(() => two.client.status.paused);
    expect(Math.abs(two.client.status.resumeAt!.getTime() - one.client.status.resumeAt!.getTime())).toBeLessThan(
      60_000,
    );
    expect(call.settled).toBe(false);
  });
});

describe.runIf(serverProgram)('pauses in redis (G2)', () => {
  it('are heard of by everybody, however early one comes: none falls between reading and listening', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    let listen = () => {};
    const mayListen = new Promise<void>((resolve) => {
      listen = resolve;
    });
    const slow = withOwnConnections(server.connect(), (own) => {
      const subscribe = own.subscribe.bind(own) as (channel: string) => Promise<unknown>;
      own.subscribe = ((channel: string) => mayListen.then(() => subscribe(channel))) as typeof own.subscribe;
    });
    const [one, two] = [member(server, url), member(server, url, { redis: slow })];
    // The second is answered after what `two` asked when it had connected, so it has read the pauses.
    for (let question = 0; question < 2; question++) await two.state.newer?.(0);
    await one.state.pause({ scope: '', resumeAt: new Date(Date.now() + 60_000) });
    await grace();
    expect(two.client.status.paused).toBe(false); // control: it has read, and does not listen yet
    listen();
    await until(() => two.client.status.paused);
  });

  it('reach a state that begins while the connection for messages is replaced', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    let mayListen = Promise.resolve();
    let asked = 0;
    const redis = withOwnConnections(server.connect(), (own) => {
      const subscribe = own.subscribe.bind(own) as (...channels: string[]) => Promise<unknown>;
      own.subscribe = ((...channels: string[]) => {
        asked++;
        return mayListen.then(() => subscribe(...channels));
      }) as typeof own.subscribe;
    });
    const first = member(server, url, { redis, connection: 'first' });
    while ((await redis.pubsub('NUMSUB', 'concordat:{first}:news:0'))[1] !== 1) await grace();
    let listen = () => {};
    mayListen = new Promise<void>((resolve) => {
      listen = resolve;
    });
    const before = asked;
    await redis.client('KILL', 'TYPE', 'pubsub');
    await until(() => !first.state.shared && asked > before);
    member(server, url, { redis, connection: 'second' });
    await grace();
    listen();
    while ((await redis.pubsub('NUMSUB', 'concordat:{second}:news:0'))[1] !== 1) await grace();
  });

  it('become longer, never shorter, whoever tells of them', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const [one, two] = [member(server, url), member(server, url)];
    const at = (fromNowMs: number) => new Date(Date.now() + fromNowMs);
    await one.state.pause({ scope: '', resumeAt: at(600_000) });
    await until(() => two.client.status.paused);
    const before = two.client.status.resumeAt!.getTime();
    await two.state.pause({ scope: '', resumeAt: at(300_000) });
    const late = member(server, url);
    await until(() => late.client.status.paused);
    expect(late.client.status.resumeAt!.getTime()).toBeGreaterThanOrEqual(before - 50);
    await two.state.pause({ scope: '', resumeAt: at(1_800_000) });
    await until(() => one.client.status.resumeAt!.getTime() > before + 600_000);
  });

  it('that are over stay over when a calendar that ran ahead is set right', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const { state } = member(server, url);
    const ahead = vi
      .spyOn(Date, 'now')
      .mockImplementation(() => Math.floor(performance.timeOrigin + performance.now()) + 3_600_000);
    onTestFinished(() => ahead.mockRestore());
    await state.pause({ scope: '', resumeAt: new Date(Date.now() + 50) });
    ahead.mockRestore();
    await grace(60);
    const heard: unknown[] = [];
    state.onPause((pause) => heard.push(pause));
    expect(heard).toEqual([]);
    await state.pause({ scope: '', resumeAt: new Date(Date.now() + 1000) }); // control: a later one is told
    expect(heard).toHaveLength(1);
  });

  it('last as long as Redis says: a message may be read late', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const [one, two] = [member(server, url), member(server, url)];
    await one.state.pause({ scope: '', resumeAt: new Date(Date.now() + 60_000) });
    await until(() => two.client.status.paused);
    const before = two.client.status.resumeAt!.getTime();
    const news = 'concordat:{c}:news:0';
    // What a process that was stopped reads when it goes on, and then one that is true.
    const late = { from: 'a', pause: { scope: '', remainingMs: 600_000 } };
    await one.redis.publish(news, JSON.stringify(late));
    await one.state.pause({ scope: 'other', resumeAt: new Date(Date.now() + 60_000) });
    const heard = new Set<string>();
    two.state.onPause(({ scope }) => heard.add(scope));
    await until(() => heard.has('other'));
    expect(Math.abs(two.client.status.resumeAt!.getTime() - before)).toBeLessThan(30_000);
  });

  it('stay in their own database, and under their own `keyPrefix`', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 600_000, on: '/limited' }] });
    const places = [{ db: 0 }, { db: 1 }, { keyPrefix: 'staging:' }, { db: 0 }];
    const members = places.map((place) => member(server, url, { redis: new Redis(server.port, place) }));
    onTestFinished(() => {
      for (const { redis } of members) redis.disconnect();
    });
    await Promise.all(members.map(({ client }) => client.get('/issues')));
    members[0]!.client.get('/limited').catch(() => {});
    await until(() => members[3]!.client.status.paused); // control
    await grace();
    expect(members.map(({ client }) => client.status.paused)).toEqual([true, false, false, true]);
  });

  it('of scopes are told apart, and names of any kind are kept', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const [one, two] = [member(server, url), member(server, url)];
    const heard = new Set<string>();
    two.state.onPause(({ scope }) => heard.add(scope));
    await one.state.pause({ scope: 'write ü "x"\n', resumeAt: new Date(Date.now() + 600_000) });
    await one.state.pause({ scope: 'read', resumeAt: new Date(8.64e15) });
    // In any order: one may be read where it is kept, and the other come as a message before that.
    await until(() => heard.size === 2);
    expect(heard).toEqual(new Set(['write ü "x"\n', 'read']));
  });

  it('have the status of the response that began them, in processes that hear or read it (W7)', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 600_000, status: 429 }] });
    const join = () => member(server, url, {}, { rateLimit: { format: 'milliseconds', onLimit: 'reject' } });
    const [met, heard] = [join(), join()];
    expect(await rejection(met.client.get('/issues'))).toMatchObject({ status: 429 });
    await until(() => heard.client.status.paused);
    const late = join();
    await until(() => late.client.status.paused);
    for (const { client } of [heard, late])
      expect(await rejection(client.get('/issues'))).toMatchObject({ kind: 'rate-limit', status: 429 });
  });

  it('may have been written by a version that keeps no status', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    await server.connect().hset('concordat:{c}:pauses', '', Date.now() + 600_000);
    const { client } = member(server, url, {}, { rateLimit: { onLimit: 'reject' } });
    await until(() => client.status.paused);
    expect(await rejection(client.get('/issues'))).toMatchObject({ kind: 'rate-limit', status: 403 });
  });

  it('are gone from redis when they are over', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const { state, redis } = member(server, url);
    await state.pause({ scope: '', resumeAt: new Date(Date.now() + 600_000) });
    const leftMs = await redis.pttl('concordat:{c}:pauses');
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(600_000);
  });
});

describe.runIf(serverProgram)('states of one connection', () => {
  it('a refusal that another process met is an InitializeError here (S5)', async () => {
    const server = await redisServer();
    const { url, connector } = await listeningConnector({ credentials: { user: 'ada', password: 'another one' } });
    const [one, two] = [member(server, url), member(server, url)];
    const first = await rejection(one.client.get('/issues'));
    const second = await rejection(two.client.get('/issues'));
    expect(second).toBeInstanceOf(InitializeError);
    expect(second).toMatchObject({ status: 401, code: first.code, refused: true });
    expect(connector.journal).toHaveLength(1);
  });

  it('a refusal lasts as long as it has left, not once more from when a process hears of it (S5)', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector({ credentials: { user: 'ada', password: 'another one' } });
    const [one, two] = [member(server, url), member(server, url, { loginCooldownMs: 600_000 })];
    await rejection(one.client.get('/issues'));
    await one.redis.pexpire('concordat:{c}:refusal', 20_000);
    const { retryAt } = (await rejection(two.client.get('/issues'))) as InitializeError;
    expect(retryAt!.getTime()).toBeLessThanOrEqual(Date.now() + 20_000);
  });

  /** Processes that wait for the login of the first one, which `respond` ends. */
  async function waitingForALogin(respond: (exchange: Exchange) => void) {
    const server = await redisServer();
    const connector = await scriptedConnector();
    let end = () => {};
    connector.initialize = (exchange) => {
      end = () => respond(exchange);
    };
    const join = (redis?: Redis) => member(server, connector.url, { redis }, { retry: { retries: 0 } }).client;
    const first = rejection(join().get('/issues'));
    await until(() => connector.logins.length === 1);
    const watched = [watchedConnection(server), watchedConnection(server)];
    const others = watched.map(({ redis }) => join(redis));
    const calls = others.map((client) => track(client.get('/issues')));
    await until(() => watched.every(({ questions }) => questions.length >= 2)); // so the first was answered: wait
    expect(connector.logins).toHaveLength(1);
    connector.initialize = (exchange) => connector.logIn(exchange);
    end();
    await until(() => calls.every(({ settled }) => settled));
    return { connector, errors: [await first, ...calls.map(({ error }) => error)], others };
  }

  it('share the failure of the login that they wait for, and a later call logs in again (S6)', async () => {
    const { connector, errors, others } = await waitingForALogin(({ reply }) => reply(500));
    for (const error of errors) {
      expect(error).toBeInstanceOf(InitializeError);
      expect(error).toMatchObject({ status: 500, refused: false });
    }
    expect(connector.logins).toHaveLength(1);
    for (const client of others) await client.get('/issues');
    expect(connector.logins).toHaveLength(2);
  });

  it('do not share a failed connection: the next one logs in', async () => {
    const { connector, errors } = await waitingForALogin(({ drop }) => drop());
    expect(errors).toEqual([expect.any(InitializeError), undefined, undefined]);
    expect(connector.logins).toHaveLength(2);
  });

  it('end when they are closed: nothing keeps listening, and the connection given stays open', async () => {
    const server = await redisServer();
    const { url } = await listeningConnector();
    const { client, state, redis } = member(server, url);
    await client.get('/issues');
    const others = async () => ((await redis.client('LIST')) as string).trim().split('\n').length;
    while ((await others()) !== 3) await grace(5); // its connection for messages may come up last
    await client.close();
    await state.close();
    await state.close();
    while ((await others()) > 1) await grace(5);
    expect(await redis.ping()).toBe('PONG');
  });
});

describe('options', () => {
  const redis = new Redis({ lazyConnect: true });
  const good = { redis, connection: 'c', encryptionKey };

  it.each<[string, object]>([
    ['redis', { redis: undefined }],
    ['redis', { redis: 'redis://127.0.0.1' }],
    ['connection', { connection: '' }],
    ['connection', { connection: '{x}' }],
    ['encryptionKey', { encryptionKey: undefined }],
    ['encryptionKey', { encryptionKey: 'too short' }],
    ['encryptionKey', { encryptionKey: 7 }],
    ['storeSessionInPlainText', { storeSessionInPlainText: true }],
    ['storeSessionInPlainText', { storeSessionInPlainText: 'yes' }],
    ['prefix', { prefix: 1 }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['sessionTtlMs', { sessionTtlMs: -1 }],
    ['loginCooldownMs', { loginCooldownMs: '1' }],
    ['takeoverMs', { takeoverMs: Number.NaN }],
    ['takeoverMS', { takeoverMS: 1 }],
    ['whenAway', { whenAway: 'fail' }],
    ['maxAwayMs', { maxAwayMs: -1 }],
  ])('a wrong `%s` is named: %o', (name, wrong) => {
    expect(() => redisState({ ...good, ...wrong } as never)).toThrow(TypeError);
    expect(() => redisState({ ...good, ...wrong } as never)).toThrow(`\`${name}\``);
  });
});
