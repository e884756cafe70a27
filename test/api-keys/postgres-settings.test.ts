import { randomBytes } from 'node:crypto';
import { openApiKeys } from 'concordat/api-keys';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest, runOnPostgres } from './helpers/databases.js';
import { ada, root } from './helpers/people.js';

const [kind] = databaseKinds;
const servers = [process.env.CONCORDAT_POSTGRES_URL].filter((url) => url !== undefined);

/** A database of its own: encodings, and the schema `public`. */
async function ownDatabase(serverUrl: string, options = '') {
  const name = `own_${randomBytes(6).toString('hex')}`;
  await runOnPostgres(serverUrl, `create database ${name} ${options}`);
  onTestFinished(async () => {
    await runOnPostgres(serverUrl, `drop database ${name} with (force)`);
    await runOnPostgres(serverUrl, `drop role if exists ${name}`);
  });
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  return { name, url, query: (statement: string) => runOnPostgres(url, statement) };
}

describe.each(servers)('a role with a schema of its own', (serverUrl) => {
  const schemas = async (query: (statement: string) => Promise<Record<string, unknown>[]>) => {
    const rows = await query(`select distinct relnamespace::regnamespace::text as schema from pg_class
      where relname like 'concordat%' union select pronamespace::regnamespace::text from pg_proc
      where proname like 'concordat%'`);
    return rows.map(({ schema }) => schema);
  };

  it('uses the tables that are in `public` already, and adds what is missing beside them', async () => {
    const { name, url, query } = await ownDatabase(serverUrl);
    await query('create extension pg_trgm');
    const first = await openForTest({ database: url, edition: 'Professional' });
    const { key } = await first.create(ada, { name: 'CI', expiresOn: first.maxExpiresOn() });
    await query(`create role ${name} login superuser password 'secret'; create schema authorization ${name}`);
    // As the release before has left them.
    await query(`drop table concordat_api_key_search; drop index concordat_api_key_audit_by_filter;
      alter table concordat_api_key drop description, drop recent_uses, drop warned_ms, drop warning_until;
      update concordat_api_key_schema set version = 4`);
    const told: unknown[] = [];
    const asRole = Object.assign(new URL(url), { username: name, password: 'secret' }).href;
    const onError = (error: unknown) => told.push(error);
    const apiKeys = await openForTest({ database: asRole, edition: 'Professional', onError });
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toMatchObject({ userId: ada.userId });
    expect(await schemas(query)).toEqual(['public']);
    const index = "select 1 from pg_class where relname = 'concordat_api_key_search_trigrams'";
    expect(await query(index)).toHaveLength(1);
    expect(told).toEqual([]);
  });

  it('creates the tables there in an empty database', async () => {
    const { name, url, query } = await ownDatabase(serverUrl);
    await query(`create role ${name} login password 'secret'; create schema authorization ${name}`);
    const asRole = Object.assign(new URL(url), { username: name, password: 'secret' }).href;
    for (let opening = 0; opening < 2; opening++) {
      await (await openApiKeys({ database: asRole, edition: 'Professional', onError: () => {} })).close();
      expect(await schemas(query)).toEqual([name]);
    }
  });
});

describe.each(servers)('the encoding of a database', (serverUrl) => {
  it('is refused at opening where it cannot hold every name and client', async () => {
    const { url } = await ownDatabase(serverUrl, "encoding 'LATIN1' locale 'C' template template0");
    const opened = openApiKeys({ database: url, edition: 'Professional' });
    await expect(opened).rejects.toThrow(/^postgres:.* encoding of the database is LATIN1, .*UTF8/);
  });

  it('may be SQL_ASCII, which holds any bytes', async () => {
    const { url } = await ownDatabase(serverUrl, "encoding 'SQL_ASCII' locale 'C' template template0");
    const open = () => openForTest({ database: url, edition: 'Professional', onError: () => {} });
    const apiKeys = await open();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'Größe 漢字 😀', expiresOn: apiKeys.maxExpiresOn() });
    await apiKeys.authenticate({ 'x-api-key': key, 'user-agent': 'Ünï 漢' });
    await apiKeys.close();
    const again = await open();
    const found = await again.list(root, { scope: 'all', search: 'GRÖSSE 漢' });
    expect((await again.list(root, { scope: 'all', search: 'größe 漢' })).items).toHaveLength(1);
    expect(found.items).toHaveLength(0);
    expect(await again.get(ada, apiKey.id)).toMatchObject({
      name: 'Größe 漢字 😀',
      recentUses: [{ userAgent: 'Ünï 漢' }],
    });
  });
});

