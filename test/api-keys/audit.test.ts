import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob, manager, root, TestUsers } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

describe.each(databaseKinds)('the audit trail on $name (K6)', (kind) => {
  const open = async () => {
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const database = await emptyDatabase(kind);
    const users = new TestUsers(ada, bob, manager, root);
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional', clock, users });
    return { apiKeys, clock, database, users };
  };

  it('has name and expiry of a creation, old and new values of an edit, the status of a revocation', async () => {
    const { apiKeys, clock } = await open();
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01T00:00:00Z' });
    clock.advance(1000);
    await apiKeys.update(ada, apiKey.id, { name: 'CI 2' });
    clock.advance(1000);
    await apiKeys.update(manager, apiKey.id, { name: 'CI 3', expiresOn: '2027-07-01T00:00:00Z' });
    clock.advance(1000);
    await apiKeys.revoke({ ...root, origin: 'API' }, apiKey.id);
    const { items, nextCursor } = await apiKeys.audits(root, { apiKeyId: apiKey.id });
    const common = { id: expect.any(Number), apiKeyId: apiKey.id, actingApiKey: null };
    expect(items).toEqual([
      {
        ...common,
        name: 'CI 3',
        author: { id: 'u-root', username: 'root' },
        changeTime: '2027-03-10T12:00:03.000Z',
        revisionType: 'Revoke',
        changes: [{ field: 'status', from: 'Active', to: 'Revoked' }],
        origin: 'API',
      },
      {
        ...common,
        name: 'CI 3',
        author: { id: 'u-manager', username: 'manager' },
        changeTime: '2027-03-10T12:00:02.000Z',
        revisionType: 'Update',
        changes: [
          { field: 'name', from: 'CI 2', to: 'CI 3' },
          { field: 'expiresOn', from: '2027-06-01T00:00:00.000Z', to: '2027-07-01T00:00:00.000Z' },
        ],
        origin: 'UI',
      },
      {
        ...common,
        name: 'CI 2',
        author: { id: 'u-ada', username: 'ada' },
        changeTime: '2027-03-10T12:00:01.000Z',
        revisionType: 'Update',
        changes: [{ field: 'name', from: 'CI', to: 'CI 2' }],
        origin: 'UI',
      },
      {
        ...common,
        name: 'CI',
        author: { id: 'u-ada', username: 'ada' },
        changeTime: '2027-03-10T12:00:00.000Z',
        revisionType: 'Create',
        changes: [
          { field: 'name', from: null, to: 'CI' },
          { field: 'expiresOn', from: null, to: '2027-06-01T00:00:00.000Z' },
        ],
        origin: 'UI',
      },
    ]);
    expect(nextCursor).toBeNull();
    const ids = items.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((one, other) => other - one));
  });

  it('has no entry for an edit that changes nothing', async () => {
    const { apiKeys } = await open();
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    for (const changes of [{ name: 'CI' }, { name: ' CI ' }, { expiresOn: apiKey.expiresOn, name: 'CI' }]) {
      expect(await apiKeys.update(ada, apiKey.id, changes)).toEqual(apiKey);
    }
    expect((await apiKeys.audits(ada)).items).toHaveLength(1);
    await apiKeys.update(ada, apiKey.id, { name: 'CI 2' });
    expect((await apiKeys.audits(ada)).items).toHaveLength(2);
  });

  it('has no entry for what was refused, nor for expiry or use', async () => {
    const { apiKeys, clock } = await open();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    await refusalOf(apiKeys.create(bob, { name: 'CI', expiresOn: '2027-06-01' }));
    await refusalOf(apiKeys.update(bob, apiKey.id, { name: 'X' }));
    await apiKeys.authenticate({ 'x-api-key': key });
    clock.set('2027-07-01T00:00:00Z');
    await apiKeys.authenticate({ 'x-api-key': key });
    await refusalOf(apiKeys.revoke(ada, apiKey.id));
    expect((await apiKeys.audits(root)).items).toHaveLength(1);
  });

  it('cannot be changed, shortened or overwritten in the database', async () => {
    const { apiKeys, database } = await open();
    await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    const before = (await apiKeys.audits(ada)).items;
    const attempts = [
      "update concordat_api_key_audit set name = 'x'",
      'delete from concordat_api_key_audit',
      'delete from concordat_api_key',
      ...(kind.name === 'SQLite'
        ? ['insert or replace into concordat_api_key_audit select * from concordat_api_key_audit']
        : ['truncate concordat_api_key_audit', 'truncate concordat_api_key cascade']),
    ];
    for (const attempt of attempts) {
      await expect(database.query(`${attempt}`)).rejects.toThrow(/append-only|foreign key|FOREIGN KEY/);
    }
    expect((await apiKeys.audits(ada)).items).toEqual(before);
  });

  it('and the change itself are one: without the entry there is no change', async () => {
    const { apiKeys, database } = await open();
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    const refuse = {
      SQLite: [
        "create trigger broken before insert on concordat_api_key_audit begin select raise(abort, 'disk full'); end",
      ],
      PostgreSQL: [
        "create function broken() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$",
        'create trigger broken before insert on concordat_api_key_audit execute function broken()',
      ],
    }[kind.name] as string[];
    for (const statement of refuse) await database.query(statement);
    await expect(apiKeys.create(ada, { name: 'New', expiresOn: '2027-06-01' })).rejects.toThrow('disk full');
    await expect(apiKeys.update(ada, apiKey.id, { name: 'New' })).rejects.toThrow('disk full');
    await expect(apiKeys.revoke(ada, apiKey.id)).rejects.toThrow('disk full');
    await expect(apiKeys.userDeleted(root, 'u-ada')).rejects.toThrow('disk full');
    expect((await apiKeys.list(ada)).items).toEqual([apiKey]);
    await database.query(`drop trigger broken${kind.name === 'SQLite' ? '' : ' on concordat_api_key_audit'}`);
    expect(await apiKeys.revoke(ada, apiKey.id)).toMatchObject({ status: 'Revoked' });
  });

  it('is paged and filtered', async () => {
    const { apiKeys } = await open();
    for (let index = 0; index < 7; index++) {
      const { apiKey } = await apiKeys.create(ada, { name: `Key ${index}`, expiresOn: '2027-06-01' });
      if (index % 2 === 0) await apiKeys.revoke(ada, apiKey.id);
    }
    const seen = [];
    let cursor: string | null | undefined;
    do {
      const page = await apiKeys.audits(root, { limit: 4, cursor: cursor ?? undefined });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(11);
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => other - one));
    expect((await apiKeys.audits(root, { revisionType: 'Revoke' })).items).toHaveLength(4);
    expect((await apiKeys.audits(bob)).items).toEqual([]);
  });

  it.each([true, false])('goes on only with the rights it began with: all keys first %s (K7)', async (superAdmin) => {
    const { apiKeys, users } = await open();
    users.change('u-root', { superAdmin });
    for (const [index, actor] of [ada, root, root].entries()) {
      await apiKeys.create(actor, { name: `Key ${index}`, expiresOn: '2027-06-01' });
    }
    const cursor = (await apiKeys.audits(root, { limit: 1 })).nextCursor as string;
    expect((await apiKeys.audits(root, { limit: 1, cursor })).items).toHaveLength(1);
    users.change('u-root', { superAdmin: !superAdmin });
    expect((await refusalOf(apiKeys.audits(root, { cursor }))).fieldErrors).toMatchObject([{ field: 'cursor' }]);
    const scope = superAdmin ? 'all' : 'my';
    users.change('u-root', { superAdmin });
    expect((await apiKeys.audits(root, { cursor, scope })).items).toHaveLength(superAdmin ? 2 : 1);
  });

  it('has a revocation for every Active key of a deleted user, by the deleting user, origin System', async () => {
    const { apiKeys, clock, users } = await open();
    const expired = await apiKeys.create(ada, { name: 'Expired', expiresOn: '2027-04-01T00:00:00Z' });
    const active = await apiKeys.create(ada, { name: 'Active', expiresOn: '2027-12-01' });
    const revoked = await apiKeys.create(ada, { name: 'Revoked', expiresOn: '2027-12-01' });
    const ofBob = await apiKeys.create(bob, { name: 'Of Bob', expiresOn: '2027-12-01' });
    await apiKeys.revoke(ada, revoked.apiKey.id);
    clock.set('2027-05-01T00:00:00Z');
    users.users.delete('u-ada');
    expect(await apiKeys.userDeleted({ ...root, origin: 'UI' }, 'u-ada')).toEqual({ revoked: 1 });
    const statuses = (await apiKeys.list(root, { scope: 'all', sort: 'name' })).items.map(({ name, status }) => [
      name,
      status,
    ]);
    expect(statuses).toEqual([
      ['Active', 'Revoked'],
      ['Expired', 'Expired'],
      ['Of Bob', 'Active'],
      ['Revoked', 'Revoked'],
    ]);
    const [entry, ...older] = (await apiKeys.audits(root, { apiKeyId: active.apiKey.id })).items;
    expect(entry).toMatchObject({
      name: 'Active',
      author: { id: 'u-root', username: 'root' },
      revisionType: 'Revoke',
      origin: 'System',
      changeTime: '2027-05-01T00:00:00.000Z',
      changes: [{ field: 'status', from: 'Active', to: 'Revoked' }],
    });
    expect(older).toHaveLength(1);
    expect((await apiKeys.audits(root, { apiKeyId: expired.apiKey.id })).items).toHaveLength(1);
    expect(await apiKeys.authenticate({ 'x-api-key': ofBob.key })).toBeDefined();
    expect(await apiKeys.userDeleted(root, 'u-ada')).toEqual({ revoked: 0 });
    users.users.set('u-ada', { id: 'u-ada', username: 'ada' });
    expect(await apiKeys.authenticate({ 'x-api-key': active.key })).toBeUndefined();
  });

  it('takes a user with thousands of keys in one transaction', async () => {
    const { apiKeys, database } = await open();
    await apiKeys.create(ada, { name: 'First', expiresOn: '2027-12-01' });
    const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 3500)';
    const id = kind.name === 'SQLite' ? "printf('%012d', i)" : "lpad(i::text, 12, '0')";
    await database.query(`insert into concordat_api_key (id, name, name_search, owner_id, owner_username, owner_search,
        secret_hash, pepper_version, created_on, expires_on)
      ${numbers} select ${id}, 'key ' || i, 'key ' || i, owner_id, owner_username, owner_search,
        secret_hash, pepper_version, created_on, expires_on from n, (select * from concordat_api_key limit 1) k`);
    expect(await apiKeys.userDeleted(root, 'u-ada')).toEqual({ revoked: 3501 });
    expect((await apiKeys.list(root, { scope: 'all', status: 'Active' })).items).toEqual([]);
    const [{ count } = {}] = await database.query('select count(*) as count from concordat_api_key_audit');
    expect(Number(count)).toBe(3502);
  });

  it('wants the id of the deleted user', async () => {
    const { apiKeys } = await open();
    for (const userId of [undefined, null, '', {}, 'a\0'] as unknown as string[]) {
      const must = userId === 'a\0' ? 'must not contain a NUL character' : 'must be a non-empty string';
      await expect(apiKeys.userDeleted(root, userId)).rejects.toThrow(`\`userId\` ${must}.`);
    }
  });
});
