import { describe, expect, it } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob, root } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

const aKey = `ck_${'a1'.repeat(6)}_${'Zz9'.repeat(16)}x`;

describe.each(databaseKinds)('descriptions on $name (K3)', (kind) => {
  const open = async () => {
    const { url } = await emptyDatabase(kind);
    const apiKeys = await openForTest({ database: url, edition: 'Professional' });
    const expiresOn = apiKeys.maxExpiresOn();
    const create = async (name: string, description?: unknown) =>
      (await apiKeys.create(ada, { name, description: description as string, expiresOn })).apiKey;
    return { apiKeys, create, expiresOn };
  };

  it('are kept as text in lines, and read back with every operation', async () => {
    const { apiKeys, create } = await open();
    const made = await create('CI', '  Runs on build-7.\r\nAsk Zoe\u0301.\t<b>& "quotes"  ');
    const description = 'Runs on build-7.\nAsk Zoé.\t<b>& "quotes"';
    expect(made.description).toBe(description);
    expect((await apiKeys.get(ada, made.id)).description).toBe(description);
    expect((await apiKeys.list(ada)).items[0]?.description).toBe(description);
    expect((await apiKeys.revoke(ada, made.id)).description).toBe(description);
  });

  it.each([undefined, null, '', ' \n '])('are optional: %o is none', async (none) => {
    const { apiKeys, create } = await open();
    const made = await create('CI', none);
    expect(made.description).toBeNull();
    const [entry] = (await apiKeys.audits(ada)).items;
    expect(entry?.changes.map(({ field }) => field)).toEqual(['name', 'expiresOn']);
  });

  it('may be edited alone, and every change is in the audit trail', async () => {
    const { apiKeys, create } = await open();
    const { id } = await create('CI', 'one');
    expect(await apiKeys.update(ada, id, { description: 'two' })).toMatchObject({ description: 'two', version: 2 });
    expect(await apiKeys.update(ada, id, { description: ' two ' })).toMatchObject({ version: 2 });
    expect(await apiKeys.update(ada, id, { name: 'CI 2' })).toMatchObject({ description: 'two', version: 3 });
    expect(await apiKeys.update(ada, id, { description: null })).toMatchObject({ description: null, version: 4 });
    const changes = (await apiKeys.audits(ada)).items.map((entry) => entry.changes);
    expect(changes).toEqual([
      [{ field: 'description', from: 'two', to: null }],
      [{ field: 'name', from: 'CI', to: 'CI 2' }],
      [{ field: 'description', from: 'one', to: 'two' }],
      [
        { field: 'name', from: null, to: 'CI' },
        { field: 'description', from: null, to: 'one' },
        { field: 'expiresOn', from: null, to: expect.any(String) },
      ],
    ]);
  });

  it.each([
    ['x'.repeat(501), 'API key description cannot exceed 500 characters.'],
    ['a\u0000b', 'API key description must not contain control or invisible characters.'],
    ['a\u202eb', 'API key description must not contain control or invisible characters.'],
    [`for\n${aKey}, from May`, 'API key description must not contain the value of an API key.'],
    [7, 'API key description must be text.'],
    [{}, 'API key description must be text.'],
  ])('%j is refused, beside what else is wrong', async (description, message) => {
    const { apiKeys, create, expiresOn } = await open();
    const input = { name: '', description: description as string, expiresOn };
    const error = await refusalOf(apiKeys.create(ada, input));
    expect(error.fieldErrors).toEqual([
      { field: 'name', message: 'API key name is required.' },
      { field: 'description', message },
    ]);
    const { id } = await create('CI');
    const refused = await refusalOf(apiKeys.update(ada, id, { description: description as string }));
    expect(refused.fieldErrors).toEqual([{ field: 'description', message }]);
    expect((await apiKeys.get(ada, id)).version).toBe(1);
  });

  it('are refused together with a name that is taken (K13)', async () => {
    const { apiKeys, create, expiresOn } = await open();
    await create('CI');
    const refusal = await refusalOf(apiKeys.create(ada, { name: 'CI', description: 'x'.repeat(501), expiresOn }));
    expect(refusal.fieldErrors).toEqual([
      { field: 'name', message: 'API key name must be unique.' },
      { field: 'description', message: 'API key description cannot exceed 500 characters.' },
    ]);
  });

  it('may have 500 characters beyond the basic plane', async () => {
    const { create } = await open();
    expect((await create('CI', '🔑'.repeat(500))).description).toHaveLength(1000);
  });

  it('are searched, in either case and as of now', async () => {
    const { apiKeys, create } = await open();
    const { id } = await create('CI', 'Runs on Build-7.\nAsk ÄRGER 100%_*?[x]');
    await create('other');
    const found = async (search: string) =>
      (await apiKeys.list(root, { scope: 'all', search, total: true })).items.map(({ name }) => name);
    const own = async (search: string) => (await apiKeys.list(ada, { search })).items.map(({ name }) => name);
    for (const search of ['build-7', 'ärger', '100%_*', '?[x]', 'x]', '. ask', 'Ada']) {
      const names = await found(search);
      // Both may have been created in the same millisecond.
      expect(names.toSorted()).toEqual(search === 'Ada' ? ['CI', 'other'] : ['CI']);
      expect(await own(search)).toEqual(names);
    }
    // No search spans two of the texts.
    for (const search of ['build_7', 'ciada', 'ci ada', 'ada runs', 'adaruns']) expect(await found(search)).toEqual([]);
    await apiKeys.update(ada, id, { description: 'moved' });
    expect(await found('build-7')).toEqual([]);
    expect(await found('moved')).toEqual(['CI']);
    expect((await apiKeys.list(bob, { search: 'moved' })).items).toEqual([]);
  });
});
