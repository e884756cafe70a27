import pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  databaseKinds,
  emptyDatabase,
  openForTest,
  openSqliteFile,
  sqlite,
  type TestDatabase,
} from './helpers/databases.js';
import { ada, manager, root } from './helpers/people.js';
import { startWriter } from './helpers/processes.js';
import { refusalOf } from './helpers/rejections.js';

const processTimeoutMs = 300_000;

describe.each(databaseKinds)('two at once on $name (K3, K17)', (kind) => {
  const openIn = (database: TestDatabase) => openForTest({ database: database.url, edition: 'Professional' });
  const settle = async (calls: readonly Promise<unknown>[]) => {
    const results = await Promise.allSettled(calls);
    return {
      done: results.filter(({ status }) => status === 'fulfilled').length,
      errors: results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
    };
  };

  it('of twenty creations of one name, one wins, and the others hear why', async () => {
    const database = await emptyDatabase(kind);
    const [one, two] = [await openIn(database), await openIn(database)];
    const expiresOn = one.maxExpiresOn();
    const { done, errors } = await settle(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? one : two).create(ada, { name: 'CI', expiresOn })),
    );
    expect(done).toBe(1);
    expect(errors).toHaveLength(19);
    for (const error of errors) {
      expect(error).toMatchObject({ kind: 'validation', message: 'API key name must be unique.' });
    }
    expect((await one.audits(ada)).items).toHaveLength(1);
  });

  it('of edits that began from the same version, one wins; the others are told', async () => {
    const database = await emptyDatabase(kind);
    const apiKeys = await openIn(database);
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    const names = ['A', 'B', 'C', 'D', 'E'];
    const { done, errors } = await settle(names.map((name) => apiKeys.update(ada, apiKey.id, { name, version: 1 })));
    expect(done).toBe(1);
    for (const error of errors) expect(error).toMatchObject({ kind: 'conflict' });
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ version: 2 });
    expect((await apiKeys.audits(ada, { revisionType: 'Update' })).items).toHaveLength(1);
    expect(await refusalOf(apiKeys.update(ada, apiKey.id, { name: 'F', version: 1 }))).toMatchObject({
      kind: 'conflict',
    });
    expect(await apiKeys.update(ada, apiKey.id, { name: 'F', version: 2 })).toMatchObject({ version: 3 });
  });

  it('an edit never brings a revoked key back, and a revocation is never lost to an edit', async () => {
    const database = await emptyDatabase(kind);
    const [one, two] = [await openIn(database), await openIn(database)];
    for (let round = 0; round < 30; round++) {
      const { apiKey, key } = await one.create(ada, { name: `Key ${round}`, expiresOn: one.maxExpiresOn() });
      const edit = () => (round % 3 ? one : two).update(manager, apiKey.id, { name: `Edited ${round}` });
      const revoke = () => one.revoke(root, apiKey.id);
      const calls = round % 2 ? [edit(), revoke(), edit()] : [revoke(), edit(), edit()];
      const [first, second] = await Promise.allSettled(calls);
      expect((round % 2 ? second : first)?.status).toBe('fulfilled');
      expect(await one.get(root, apiKey.id)).toMatchObject({ status: 'Revoked' });
      expect(await two.authenticate({ 'x-api-key': key })).toBeUndefined();
      const trail = (await one.audits(root, { apiKeyId: apiKey.id })).items.map(({ revisionType }) => revisionType);
      expect(trail[0]).toBe('Revoke');
      expect(trail.filter((type) => type === 'Revoke')).toHaveLength(1);
    }
  });

  it('neither an edit nor a revocation reaches a key that expires while it is under way', async () => {
    const database = await emptyDatabase(kind);
    const expiry = Date.parse('2027-06-01T00:00:00.000Z');
    let asked = 0;
    let expiresAtQuestion = Number.POSITIVE_INFINITY;
    const clock = {
      now: () => {
        asked += 1;
        return asked < expiresAtQuestion ? expiry - 1 : expiry;
      },
    };
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional', clock });
    const reached = { edits: 0, revocations: 0 };
    for (let question = 1; question <= 6; question++) {
      for (const job of ['edit', 'revoke'] as const) {
        expiresAtQuestion = Number.POSITIVE_INFINITY;
        const name = `${job} ${question}`;
        const { apiKey } = await apiKeys.create(ada, { name, expiresOn: new Date(expiry) });
        expiresAtQuestion = asked + question;
        const call =
          job === 'edit' ? apiKeys.update(ada, apiKey.id, { expiresOn: '2027-09-01' }) : apiKeys.revoke(ada, apiKey.id);
        await call.catch((error) => expect(['conflict', 'validation']).toContain(error.kind));
      }
    }
    const { items } = await apiKeys.audits(ada, { limit: 200 });
    for (const { revisionType, changeTime } of items) {
      expect(Date.parse(changeTime)).toBeLessThan(expiry);
      if (revisionType === 'Update') reached.edits += 1;
      if (revisionType === 'Revoke') reached.revocations += 1;
    }
    // Late enough, each was done: the clock did move in the middle of the others.
    expect(reached.edits).toBeGreaterThan(0);
    expect(reached.edits).toBeLessThan(6);
    expect(reached.revocations).toBeGreaterThan(0);
    expect(reached.revocations).toBeLessThan(6);
  });

  it('of revocations of one key, one wins, and the key has one entry', async () => {
    const database = await emptyDatabase(kind);
    const [one, two] = [await openIn(database), await openIn(database)];
    const { apiKey } = await one.create(ada, { name: 'CI', expiresOn: one.maxExpiresOn() });
    const { done, errors } = await settle([1, 2, 3, 4].map((index) => (index % 2 ? one : two).revoke(root, apiKey.id)));
    expect(done).toBe(1);
    for (const error of errors) expect(error).toMatchObject({ kind: 'conflict' });
    expect((await one.audits(root, { apiKeyId: apiKey.id, revisionType: 'Revoke' })).items).toHaveLength(1);
  });

  it('all keys of a user and single ones of them are revoked at once: each ends, with one entry of one author', async () => {
    const database = await emptyDatabase(kind);
    const [one, two] = [await openIn(database), await openIn(database)];
    const ids: string[] = [];
    for (let index = 0; index < 20; index++) {
      ids.push((await one.create(ada, { name: `Key ${index}`, expiresOn: one.maxExpiresOn() })).apiKey.id);
    }
    const single = ids.map((id) => two.revoke(manager, id));
    const all = one.revokeAllOf(root, 'u-ada');
    const edits = ids.map((id, index) => one.update(ada, id, { name: `Edited ${index}` }));
    const [{ done }, { revoked }] = await Promise.all([settle(single), all, settle(edits)]);
    expect(done + revoked).toBe(20);
    const { items } = await one.audits(root, { revisionType: 'Revoke', limit: 200 });
    expect(new Set(items.map(({ apiKeyId }) => apiKeyId))).toEqual(new Set(ids));
    expect(items).toHaveLength(20);
    expect(items.filter(({ author }) => author.id === 'u-manager')).toHaveLength(done);
    expect((await two.list(ada, { status: 'Revoked', limit: 200 })).items).toHaveLength(20);
  });

  it.runIf(kind.name === 'PostgreSQL')(
    'a revocation of many locks in the order of ids, as all writers do',
    async () => {
      const database = await emptyDatabase(kind);
      const apiKeys = await openIn(database);
      const idsInOrder = async () =>
        (await database.query('select id from concordat_api_key order by id')).map(({ id }) => id);
      const made: unknown[] = [];
      // The first id of all belongs to another key than the one that was made first.
      while (made.length < 3 || (await idsInOrder())[0] === made[0]) {
        const expiresOn = apiKeys.maxExpiresOn();
        made.push((await apiKeys.create(ada, { name: `Key ${made.length}`, expiresOn })).apiKey.id);
      }
      const [first, ...others] = await idsInOrder();
      const holder = new pg.Client({ connectionString: database.url });
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from concordat_api_key where id = $1 for update', [first]);
      const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
      const revocation = apiKeys.revokeAllOf(root, 'u-ada');
      const waiting = `select pid from pg_stat_activity where ${rows[0]?.pid} = any(pg_blocking_pids(pid))`;
      await expect.poll(() => database.query(waiting), { timeout: 30_000 }).toHaveLength(1);
      const free = await database.query('select id from concordat_api_key order by id for update skip locked');
      await holder.end();
      expect(free.map(({ id }) => id)).toEqual(others);
      expect(await revocation).toEqual({ revoked: made.length });
    },
  );

  it('renames to one name cannot both pass', async () => {
    const database = await emptyDatabase(kind);
    const [one, two] = [await openIn(database), await openIn(database)];
    const create = async (name: string) => (await one.create(ada, { name, expiresOn: one.maxExpiresOn() })).apiKey;
    const [first, second] = [await create('A'), await create('B')];
    const { done, errors } = await settle([
      one.update(root, first.id, { name: 'Same' }),
      two.update(root, second.id, { name: 'Same' }),
    ]);
    expect(done).toBe(1);
    expect(errors).toMatchObject([{ kind: 'validation', message: 'API key name must be unique.' }]);
  });

  it('the death of a user and a creation leave no Active key behind', async () => {
    const database = await emptyDatabase(kind);
    const apiKeys = await openIn(database);
    const expiresOn = apiKeys.maxExpiresOn();
    await settle([0, 1, 2].map((index) => apiKeys.create(ada, { name: `Key ${index}`, expiresOn })));
    await settle([apiKeys.userDeleted(root, 'u-ada'), apiKeys.userDeleted(root, 'u-ada')]);
    expect((await apiKeys.list(root, { scope: 'all', status: 'Active' })).items).toEqual([]);
    expect((await apiKeys.audits(root, { revisionType: 'Revoke' })).items).toHaveLength(3);
  });

  it('processes that open one empty database at the same time all make it theirs, and each name is made once', {
    timeout: processTimeoutMs,
  }, async () => {
    const database = await emptyDatabase(kind);
    const writers = await Promise.all(['a', 'b', 'c', 'd'].map((label) => startWriter(database.url, 'names', label)));
    expect(await Promise.all(writers.map((writer) => writer.ended()))).toEqual([0, 0, 0, 0]);
    const outcomes = writers
      .flatMap((writer) => writer.lines<{ name?: string; outcome?: string }>())
      .filter(({ name }) => name !== undefined);
    expect(outcomes).toHaveLength(160);
    const winners = outcomes.filter(({ outcome }) => outcome === 'created').map(({ name }) => name);
    expect(new Set(winners).size).toBe(40);
    expect(winners).toHaveLength(40);
    expect(outcomes.filter(({ outcome }) => outcome === 'validation')).toHaveLength(120);
  });

  it('processes that edit and revoke the same keys agree on every one', { timeout: processTimeoutMs }, async () => {
    const database = await emptyDatabase(kind);
    const apiKeys = await openIn(database);
    for (let index = 0; index < 60; index++) {
      await apiKeys.create(ada, { name: `Key ${index}`, expiresOn: apiKeys.maxExpiresOn() });
    }
    const editor = await startWriter(database.url, 'edit', 'editor');
    const revoker = await startWriter(database.url, 'revoke', 'revoker');
    expect(await Promise.all([editor.ended(), revoker.ended()])).toEqual([0, 0]);
    type Line = { id: string; outcome: string };
    for (const { outcome } of revoker.lines<Line>()) expect(outcome).toBe('done');
    for (const { id, outcome } of editor.lines<Line>()) {
      const trail = (await apiKeys.audits(root, { apiKeyId: id })).items.map(({ revisionType }) => revisionType);
      expect(trail).toEqual(outcome === 'done' ? ['Revoke', 'Update', 'Create'] : ['Revoke', 'Create']);
    }
    expect((await apiKeys.list(root, { scope: 'all', status: 'Revoked', limit: 200 })).items).toHaveLength(60);
  });
});

describe('another writer of a SQLite file (K18)', () => {
  it('is waited for while this process goes on: requests authenticate, and the writer itself can finish', async () => {
    const database = await emptyDatabase(sqlite);
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional' });
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    const other = await openSqliteFile(database.url);
    other.exec('begin immediate');
    let revoked = false;
    const revocation = apiKeys.revoke(ada, apiKey.id).then(() => {
      revoked = true;
    });
    // If each try of the revocation blocked the process for a second or more, this would not be over in time.
    for (let turn = 0; turn < 60; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
    }
    expect(revoked).toBe(false);
    other.exec('rollback');
    other.close();
    await revocation;
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
  });

  it('that does not end is a database that is unavailable (K19)', async () => {
    const database = await emptyDatabase(sqlite);
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional' });
    const other = await openSqliteFile(database.url);
    other.exec('begin immediate');
    const { kind, message, cause } = await refusalOf(
      apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() }),
    );
    other.close();
    expect([kind, message]).toEqual(['unavailable', expect.stringContaining('is writing to the database')]);
    expect((cause as Error).message).toContain(database.url);
  });
});
