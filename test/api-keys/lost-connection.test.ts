import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { compiled } from '../helpers/compiled.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada } from './helpers/people.js';

const [kind] = databaseKinds;

describe.skipIf(kind?.name !== 'PostgreSQL')('a connection that PostgreSQL ends during a transaction', () => {
  // If nobody listened for the connection's error, the process would end; vitest fails this run instead.
  it('fails that call alone: neither the process nor the next call', async () => {
    const { url } = await emptyDatabase(kind!);
    const apiKeys = await openForTest({ database: url, edition: 'Professional' });
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; lock table concordat_api_key in exclusive mode'); // readers pass, writers wait
    const revoked = apiKeys.revoke(ada, apiKey.id).catch((error: unknown) => error);
    const endWaiting = async () => {
      const { rowCount } = await other.query(`select pg_terminate_backend(pid) from pg_locks
        where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`);
      return rowCount;
    };
    await expect.poll(endWaiting, { timeout: 30_000 }).toBe(1);
    expect(await revoked).toMatchObject({
      kind: 'unavailable',
      cause: { message: expect.stringMatching(/^postgres:.*terminat/) },
    });
    await other.query('rollback');
    expect(await apiKeys.revoke(ada, apiKey.id)).toMatchObject({ status: 'Revoked' });
  });
});

describe.skipIf(kind?.name !== 'PostgreSQL')('a PostgreSQL that refuses for a moment is unavailable (K18)', () => {
  it('because a timeout of the server runs out', async () => {
    const { url } = await emptyDatabase(kind!);
    const first = await openForTest({ database: url, edition: 'Professional' });
    const { apiKey } = await first.create(ada, { name: 'CI', expiresOn: first.maxExpiresOn() });
    const impatient = await openForTest({ database: `${url}%20-c%20lock_timeout%3D2000`, edition: 'Professional' });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; lock table concordat_api_key in exclusive mode');
    expect(await impatient.revoke(ada, apiKey.id).catch((error: unknown) => error)).toMatchObject({
      kind: 'unavailable',
      cause: { message: expect.stringMatching(/^postgres:.*lock timeout/) },
    });
  });

  it.each([
    ['has become a replica', '25006'],
    ['has no room on its disk', '53100'],
    ['cannot serialize', '40001'],
  ])('because it %s (%s)', async (_what, state) => {
    const database = await emptyDatabase(kind!);
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional' });
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    await database.query(`create function refuse() returns trigger language plpgsql
      as $$ begin raise exception 'not now' using errcode = '${state}'; end $$`);
    await database.query('create trigger t before update on concordat_api_key execute function refuse()');
    expect(await apiKeys.revoke(ada, apiKey.id).catch((error: unknown) => error)).toMatchObject({
      kind: 'unavailable',
      cause: { message: expect.stringMatching(/^postgres:.*not now/) },
    });
  });
});

it.skipIf(kind?.name !== 'PostgreSQL').each(['26000', '42P05'])(
  'a prepared statement that a pooler has lost is told with what helps (%s)',
  async (state) => {
    const database = await emptyDatabase(kind!);
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional' });
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    await database.query(`create function refuse() returns trigger language plpgsql
      as $$ begin raise exception 'prepared statement' using errcode = '${state}'; end $$`);
    await database.query('create trigger t before update on concordat_api_key execute function refuse()');
    await expect(apiKeys.revoke(ada, apiKey.id)).rejects.toThrow(
      /^postgres:.*prepared statement\. .*PgBouncer.*`max_prepared_statements`/,
    );
  },
);

