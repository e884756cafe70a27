import { randomBytes } from 'node:crypto';
import { type OpenApiKeysOptions, openApiKeys } from 'concordat/api-keys';
import { afterEach, describe, expect, it } from 'vitest';
import { emptyDatabase, openForTest, runOnPostgres, sqlite } from './helpers/databases.js';
import { extendSqlite } from './helpers/driver.js';
import { ada, root } from './helpers/people.js';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Opens the keys, and says what `onError` was told meanwhile. */
const opened = async (url: string, options: Partial<OpenApiKeysOptions> = {}) => {
  const told: string[] = [];
  const onError = (error: unknown) => told.push((error as Error).message);
  const apiKeys = await openForTest({ database: url, edition: 'Ultimate', onError, ...options });
  const create = (name: string, description: string) =>
    apiKeys.create(ada, { name, description, expiresOn: apiKeys.maxExpiresOn() });
  const found = async (search: string) =>
    (await apiKeys.list(root, { scope: 'all', search })).items.map(({ name }) => name).sort();
  return { apiKeys, told, create, found };
};

/** Makes 1,000 keys more of one. */
const thousandMore = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000)
  insert into concordat_api_key (id, name, name_search, owner_id, owner_username, owner_search, secret_hash,
    pepper_version, created_on, expires_on)
  select id || n, name || n, name_search, owner_id, owner_username, owner_search, secret_hash, pepper_version,
    created_on, expires_on from concordat_api_key, numbers`;

/** From now on, SQLite has no FTS5. */
const withoutFts5 = async () => {
  const restore = await extendSqlite((DatabaseSync) => {
    const refuse = (statement: string) => {
      if (/using fts5|insert into \w+_trigrams/.test(statement)) throw new Error('no such module: fts5');
    };
    return class extends DatabaseSync {
      override exec(statement: string) {
        refuse(statement);
        super.exec(statement);
      }
      override prepare(statement: string) {
        refuse(statement);
        return super.prepare(statement);
      }
    };
  });
  cleanups.push(restore);
  return restore;
};

describe('searches on SQLite (K24)', () => {
  it('use the trigrams of FTS5, and nothing is told', async () => {
    const { url, query } = await emptyDatabase(sqlite);
    const { told, create, found } = await opened(url);
    await create('Nightly', 'runs on build-7');
    expect(await found('build-7')).toEqual(['Nightly']);
    expect(told).toEqual([]);
    const names = "select name from sqlite_master where name like '%trigrams'";
    expect(await query(names)).toEqual([{ name: 'concordat_api_key_search_trigrams' }]);
    // SQLite's own check: it compares the index with the texts.
    const check = 'insert into concordat_api_key_search_trigrams (concordat_api_key_search_trigrams, rank) values';
    await query(`${check} ('integrity-check', 1)`);
  });

  it('read all texts where FTS5 is missing, find the same, and say so once there are many', async () => {
    await withoutFts5();
    const { url, query } = await emptyDatabase(sqlite);
    const { apiKeys, told, create, found } = await opened(url);
    const { apiKey } = await create('Nightly', 'runs on build-7');
    await apiKeys.update(ada, apiKey.id, { description: '100%_' });
    expect([await found('build-7'), await found('0%_'), await found('ada')]).toEqual([[], ['Nightly'], ['Nightly']]);
    await apiKeys.close();
    await (await opened(url)).apiKeys.close();
    expect(told).toEqual([]);
    await query(thousandMore);
    expect((await opened(url)).told).toEqual([expect.stringMatching(/no FTS5.*rare word/)]);
  });

  it('have their index made anew where a part of it is missing', async () => {
    const { url, query } = await emptyDatabase(sqlite);
    const first = await opened(url);
    await first.create('one', 'build-1');
    await query('drop trigger concordat_api_key_search_inserted');
    await first.create('two', 'build-2');
    await first.apiKeys.close();
    const { found } = await opened(url);
    expect(await found('build-')).toEqual(['one', 'two']);
  });

  it('may lose FTS5 and get it back, and find what was written meanwhile', async () => {
    const { url } = await emptyDatabase(sqlite);
    const first = await opened(url);
    await first.create('one', 'build-1');
    await first.apiKeys.close();
    const restore = await withoutFts5();
    const second = await opened(url);
    await second.create('two', 'build-2');
    expect(await second.found('build-')).toEqual(['one', 'two']);
    await second.apiKeys.close();
    restore();
    const third = await opened(url);
    await third.create('three', 'build-3');
    expect(await third.found('build-')).toEqual(['one', 'three', 'two']);
    expect(third.told).toEqual([]);
  });
});

const servers = [process.env.CONCORDAT_POSTGRES_URL].filter((url) => url !== undefined);

describe.each(servers)('searches on PostgreSQL (K24)', (serverUrl) => {
  /** A database of its own: extensions are shared by all schemas. */
  const ownDatabase = async () => {
    const name = `trigrams_${randomBytes(6).toString('hex')}`;
    await runOnPostgres(serverUrl, `create database ${name}`);
    cleanups.push(() => runOnPostgres(serverUrl, `drop database ${name} with (force)`));
    const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
    return { url, query: (statement: string) => runOnPostgres(url, statement) };
  };

  it('read all texts without pg_trgm and say what helps; with it they have an index, whatever its schema', async () => {
    const { url, query } = await ownDatabase();
    const first = await opened(url);
    await first.create('Nightly', 'runs on build-7');
    expect(await first.found('build-7')).toEqual(['Nightly']);
    expect(first.told).toEqual([]);
    await first.apiKeys.close();
    await query(thousandMore);
    const many = await opened(url);
    expect(many.told).toEqual([expect.stringContaining('create extension pg_trgm')]);
    await many.apiKeys.close();

    await query('create schema elsewhere');
    await query('create extension pg_trgm schema elsewhere');
    const second = await opened(url);
    await second.create('Daily', 'runs on build-8');
    expect(await second.found('build-')).toEqual(['Daily', 'Nightly']);
    expect(second.told).toEqual([]);
    const [index] = await query(
      "select indexdef from pg_indexes where indexname = 'concordat_api_key_search_trigrams'",
    );
    expect(index?.indexdef).toMatch(/using gin \(text elsewhere\.gin_trgm_ops\)/i);
    // Five rows are read sooner than any index, unless that is forbidden.
    await query(`alter database ${new URL(url).pathname.slice(1)} set enable_seqscan = off`);
    const plan = await query("explain select id from concordat_api_key_search where text like '%build%' escape '!'");
    expect(JSON.stringify(plan)).toContain('Index Scan on concordat_api_key_search_trigrams');
  });

  it('may be opened by several at once', async () => {
    const { url, query } = await ownDatabase();
    await query('create extension pg_trgm');
    const open = () => openApiKeys({ database: url, edition: 'Ultimate' });
    for (const apiKeys of await Promise.all([open(), open(), open()])) await apiKeys.close();
  });
});
