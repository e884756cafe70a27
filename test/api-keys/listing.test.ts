import type { ApiKeySort, ListQuery } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob, root } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

describe.each(databaseKinds)('the list on $name', (kind) => {
  const open = async () => {
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const { url, query } = await emptyDatabase(kind);
    const apiKeys = await openForTest({ database: url, edition: 'Professional', clock });
    const names = async (query: ListQuery) =>
      (await apiKeys.list(root, { scope: 'all', ...query })).items.map((k) => k.name);
    return { apiKeys, clock, names, query };
  };
  const filled = async () => {
    const opened = await open();
    const { apiKeys, clock } = opened;
    const made = new Map<string, { id: string; key: string }>();
    const create = async (actor: typeof ada, name: string, expiresOn: string) => {
      const { apiKey, key } = await apiKeys.create(actor, { name, expiresOn });
      made.set(name, { id: apiKey.id, key });
      clock.advance(1000);
    };
    await create(ada, 'delta', '2027-09-01');
    await create(bob, 'Alpha', '2027-04-01');
    await create(ada, 'Ärger 100%', '2027-07-01');
    await create(bob, 'charlie_x', '2027-08-01');
    await create(ada, 'beta', '2027-04-02');
    await apiKeys.revoke(ada, made.get('delta')?.id as string);
    for (const name of ['charlie_x', 'Alpha']) {
      await apiKeys.authenticate({ 'x-api-key': made.get(name)?.key });
      clock.advance(1000);
    }
    return { ...opened, made };
  };

  it('is that of one user by `createdBy`, with every other filter, and no way around the scope (K7)', async () => {
    const { apiKeys, names } = await filled();
    expect(await names({ createdBy: 'u-ada', sort: 'name' })).toEqual(['beta', 'delta', 'Ärger 100%']);
    expect(await names({ createdBy: 'u-ada', status: 'Revoked' })).toEqual(['delta']);
    expect(await names({ createdBy: 'u-ada', search: 'ETA' })).toEqual(['beta']);
    expect(await names({ createdBy: 'u-bob', sort: 'name', skip: 1 })).toEqual(['charlie_x']);
    for (const createdBy of ['u-nobody', 'u-ada ']) expect(await names({ createdBy })).toEqual([]);
    expect((await apiKeys.list(root, { scope: 'all', createdBy: 'u-ada', total: true })).total).toBe(3);
    expect((await apiKeys.list(root, { createdBy: 'u-ada', total: true })).total).toBe(3);
    expect((await apiKeys.list(root, { scope: 'my', createdBy: 'u-ada' })).items).toEqual([]);
    expect((await apiKeys.list(bob, { createdBy: 'u-bob' })).items).toHaveLength(2);
    expect((await apiKeys.list(bob, { createdBy: 'u-ada', total: true })).items).toEqual([]);
    expect(await refusalOf(apiKeys.list(bob, { scope: 'all', createdBy: 'u-bob' }))).toMatchObject({
      kind: 'forbidden',
    });
    for (const createdBy of ['', ' ', 7, 'a\0b', 'x'.repeat(1025)] as string[]) {
      const refusal = await refusalOf(apiKeys.list(root, { scope: 'all', createdBy }));
      expect(refusal.fieldErrors).toMatchObject([{ field: 'createdBy' }]);
    }
  });

  it.each<[ApiKeySort, string[]]>([
    ['-createdOn', ['beta', 'charlie_x', 'Ärger 100%', 'Alpha', 'delta']],
    ['createdOn', ['delta', 'Alpha', 'Ärger 100%', 'charlie_x', 'beta']],
    ['name', ['Alpha', 'beta', 'charlie_x', 'delta', 'Ärger 100%']],
    ['-name', ['Ärger 100%', 'delta', 'charlie_x', 'beta', 'Alpha']],
    ['expiresOn', ['Alpha', 'beta', 'Ärger 100%', 'charlie_x', 'delta']],
    ['-expiresOn', ['delta', 'charlie_x', 'Ärger 100%', 'beta', 'Alpha']],
  ])('is sorted by %s', async (sort, expected) => {
    const { names } = await filled();
    expect(await names({ sort })).toEqual(expected);
    if (sort === '-createdOn') expect(await names({})).toEqual(expected);
  });

  it('is sorted by creator and by last access, unwritten ones included', async () => {
    const { apiKeys, names } = await filled();
    const creators = (await apiKeys.list(root, { scope: 'all', sort: 'createdBy' })).items;
    expect(creators.map(({ createdBy }) => createdBy.username)).toEqual(['ada', 'ada', 'ada', 'bob', 'bob']);
    expect((await names({ sort: '-lastAccessed' })).slice(0, 2)).toEqual(['Alpha', 'charlie_x']);
    expect((await names({ sort: 'lastAccessed' })).slice(3)).toEqual(['charlie_x', 'Alpha']);
  });

  it('is filtered by status, each computed from the clock', async () => {
    const { clock, names } = await filled();
    expect(await names({ status: 'Active', sort: 'name' })).toEqual(['Alpha', 'beta', 'charlie_x', 'Ärger 100%']);
    expect(await names({ status: 'Revoked' })).toEqual(['delta']);
    expect(await names({ status: 'Expired' })).toEqual([]);
    clock.set('2027-04-01T23:59:59.999Z');
    expect(await names({ status: 'Expired' })).toEqual(['Alpha']);
    clock.set('2027-12-01T00:00:00Z');
    for (const sort of ['name', 'expiresOn', '-lastAccessed'] as const) {
      expect((await names({ status: 'Expired', sort })).sort()).toEqual(['Alpha', 'beta', 'charlie_x', 'Ärger 100%']);
      expect(await names({ status: 'Active', sort })).toEqual([]);
      expect(await names({ status: 'Revoked', sort })).toEqual(['delta']);
    }
  });

  it.each([
    ['a part of the name', 'harli', ['charlie_x']],
    ['another case', 'ALPHA', ['Alpha']],
    ['another case beyond ASCII', 'äRGER', ['Ärger 100%']],
    ['decomposed letters', 'a\u0308rger', ['Ärger 100%']],
    ['a percent sign, taken as it is', '%', ['Ärger 100%']],
    ['an underscore, taken as it is', '_', ['charlie_x']],
    ['a backslash', '\\', []],
    ['a quote', "'", []],
    ['the creator', 'bob', ['Alpha', 'charlie_x']],
    ['blanks: everything', '  ', ['Alpha', 'beta', 'charlie_x', 'delta', 'Ärger 100%']],
    ['nothing that is there', 'zulu', []],
  ])('is searched by %s', async (_, search, expected) => {
    const { names } = await filled();
    expect(await names({ search, sort: 'name' })).toEqual(expected);
  });

  it('is searched by the beginning of an id, as it is shown', async () => {
    const { made, names, apiKeys } = await filled();
    const { id } = made.get('beta') as { id: string };
    const shown = [id, `ck_${id}`, id.slice(0, 8), `ck_${id.slice(0, 8)}…`];
    const cutShort = [`ck_${id.slice(0, 4)}`, `ck_${id.slice(0, 8)}...`, `ck_${id}****`, `ck_${id}_`, `ck_${id}_4fK0…`];
    for (const search of [...shown, ...cutShort]) {
      expect(await names({ search })).toEqual(['beta']);
      expect((await apiKeys.list(ada, { search })).items.map(({ name }) => name)).toEqual(['beta']);
    }
  });

  it('is searched by words with any blanks between them', async () => {
    const { apiKeys, names } = await open();
    const bobJones = { ...bob, username: 'bob  jones' };
    const expiresOn = apiKeys.maxExpiresOn();
    await apiKeys.create(bobJones, { name: 'Nightly\u2003export', description: '100%_ \n\n sure', expiresOn });
    await apiKeys.create(ada, { name: 'Daily export', expiresOn });
    await apiKeys.create(ada, { name: 'Nightly CI export', expiresOn });
    const searches: [string, string[]][] = [
      ['nightly export', ['Nightly export']],
      ['NIGHTLY \u00a0 EXP', ['Nightly export']],
      ['bob jones', ['Nightly export']],
      ['%_ sure', ['Nightly export']],
      ['daily export', ['Daily export']],
      ['y  e', ['Daily export', 'Nightly export']],
      ['% sure', []],
    ];
    for (const [search, expected] of searches) {
      expect([search, await names({ search, sort: 'name' })]).toEqual([search, expected]);
      const own = [ada, bobJones].map((actor) => apiKeys.list(actor, { search }));
      const found = (await Promise.all(own)).flatMap(({ items }) => items.map(({ name }) => name));
      expect([search, found.sort()]).toEqual([search, expected]);
    }
  });

  it('takes no name with an underscore for the beginning of a key', async () => {
    const { made, names } = await filled();
    const { id } = made.get('beta') as { id: string };
    for (const search of [`build_${id[0]}`, `ck_${id.slice(0, 3)}`, `${id.slice(0, 8)}_x`])
      expect(await names({ search })).toEqual([]);
  });

  it('finds a frequent word among more keys than it looks up beforehand', async () => {
    const { apiKeys, names } = await open();
    for (let index = 0; index < 1010; index++) {
      await apiKeys.create(ada, { name: `Robot ${index}`, expiresOn: apiKeys.maxExpiresOn() });
    }
    const bobJones = { ...bob, username: 'bob.jones' };
    await apiKeys.create(bobJones, { name: 'Lone', expiresOn: apiKeys.maxExpiresOn() });
    expect(await names({ search: 'robot', limit: 200 })).toHaveLength(200);
    expect((await apiKeys.list(root, { scope: 'all', search: 'robot', total: true })).total).toBe(1010);
    expect((await apiKeys.list(root, { scope: 'all', search: 'bo', total: true })).total).toBe(1011);
    // No id begins with a dot; one of 1,011 may well begin with three letters.
    expect(await names({ search: 'bob.' })).toEqual(['Lone']);
  });

  it.each<ApiKeySort>([
    'name',
    '-name',
    'createdBy',
    '-createdBy',
    'createdOn',
    '-createdOn',
    'expiresOn',
    '-expiresOn',
    'lastAccessed',
    '-lastAccessed',
  ])('is paged by %s: every key once, in order, equal values included', async (sort) => {
    const { apiKeys } = await open();
    for (let index = 0; index < 23; index++) {
      const actor = index % 3 === 0 ? ada : bob;
      const { key } = await apiKeys.create(actor, { name: `Key ${index}`, expiresOn: `2027-0${4 + (index % 3)}-01` });
      if (index % 4 === 0) await apiKeys.authenticate({ 'x-api-key': key });
    }
    const whole = (await apiKeys.list(root, { scope: 'all', sort, limit: 200 })).items.map(({ id }) => id);
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await apiKeys.list(root, { scope: 'all', sort, limit: 5, cursor: cursor ?? undefined, total: true });
      expect(page.total).toBe(23);
      paged.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(new Set(whole).size).toBe(23);
    expect(paged).toEqual(whole);
  });

  it('pages on where it was while keys are made and revoked', async () => {
    const { apiKeys } = await open();
    for (let index = 0; index < 6; index++) {
      await apiKeys.create(ada, { name: `Key ${index}`, expiresOn: apiKeys.maxExpiresOn() });
    }
    const first = await apiKeys.list(ada, { sort: 'name', limit: 3 });
    await apiKeys.create(ada, { name: 'Key', expiresOn: apiKeys.maxExpiresOn() });
    const second = await apiKeys.list(ada, { sort: 'name', limit: 3, cursor: first.nextCursor ?? undefined });
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => `Key ${index}`),
    );
    expect(second.nextCursor).toBeNull();
  });

  it('has no next page when the last one is just full', async () => {
    const { apiKeys } = await open();
    for (const name of ['a', 'b']) await apiKeys.create(ada, { name, expiresOn: apiKeys.maxExpiresOn() });
    expect(await apiKeys.list(ada, { limit: 2 })).toMatchObject({ nextCursor: null });
    expect((await apiKeys.list(ada, { limit: 1 })).nextCursor).not.toBeNull();
    expect(await apiKeys.list(bob, { total: true })).toEqual({ items: [], nextCursor: null, total: 0 });
    expect(await apiKeys.list(bob)).toEqual({ items: [], nextCursor: null });
  });

  const position = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each<[string, Record<string, unknown>]>([
    ['limit', { limit: 0 }],
    ['limit', { limit: -1 }],
    ['limit', { limit: 201 }],
    ['limit', { limit: 1.5 }],
    ['limit', { limit: '50' }],
    ['limit', { limit: Number.NaN }],
    ['limit', { limit: Number.POSITIVE_INFINITY }],
    ['limit', { limit: null }],
    ['sort', { sort: 'secret_hash' }],
    ['sort', { sort: '--name' }],
    ['sort', { sort: 'name desc; drop table x' }],
    ['sort', { sort: 'toString' }],
    ['sort', { sort: ['name'] }],
    ['scope', { scope: 'everything' }],
    ['scope', { scope: 1 }],
    ['status', { status: 'active' }],
    ['status', { status: ['Active'] }],
    ['status', { status: '' }],
    ['search', { search: 7 }],
    ['search', { search: 'x'.repeat(201) }],
    ['search', { search: 'a\0b' }],
    ['search', { search: ['a'] }],
    ['cursor', { cursor: '' }],
    ['cursor', { cursor: 'nonsense' }],
    ['cursor', { cursor: 7 }],
    ['cursor', { cursor: position(null) }],
    ['cursor', { cursor: position({}) }],
    ['cursor', { cursor: position(['-createdOn', 1]) }],
    ['cursor', { cursor: position(['name', 'x', 'AAAAAAAAAAAA']) }],
    ['cursor', { cursor: position(['-createdOn', 'x', 'AAAAAAAAAAAA']) }],
    ['cursor', { cursor: position(['-createdOn', 1.5, 'AAAAAAAAAAAA']) }],
    ['cursor', { cursor: position(['-createdOn', 1e300, 'AAAAAAAAAAAA']) }],
    ['cursor', { cursor: position(['-createdOn', 1, 7]) }],
    ['cursor', { cursor: position(['-createdOn', 1, 'a\0']) }],
    ['cursor', { sort: 'name', cursor: position(['name', 'a\0', 'x']) }],
  ])('refuses a wrong `%s`: %o', async (field, query) => {
    const { apiKeys } = await open();
    const refusal = await refusalOf(apiKeys.list(root, query as ListQuery));
    expect(refusal).toMatchObject({ kind: 'validation', fieldErrors: [{ field }] });
  });

  it('refuses a cursor of a megabyte', async () => {
    const { apiKeys } = await open();
    const refusal = await refusalOf(apiKeys.list(root, { cursor: 'A'.repeat(1 << 20) }));
    expect(refusal).toMatchObject({ kind: 'validation', fieldErrors: [{ field: 'cursor' }] });
  });

  it('refuses wrong queries of audits, too', async () => {
    const { apiKeys } = await open();
    for (const [field, query] of [
      ['limit', { limit: 1000 }],
      ['cursor', { cursor: 'x' }],
      ['scope', { scope: '' }],
      ['revisionType', { revisionType: 'Delete' }],
    ] as const) {
      const refusal = await refusalOf(apiKeys.audits(root, query as object));
      expect(refusal).toMatchObject({ kind: 'validation', fieldErrors: [{ field }] });
    }
  });
});