describe.skipIf(kind?.name !== 'PostgreSQL')('a PostgreSQL that cannot be reached', () => {
  /** The way to the server, which can be blocked: nothing comes through any more, and the connections stay. */
  async function wayTo(url: string) {
    const { hostname, port } = new URL(url);
    const sockets = new Set<Socket>();
    let isFrozen = false;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      const target = connect(Number(port), hostname);
      for (const [from, to] of [
        [socket, target],
        [target, socket],
      ] as const) {
        sockets.add(from);
        from.on('data', (bytes) => void (isFrozen || to.write(bytes)));
        from.on('error', () => {}).on('close', () => to.destroy());
      }
    });
    const listen = (port = 0) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await listen();
    const way = new URL(url);
    way.port = String((server.address() as AddressInfo).port);
    const cut = () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
    onTestFinished(cut);
    return {
      url: way.href,
      freeze: (frozen: boolean) => {
        isFrozen = frozen;
      },
      cut,
      mend: () => listen(Number(way.port)),
    };
  }

  const unavailable = {
    name: 'ApiKeyError',
    kind: 'unavailable',
    message: 'The database cannot be used right now. Try again in a few seconds.',
  };

  async function openOnTheWay() {
    const { url } = await emptyDatabase(kind!);
    const way = await wayTo(url);
    const apiKeys = await openForTest({ database: way.url, edition: 'Professional' });
    const { key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    return { apiKeys, way, key, names: `postgres://${new URL(way.url).host}/` };
  }

  it('keeps no process alive that has closed its keys', async () => {
    const { url } = await emptyDatabase(kind!);
    const way = await wayTo(url);
    const source = `
      import { once } from 'node:events';
      import { openApiKeys } from './src/api-keys/index.js';
      const apiKeys = await openApiKeys({ database: process.argv[2], edition: 'Professional', onError() {} });
      process.stdout.write('open');
      await once(process.stdin.resume(), 'end');
      await apiKeys.close();`;
    const child = spawn(process.execPath, [await compiled({ source }), way.url], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    way.freeze(true);
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('is `unavailable`, with the reason and the name of the database as the cause, until it is back (K18, K19)', async () => {
    const { apiKeys, way, key, names } = await openOnTheWay();
    way.cut();
    const cause = { message: expect.stringContaining(names) };
    for (const call of [() => apiKeys.authenticate({ 'x-api-key': key }), () => apiKeys.list(ada, {})]) {
      await expect(call()).rejects.toMatchObject({ ...unavailable, cause });
      await expect(call()).rejects.toMatchObject({ ...unavailable, cause: { ...cause, code: 'ECONNREFUSED' } });
    }
    await way.mend();
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toMatchObject({ userId: 'u-ada' });
    expect((await apiKeys.list(ada, {})).items).toHaveLength(1);
  });

  it('and does not answer is `unavailable` after five seconds for whoever presents a key (K19)', async () => {
    const { apiKeys, way, key } = await openOnTheWay();
    way.freeze(true);
    await expect(apiKeys.authenticate({ 'x-api-key': key })).rejects.toMatchObject(unavailable);
    way.freeze(false);
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toMatchObject({ userId: 'u-ada' });
  });

  it('and whose answer takes longer than `query_timeout` is given up then, not after another wait (K18)', async () => {
    const { url } = await emptyDatabase(kind!);
    const first = await openForTest({ database: url, edition: 'Professional' });
    const { apiKey } = await first.create(ada, { name: 'CI', expiresOn: first.maxExpiresOn() });
    const impatient = await openForTest({ database: `${url}&query_timeout=3000`, edition: 'Professional' });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; lock table concordat_api_key in exclusive mode'); // readers pass, writers wait
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => sent.mockRestore());
    await expect(impatient.revoke(ada, apiKey.id)).rejects.toMatchObject(unavailable);
    const texts = sent.mock.calls.map(([text]) => String(text));
    expect(texts.some((text) => text.startsWith('update'))).toBe(true); // control: the calls are seen
    expect(texts).not.toContain('rollback'); // it would wait as long again
    await other.query('rollback');
    expect((await first.get(ada, apiKey.id)).status).toBe('Active'); // nobody commits it afterwards
    expect(await impatient.revoke(ada, apiKey.id)).toMatchObject({ status: 'Revoked' });
  });

  it('and whose connections are all busy is, too: waiting for one counts (K18)', async () => {
    const { url } = await emptyDatabase(kind!);
    const apiKeys = await openForTest({ database: url, edition: 'Professional' });
    const { key, apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; lock table concordat_api_key in exclusive mode'); // readers pass, writers wait
    const writing = Array.from({ length: 10 }, (_, number) => apiKeys.update(ada, apiKey.id, { name: `CI ${number}` }));
    const waiting = 'select count(*)::int as count from pg_locks where not granted';
    await expect.poll(async () => (await other.query(waiting)).rows[0].count, { timeout: 30_000 }).toBe(10);
    // The driver itself would wait for ten seconds, and say something else.
    const cause = { message: expect.stringMatching(/^postgres:.*longer than 5000 ms/) };
    await expect(apiKeys.authenticate({ 'x-api-key': key })).rejects.toMatchObject({ ...unavailable, cause });
    await other.query('rollback');
    await Promise.allSettled(writing); // each but the first meets a newer version
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toMatchObject({ userId: 'u-ada' });
  });
});
