// Expired was computed from the clock at every reading and kept nowhere: a clock that was set back, or that of a second
// process that runs behind, made an Expired key Active again, and it authenticated. A security review found it by setting
// the clock back. A key that somebody has seen Expired, in whatever way, has that in its row now and stays so (K5, K14).
import type { ApiKeys } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../api-keys/helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest, openSqliteFile, sqlite } from '../api-keys/helpers/databases.js';
import { ada, root } from '../api-keys/helpers/people.js';

const before = '2027-03-31T12:00:00.000Z';
const expiresOn = '2027-04-01T00:00:00.000Z';
const after = '2027-04-01T00:00:00.001Z';

interface Seen {
  readonly id: string;
  readonly key: string;
}

describe.each(databaseKinds)('an Expired key on $name, when the clock is set back', (kind) => {
  const open = async (url: string, at: string) => {
    const clock = new ManualClock(at);
    const apiKeys = await openForTest({ database: url, edition: 'Professional', clock });
    return { apiKeys, clock };
  };
  const namesOf = async (apiKeys: ApiKeys, status: 'Active' | 'Expired') => {
    const { items, total } = await apiKeys.list(root, { scope: 'all', status, sort: 'name', total: true });
    expect(total).toBe(items.length);
    return items.map(({ name }) => name);
  };

  it.each<[string, (apiKeys: ApiKeys, seen: Seen) => Promise<unknown>]>([
    ['refused', (apiKeys, { key }) => apiKeys.authenticate({ 'x-api-key': key })],
    ['asked for because of an open stream', (apiKeys, { id }) => apiKeys.isUsable(id)],
    ['looked at', (apiKeys, { id }) => apiKeys.get(ada, id)],
    ['listed', (apiKeys) => apiKeys.list(root, { scope: 'all' })],
    ['listed by its status', (apiKeys) => apiKeys.list(root, { scope: 'all', status: 'Expired' })],
    ['edited in vain', (apiKeys, { id }) => apiKeys.update(ada, id, { name: 'x' }).catch(() => {})],
    ['revoked in vain', (apiKeys, { id }) => apiKeys.revoke(ada, id).catch(() => {})],
  ])('stays Expired once it was %s, in every process (K5, K14)', async (_, see) => {
    const { url } = await emptyDatabase(kind);
    const one = await open(url, before);
    const behind = await open(url, before);
    const create = async (name: string, end: string) => {
      const { apiKey, key } = await one.apiKeys.create(ada, { name, expiresOn: end });
      return { id: apiKey.id, key };
    };
    const seen = await create('seen', expiresOn);
    const later = await create('later', '2027-06-01');
    one.clock.set(after);
    await see(one.apiKeys, seen);
    one.clock.set(before);

    for (const { apiKeys } of [one, behind, await open(url, before)]) {
      expect(await apiKeys.verify({ 'x-api-key': seen.key })).toMatchObject({ reason: 'expired' });
      expect(await apiKeys.isUsable(seen.id)).toBe(false);
      expect(await apiKeys.get(ada, seen.id)).toMatchObject({ status: 'Expired', expiresOn });
      expect(await namesOf(apiKeys, 'Expired')).toEqual(['seen']);
      await expect(apiKeys.update(ada, seen.id, { expiresOn: '2027-06-01' })).rejects.toThrow('this one is Expired');
      await expect(apiKeys.revoke(ada, seen.id)).rejects.toThrow('this one is Expired');
      // The control: a key of a later end, and the list of those.
      expect(await apiKeys.authenticate({ 'x-api-key': later.key })).toBeDefined();
      expect(await namesOf(apiKeys, 'Active')).toEqual(['later']);
    }
    await one.apiKeys.userDeleted(root, ada.userId);
    expect(await one.apiKeys.get(root, seen.id)).toMatchObject({ status: 'Expired', revokedOn: null });
    expect(await one.apiKeys.get(root, later.id)).toMatchObject({ status: 'Revoked' });
  });

  it('is Active while nobody has seen it Expired: a clock that was wrong for a moment ends no key by itself', async () => {
    const { url } = await emptyDatabase(kind);
    const { apiKeys, clock } = await open(url, before);
    const { key } = await apiKeys.create(ada, { name: 'unseen', expiresOn });
    clock.set(after);
    expect(await namesOf(apiKeys, 'Active')).toEqual([]);
    clock.set(before);
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
    expect(await namesOf(apiKeys, 'Active')).toEqual(['unseen']);
  });

  it('is in the same place of every order as before', async () => {
    const { url } = await emptyDatabase(kind);
    const { apiKeys, clock } = await open(url, before);
    for (const [name, end] of [
      ['a', '2027-04-02'],
      ['b', '2027-04-01'],
      ['c', '2027-05-01'],
      ['d', '2027-06-01'],
    ] as const) {
      await apiKeys.create(ada, { name, expiresOn: end });
    }
    clock.set('2027-05-15T00:00:00Z');
    const pages = async (sort: 'expiresOn' | '-expiresOn' | '-name') => {
      const names: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await apiKeys.list(root, {
          scope: 'all',
          status: 'Expired',
          sort,
          limit: 1,
          cursor: cursor ?? undefined,
        });
        names.push(...page.items.map(({ name }) => name));
        cursor = page.nextCursor;
      }
      return names;
    };
    const orders = async () => [await pages('expiresOn'), await pages('-expiresOn'), await pages('-name')];
    const expired = await orders();
    expect(expired).toEqual([
      ['b', 'a', 'c'],
      ['c', 'a', 'b'],
      ['c', 'b', 'a'],
    ]);
    clock.set(before);
    expect(await orders()).toEqual(expired);
  });

  it('and one that was revoked stay so in the database, whoever writes to it', async () => {
    const { url, query } = await emptyDatabase(kind);
    const { apiKeys, clock } = await open(url, before);
    const create = async (name: string, end: string) => (await apiKeys.create(ada, { name, expiresOn: end })).apiKey.id;
    const [expired, revoked, active] = [
      await create('expired', expiresOn),
      await create('revoked', '2027-06-01'),
      await create('active', '2027-06-01'),
    ];
    await apiKeys.revoke(ada, revoked);
    clock.set(after);
    await apiKeys.get(ada, expired);
    const set = (id: string, change: string) => query(`update concordat_api_key set ${change} where id = '${id}'`);
    for (const value of ['null', '1']) {
      await expect(set(revoked, `revoked_on = ${value}`)).rejects.toThrow('stays so');
      await expect(set(expired, `expired_on = ${value}`)).rejects.toThrow('stays so');
    }
    // The controls: other columns of the same rows, and the same columns of a row that has not ended.
    await set(revoked, 'refused_uses = 3');
    await set(expired, 'refused_uses = 3');
    await set(active, 'revoked_on = null, expired_on = null');
    expect((await apiKeys.list(ada, { sort: 'name' })).items.map(({ status }) => status)).toEqual([
      'Active',
      'Expired',
      'Revoked',
    ]);
  });
});

it('is written down once, and not with every reading', async () => {
  const { url } = await emptyDatabase(sqlite);
  const clock = new ManualClock(before);
  const apiKeys = await openForTest({ database: url, edition: 'Professional', clock });
  const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn });
  const other = await openSqliteFile(url);
  // Changes with every commit of another connection.
  const version = () => (other.prepare('pragma data_version').get() as { data_version: number }).data_version;
  const changed = async (call: () => Promise<unknown>) => {
    const known = version();
    await call();
    return version() !== known;
  };
  const reads = [() => apiKeys.list(ada), () => apiKeys.get(ada, apiKey.id), () => apiKeys.isUsable(apiKey.id)];
  for (const read of reads) expect(await changed(read)).toBe(false);
  clock.set(after);
  expect(await changed(() => apiKeys.list(ada))).toBe(true);
  for (const read of [...reads, () => apiKeys.verify({ 'x-api-key': key })]) expect(await changed(read)).toBe(false);
  other.close();
});
