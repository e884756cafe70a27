import type { ActorLike, OpenApiKeysOptions } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob, manager, root, TestUsers } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

describe.each(databaseKinds)('who may do what on $name', (kind) => {
  const open = async (users?: TestUsers, options: Partial<OpenApiKeysOptions> = {}) => {
    const { url } = await emptyDatabase(kind);
    const apiKeys = await openForTest({ database: url, edition: 'Professional', users, ...options });
    const create = (actor: ActorLike, name: string) =>
      apiKeys.create(actor, { name, expiresOn: apiKeys.maxExpiresOn() });
    return { apiKeys, create };
  };
  const everybody = () => new TestUsers(ada, bob, manager, root);

  it('knows a user by a number, too', async () => {
    const { apiKeys, create } = await open();
    const { apiKey } = await create({ id: 7, username: 'ada' } as unknown as ActorLike, 'CI');
    expect(apiKey.createdBy).toEqual({ id: '7', username: 'ada' });
    expect(await apiKeys.get({ userId: '7', username: 'ada' }, apiKey.id)).toMatchObject({ id: apiKey.id });
  });

  it('knows a user by an id as long as those of LDAP may be, and makes no key for a longer one', async () => {
    const { apiKeys, create } = await open();
    const userId = `CN=${'x'.repeat(1021)}`;
    await create({ userId, username: 'ada' }, 'CI');
    expect((await apiKeys.list(root, { createdBy: userId })).items).toMatchObject([{ name: 'CI' }]);
    expect((await apiKeys.audits(root, { author: userId })).items).toMatchObject([{ name: 'CI' }]);
  });

  it('takes ids and names of 1024 bytes in any script, and makes no key for longer ones (K16)', async () => {
    const { apiKeys, create } = await open();
    // No two alike: PostgreSQL compresses what repeats, and indexes the rest.
    const text = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => String.fromCharCode(from + ((index * 7919) % 20_000))).join('');
    const [userId, username] = [`${text(0x4e00, 341)}x`, `${text(0x4e01, 341)}y`];
    const { apiKey } = await create({ userId, username }, 'CI');
    expect(apiKey.createdBy).toEqual({ id: userId, username });
    expect((await apiKeys.list(root, { createdBy: userId, sort: 'createdBy' })).items).toHaveLength(1);
    expect((await apiKeys.audits(root, { author: username })).items).toHaveLength(1);
    for (const tooLong of [
      { userId: `${userId}x`, username },
      { userId: text(0x4e00, 1024), username },
      { userId, username: `${username}y` },
      // Each of them is searched as 18 characters.
      { userId, username: '\ufdfa'.repeat(40) },
    ]) {
      const message = 'A user whose id or name has more than 1024 bytes cannot have API keys.';
      expect(await refusalOf(create(tooLong, 'Other'))).toMatchObject({ kind: 'validation', message });
    }
  });

  it("answers somebody else's key exactly like no key at all (K7)", async () => {
    const { apiKeys, create } = await open(everybody());
    const { apiKey } = await create(ada, 'CI');
    const unknown = 'AAAAAAAAAAAA';
    const notFound = { kind: 'not-found', message: 'API key not found.', fieldErrors: [] };
    for (const id of [apiKey.id, unknown, '', '../x', 'x'.repeat(10_000), "' or 1=1 --", 'AAAAAAAAAAA\0']) {
      expect(await refusalOf(apiKeys.get(bob, id))).toMatchObject(notFound);
      expect(await refusalOf(apiKeys.update(bob, id, { name: 'Mine' }))).toMatchObject(notFound);
      expect(await refusalOf(apiKeys.revoke(bob, id))).toMatchObject(notFound);
      if (id !== '') expect(await refusalOf(apiKeys.audits(bob, { apiKeyId: id }))).toMatchObject(notFound);
    }
    for (const id of [undefined, null, 7, {}, [apiKey.id]] as unknown as string[]) {
      expect(await refusalOf(apiKeys.get(ada, id))).toMatchObject(notFound);
    }
    expect(await apiKeys.get(ada, apiKey.id)).toEqual(apiKey);
  });

  it('shows a regular user only the own keys and audits, and refuses the scope `all` (K7)', async () => {
    const { apiKeys, create } = await open(everybody());
    const own = await create(ada, 'Of Ada');
    await create(bob, 'Of Bob');
    expect((await apiKeys.list(ada)).items).toEqual([own.apiKey]);
    expect((await apiKeys.list(ada, { scope: 'my' })).items).toEqual([own.apiKey]);
    expect((await apiKeys.audits(ada)).items.map(({ name }) => name)).toEqual(['Of Ada']);
    expect(await apiKeys.mayManageAll(ada)).toBe(false);
    for (const call of [apiKeys.list(ada, { scope: 'all' }), apiKeys.audits(ada, { scope: 'all' })]) {
      expect(await refusalOf(call)).toMatchObject({ kind: 'forbidden' });
    }
  });

  it.each([
    ['a Super Admin', root],
    ['a role with User Management – Write', manager],
  ])(
    'lets %s see, edit and revoke the keys of all, and switch to the own ones (specification 5.3)',
    async (_, actor) => {
      const { apiKeys, create } = await open(everybody());
      const ofAda = await create(ada, 'Of Ada');
      const own = await create(actor, 'Own');
      expect(await apiKeys.mayManageAll(actor)).toBe(true);
      const all = (await apiKeys.list(actor, { scope: 'all' })).items.map(({ name }) => name);
      expect(all.sort()).toEqual(['Of Ada', 'Own']);
      expect((await apiKeys.list(actor, { scope: 'my' })).items).toEqual([own.apiKey]);
      expect((await apiKeys.list(actor)).items).toEqual([own.apiKey]);
      expect((await apiKeys.audits(actor)).items).toHaveLength(2);
      expect((await apiKeys.audits(actor, { scope: 'my' })).items.map(({ name }) => name)).toEqual(['Own']);
      expect(await apiKeys.get(actor, ofAda.apiKey.id)).toEqual(ofAda.apiKey);
      const edited = await apiKeys.update(actor, ofAda.apiKey.id, { name: 'Still of Ada' });
      expect(edited.createdBy).toEqual({ id: 'u-ada', username: 'ada' });
      expect(await apiKeys.revoke(actor, ofAda.apiKey.id)).toMatchObject({ status: 'Revoked' });
    },
  );

  it('asks the directory at every call: a right given or taken counts at once (K11)', async () => {
    const users = everybody();
    const { apiKeys, create } = await open(users);
    const { apiKey } = await create(ada, 'CI');
    await refusalOf(apiKeys.get(bob, apiKey.id));
    users.change('u-bob', { permissions: ['User Management – Write'] });
    expect(await apiKeys.get(bob, apiKey.id)).toEqual(apiKey);
    users.change('u-bob', { permissions: ['User Management – Read'] });
    await refusalOf(apiKeys.get(bob, apiKey.id));
  });

  it('takes a directory whose answers are awaited without being promises, as the queries of many a library', async () => {
    const users = everybody();
    const findById = (id: string) => {
      // biome-ignore lint/suspicious/noThenProperty: this is what the test is about
      return { then: (...on: Parameters<Promise<unknown>['then']>) => users.findById(id).then(...on) };
    };
    const { apiKeys, create } = await open({ ...users, findById } as unknown as TestUsers);
    const { key } = await create(ada, 'CI');
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toMatchObject({ userId: ada.userId });
    users.users.delete(ada.userId);
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
  });

  it('believes the directory and not the actor where there is one', async () => {
    const { apiKeys, create } = await open(everybody());
    const { apiKey } = await create(ada, 'CI');
    const pretender = { ...bob, superAdmin: true, permissions: ['User Management – Write'], username: 'root' };
    await refusalOf(apiKeys.get(pretender, apiKey.id));
    const own = await create(pretender, 'Own');
    expect(own.apiKey.createdBy).toEqual({ id: 'u-bob', username: 'bob' });
  });

  it('refuses users whom the directory does not know or who are disabled', async () => {
    const users = everybody();
    const { apiKeys, create } = await open(users);
    users.change('u-bob', { enabled: false });
    for (const actor of [bob, { userId: 'u-nobody', username: 'nobody' }]) {
      for (const call of [
        create(actor, 'X'),
        apiKeys.list(actor),
        apiKeys.audits(actor),
        apiKeys.mayManageAll(actor),
      ]) {
        expect(await refusalOf(call)).toMatchObject({ kind: 'forbidden' });
      }
    }
  });

  it("takes the actor's own rights where there is no directory", async () => {
    const { apiKeys, create } = await open();
    const { apiKey } = await create({ id: 'u-ada', username: 'ada' }, 'CI');
    expect(apiKey.createdBy).toEqual({ id: 'u-ada', username: 'ada' });
    await refusalOf(apiKeys.get(bob, apiKey.id));
    for (const actor of [root, manager, { id: 'x', username: 'x', roles: ['Viewer', 'Super Admin'] }]) {
      expect(await apiKeys.get(actor, apiKey.id)).toEqual(apiKey);
    }
    for (const dash of ['-', '‐', '‑', '‒', '–', ' — ', '―', '−', ':']) {
      expect(await apiKeys.mayManageAll({ ...bob, permissions: [`user management${dash}Write`] })).toBe(true);
    }
    for (const permission of [
      'User Management – Read',
      'Write',
      'xUser Management – Write',
      'User Management – Write2',
    ]) {
      expect(await apiKeys.mayManageAll({ ...bob, permissions: [permission] })).toBe(false);
    }
  });

  it.each(['true', 'false', 1, 0, null])('takes a user with `enabled` %j for disabled', async (enabled) => {
    const users = everybody();
    const { apiKeys } = await open(users);
    await apiKeys.list(ada); // control
    users.change(ada.userId, { enabled: enabled as unknown as boolean });
    expect(await refusalOf(apiKeys.list(ada))).toMatchObject({ kind: 'forbidden' });
  });

  it.each(['false', 'true', 1, {}, []])('takes a `superAdmin` of %j for none: only true is one', async (superAdmin) => {
    const pretender = { ...bob, superAdmin: superAdmin as unknown as boolean };
    const users = everybody();
    users.change('u-bob', { superAdmin: pretender.superAdmin });
    for (const directory of [users, undefined]) {
      const { apiKeys, create } = await open(directory);
      const { apiKey } = await create(ada, 'CI');
      expect(await apiKeys.mayManageAll(pretender)).toBe(false);
      expect(await refusalOf(apiKeys.get(pretender, apiKey.id))).toMatchObject({ kind: 'not-found' });
      expect(await apiKeys.mayManageAll(root)).toBe(true); // control
    }
  });

  it('makes every key for the actor, whatever fields the request has (K16)', async () => {
    const { apiKeys } = await open(everybody());
    const forged = {
      name: 'CI',
      expiresOn: apiKeys.maxExpiresOn(),
      userId: 'u-root',
      ownerId: 'u-root',
      createdBy: { id: 'u-root', username: 'root' },
      id: 'AAAAAAAAAAAA',
      status: 'Revoked',
      key: 'ck_x',
      lastAccessed: '2020-01-01T00:00:00.000Z',
      version: 9,
    };
    const { apiKey } = await apiKeys.create(ada, forged);
    expect(apiKey).toMatchObject({
      createdBy: { id: 'u-ada', username: 'ada' },
      status: 'Active',
      lastAccessed: null,
      version: 1,
    });
    expect(apiKey.id).not.toBe('AAAAAAAAAAAA');
    const edited = await apiKeys.update(ada, apiKey.id, { ...forged, name: 'CI 2', version: 1 });
    expect(edited).toEqual({ ...apiKey, name: 'CI 2', version: 2 });
  });

  it('lets a key do what its creator may do, and names it in the audit entry (K15)', async () => {
    const { apiKeys, create } = await open(everybody());
    const acting = await create(ada, 'Robot');
    const byKey = { ...ada, origin: 'MCP', authenticatedBy: 'api-key', apiKeyId: acting.apiKey.id } as const;
    const made = await create(byKey, 'Made by the robot');
    await apiKeys.update(byKey, made.apiKey.id, { name: 'Renamed by the robot' });
    await apiKeys.revoke(byKey, made.apiKey.id);
    const { items } = await apiKeys.audits(ada, { apiKeyId: made.apiKey.id });
    for (const entry of items) {
      expect(entry).toMatchObject({
        author: { id: 'u-ada', username: 'ada' },
        actingApiKey: { id: acting.apiKey.id, name: 'Robot' },
        origin: 'MCP',
      });
    }
    expect(items).toHaveLength(3);
    const [first] = (await apiKeys.audits(ada, { apiKeyId: acting.apiKey.id })).items;
    expect(first).toMatchObject({ actingApiKey: null, origin: 'UI' });
  });

  it('wants an actor: the host must have authenticated somebody', async () => {
    const { apiKeys, create } = await open();
    const wrong = [undefined, null, 'ada', {}, { userId: '' }, { userId: null }, { userId: 'a\0b' }, { userId: {} }];
    for (const actor of wrong as unknown as ActorLike[]) {
      await expect(create(actor, 'X')).rejects.toThrow(/`actor/);
      await expect(apiKeys.list(actor)).rejects.toThrow(TypeError);
    }
    await expect(create({ ...ada, origin: 'Web' as 'UI' }, 'X')).rejects.toThrow(/`actor\.origin`/);
    await expect(create({ ...ada, username: 7 as unknown as string }, 'X')).rejects.toThrow(/`actor\.username`/);
    await expect(create({ ...ada, username: 'a\0b' }, 'X')).rejects.toThrow(
      '`actor.username` must not contain a NUL character.',
    );
    await expect(create({ ...ada, apiKeyId: 7 as unknown as string }, 'X')).rejects.toThrow(/`actor\.apiKeyId`/);
  });

  it('leaves no Active key of a user who was deleted while it was made', async () => {
    const users = everybody();
    const { apiKeys, create } = await open(users);
    await create(ada, 'Before');
    let asked = 0;
    const findById = users.findById;
    users.findById = (userId) => {
      asked += 1;
      // The host deletes the user between the check of rights and the commit.
      if (asked === 2) users.users.delete('u-ada');
      return findById(userId);
    };
    expect(await refusalOf(create(ada, 'Too late'))).toMatchObject({ kind: 'forbidden' });
    const { items } = await apiKeys.list(root, { scope: 'all', sort: 'name' });
    // The other one is for `userDeleted`: the directory may only be late.
    expect(items).toMatchObject([
      { name: 'Before', status: 'Active' },
      { name: 'Too late', status: 'Revoked' },
    ]);
  });

  it.each<[string, string, (clock: ManualClock) => Promise<never>]>([
    ['fails', 'no route', () => Promise.reject(new Error('no route'))],
    [
      'never answers',
      'The directory of users took longer than 5000 ms.',
      (clock) => {
        // The time limit is set when the directory does not answer at once.
        queueMicrotask(() => clock.advance(5000));
        return new Promise(() => {});
      },
    ],
  ])(
    'returns the value of a key that is written, even if the directory %s right after (K19)',
    async (_, message, down) => {
      const users = everybody();
      const clock = new ManualClock('2027-03-10T12:00:00.000Z');
      const told: unknown[] = [];
      const { apiKeys, create } = await open(users, { clock, onError: (error) => told.push(error) });
      const { findById } = users;
      users.findById = (userId) => {
        users.findById = () => down(clock);
        return findById(userId);
      };
      const { apiKey, key } = await create(ada, 'CI');
      expect(told).toMatchObject([{ kind: 'unavailable', cause: { message } }]);
      expect(await refusalOf(apiKeys.authenticate({ 'x-api-key': key }))).toMatchObject({ kind: 'unavailable' });
      users.findById = findById;
      expect(await apiKeys.authenticate({ 'x-api-key': key })).toMatchObject({ apiKeyId: apiKey.id });
    },
  );
});