describe.skipIf(kind?.name !== 'PostgreSQL')('settings of a server', () => {
  /** API keys on connections with these settings. */
  async function withSettings(settings: string) {
    const { url } = await emptyDatabase(kind!);
    const apiKeys = await openForTest({ database: `${url}%20-c%20${settings}`, edition: 'Professional' });
    const { apiKey } = await apiKeys.create(ada, { name: 'CI 100%_!\\', expiresOn: apiKeys.maxExpiresOn() });
    return { url, apiKeys, apiKey };
  }

  it.each(['repeatable%5C%20read', 'serializable'])(
    'change nothing for simultaneous changes: %s (K17)',
    async (level) => {
      const { url, apiKeys, apiKey } = await withSettings(`default_transaction_isolation%3D${level}`);
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      onTestFinished(() => other.end());
      /** Another client edits the key while the change waits for it. */
      const meanwhile = async (change: () => Promise<unknown>) => {
        await other.query('begin; update concordat_api_key set version = version + 1');
        const changed = change().catch((error: unknown) => error);
        const waiting = `select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
        await expect.poll(async () => (await other.query(waiting)).rowCount, { timeout: 30_000 }).toBe(1);
        await other.query('commit');
        return await changed;
      };
      expect(await meanwhile(() => apiKeys.update(ada, apiKey.id, { name: 'X' }))).toMatchObject({ kind: 'conflict' });
      expect(await meanwhile(() => apiKeys.revoke(ada, apiKey.id))).toMatchObject({ status: 'Revoked' });
    },
  );

  it('change nothing for searches: strings in which a backslash escapes (K24)', async () => {
    const { apiKeys } = await withSettings('standard_conforming_strings%3Doff');
    const found = async (search: string) => (await apiKeys.list(ada, { search })).items.length;
    expect([await found('0%_!\\'), await found('!'), await found('1_'), await found('1%0')]).toEqual([1, 1, 0, 0]);
  });
});

describe.each(servers)('the number of connections', (serverUrl) => {
  it('is what the URL says at most', async () => {
    const { url, query } = await ownDatabase(serverUrl);
    const apiKeys = await openForTest({ database: `${url}?max=2`, edition: 'Professional' });
    const { key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    const found = await Promise.all(Array.from({ length: 50 }, () => apiKeys.authenticate({ 'x-api-key': key })));
    expect(found.every((each) => each?.userId === ada.userId)).toBe(true);
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        apiKeys.create(ada, { name: `Key ${index}`, expiresOn: apiKeys.maxExpiresOn() }),
      ),
    );
    const open = await query(
      "select 1 from pg_stat_activity where application_name = 'concordat' and datname = current_database()",
    );
    expect(open).toHaveLength(2);
  });
});

it.each(['0', 'many', '1.5', ''])('refuses max=%s', async (max) => {
  const opening = openApiKeys({ database: `postgres://user@127.0.0.1:1/keys?max=${max}`, edition: 'Professional' });
  await expect(opening).rejects.toThrow('`max` in the URL must be a whole number, 1 or more');
});

describe('the timeouts in the URL are whole numbers of milliseconds', () => {
  const names = ['query_timeout', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  const openWith = (query: string) =>
    openApiKeys({ database: `postgres://nobody@127.0.0.1:1/keys?${query}`, edition: 'Professional' });

  it.each(names)('%s', async (name) => {
    for (const wrong of ['30s', 'abc', '-1', '1.5', '1e3', '', '%2030', '9999999999', '30&max=5&NAME=x']) {
      const error = await openWith(`${name}=${wrong.replace('NAME', name)}`).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toMatch(`\`database\`: \`${name}\` in the URL must be a whole number of milli`);
    }
    // Nobody listens at port 1.
    await expect(openWith(`max=5&${name}=30000`)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('0 is no end for the server, but no time at all for the driver', async () => {
    await expect(openWith('query_timeout=0')).rejects.toThrow('from 1 to 999999999');
    for (const name of names.slice(1)) await expect(openWith(`${name}=0`)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('what the driver does not read is not checked', async () => {
    await expect(openWith('idleTimeoutMillis=abc')).rejects.toThrow(/ECONNREFUSED/);
  });
});
