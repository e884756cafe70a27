import type { DirectoryUser, OpenApiKeysOptions } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { emptyDatabase, openForTest, openSqliteFile, sqlite } from './helpers/databases.js';
import { ada } from './helpers/people.js';

describe('writing the last access (K10)', () => {
  const open = async (options: Partial<OpenApiKeysOptions> = {}) => {
    const { url, query } = await emptyDatabase(sqlite);
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const apiKeys = await openForTest({ database: url, edition: 'Professional', clock, onError, ...options });
    const create = async (name: string) => {
      const { key } = await apiKeys.create(ada, { name, expiresOn: apiKeys.maxExpiresOn() });
      return { use: () => apiKeys.authenticate({ 'x-api-key': key }) };
    };
    const written = async (name: string) =>
      Number((await query(`select last_accessed as at from concordat_api_key where name = '${name}'`))[0]?.at);
    return { apiKeys, clock, create, errors, query, url, written };
  };

  it('includes a use during a slow write, at most a second later', async () => {
    const { clock, create, url, written } = await open();
    const [one, two] = [await create('one'), await create('two')];
    const other = await openSqliteFile(url);
    other.exec('begin immediate');
    await one.use();
    clock.advance(500); // the write waits for the lock
    await two.use();
    clock.advance(500);
    other.exec('rollback');
    other.close();
    await expect.poll(() => written('one')).toBeGreaterThan(0);
    clock.advance(500);
    await expect.poll(() => written('two')).toBeGreaterThan(0);
  });

  it('ends with close(), which counts a request that is being checked and leaves no timer behind', async () => {
    let asked = () => {};
    let answer: (user: DirectoryUser) => void = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const user = { id: ada.userId, username: ada.username };
    let directoryIsSlow = false;
    const findById = async () => {
      if (!directoryIsSlow) return user;
      asked();
      return await new Promise<DirectoryUser>((resolve) => {
        answer = resolve;
      });
    };
    const { apiKeys, clock, create, errors, written } = await open({ users: { findById, findByUsername: () => user } });
    const { use } = await create('CI');
    directoryIsSlow = true;
    const used = use();
    await isAsked;
    const closed = apiKeys.close();
    answer(user);
    expect(await used).toBeDefined();
    await closed;
    expect(await written('CI')).toBe(clock.now());
    expect(clock.pending).toBe(0);
    expect(errors).toEqual([]);
  });

  it('that fails is told, and fails no list by last access', async () => {
    const { apiKeys, clock, create, errors, query, written } = await open();
    const { use } = await create('CI');
    await query(`create trigger no_room before update of last_accessed on concordat_api_key
      begin select raise(abort, 'no room'); end`);
    await use();
    expect((await apiKeys.list(ada, { sort: '-lastAccessed' })).items).toMatchObject([
      { lastAccessed: '2027-03-10T12:00:00.000Z' },
    ]);
    expect(errors).toMatchObject([{ message: expect.stringContaining('no room') }]);
    // Lists do not make the next attempt rarer.
    for (let lists = 0; lists < 5; lists++) await apiKeys.list(ada, { sort: '-lastAccessed' });
    await query('drop trigger no_room');
    clock.advance(500);
    await expect.poll(() => written('CI')).toBeGreaterThan(0);
  });

  it('that fails is tried again ever more rarely, and at once when it works again', async () => {
    const { clock, create, errors, query, written } = await open();
    const { use } = await create('CI');
    await query(`create trigger no_room before update of last_accessed on concordat_api_key
      begin select raise(abort, 'no room'); end`);
    await use();
    for (let failures = 1, delayMs = 500; failures < 10; failures++, delayMs = Math.min(2 * delayMs, 30_000)) {
      clock.advance(delayMs - 1);
      expect(errors).toHaveLength(failures - 1);
      clock.advance(1);
      await expect.poll(() => errors.length).toBe(failures);
    }
    await query('drop trigger no_room');
    clock.advance(30_000);
    await expect.poll(() => written('CI')).toBeGreaterThan(0);
    await use();
    clock.advance(500);
    await expect.poll(() => written('CI')).toBe(clock.now() - 500);
  });

  it('that fails while the keys are closed is told, and does not fail the end of a service', async () => {
    const { apiKeys, create, errors, query } = await open();
    const { use } = await create('CI');
    await query(`create trigger no_room before update of last_accessed on concordat_api_key
      begin select raise(abort, 'no room'); end`);
    await use();
    await apiKeys.close();
    expect(errors).toMatchObject([{ message: expect.stringContaining('no room') }]);
  });
});
