import { createHash, createHmac } from 'node:crypto';
import { type ApiKeys, apiKeyPattern, openApiKeys } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob, root, TestUsers } from './helpers/people.js';

const pepper = 'a pepper of at least thirty-two bytes';

describe.each(databaseKinds)('authentication on $name', (kind) => {
  const open = async () => {
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const database = await emptyDatabase(kind);
    const users = new TestUsers(ada, bob, root);
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional', clock, users });
    const created = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-12-01T00:00:00Z' });
    return { apiKeys, clock, database, users, ...created, headers: { 'x-api-key': created.key } };
  };
  const lastAccessedInDatabase = async (database: { query(sql: string): Promise<Record<string, unknown>[]> }) => {
    const [row] = await database.query('select last_accessed as at from concordat_api_key');
    return Number(row?.at);
  };

  it('gives the owner and the id of the key, by either header (specification 5.1)', async () => {
    const { apiKeys, apiKey, key } = await open();
    const identity = { userId: 'u-ada', apiKeyId: apiKey.id };
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toEqual(identity);
    expect(await apiKeys.authenticate({ authorization: `ApiKey ${key}` })).toEqual(identity);
    expect(await apiKeys.verify({ 'x-api-key': key })).toEqual({ outcome: 'authenticated', ...identity });
    expect(await apiKeys.authenticate({})).toBeUndefined();
    expect(await apiKeys.verify({})).toEqual({ outcome: 'none' });
  });

  it('stores the SHA-256 of the secret and nothing else of it (K2)', async () => {
    const { database, key, apiKey } = await open();
    const [row] = await database.query(
      'select id, secret_hash as hash, pepper_version as version from concordat_api_key',
    );
    const secret = apiKeyPattern.exec(key)?.[2] as string;
    expect(row?.id).toBe(apiKey.id);
    expect(Buffer.from(row?.hash as Uint8Array)).toEqual(createHash('sha256').update(secret).digest());
    expect(row?.version).toBe(0);
  });

  it('refuses the right id with another secret, and an unknown id, for the same reason (K2, K9)', async () => {
    const { apiKeys, apiKey, key } = await open();
    const other = await apiKeys.create(ada, { name: 'Other', expiresOn: '2027-12-01' });
    const mixed = withChecksum(`ck_${apiKey.id}_${other.key.slice(16, -6)}`);
    const unknown = withChecksum(`ck_AAAAAAAAAAAA_${key.slice(16, -6)}`);
    expect(await apiKeys.verify({ 'x-api-key': withChecksum(key.slice(0, -6)) })).toMatchObject({
      outcome: 'authenticated',
    });
    for (const wrong of [mixed, unknown]) {
      expect(await apiKeys.verify({ 'x-api-key': wrong })).toEqual({
        outcome: 'refused',
        reason: 'unknown',
        apiKeyId: wrong.slice(3, 15),
      });
      expect(await apiKeys.authenticate({ 'x-api-key': wrong })).toBeUndefined();
    }
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ refusedUses: 0 });
  });

  it('takes a damaged row for a key that does not match, not for a crash', async () => {
    const { apiKeys, headers, database } = await open();
    await database.query(`update concordat_api_key set secret_hash = ${kind.name === 'SQLite' ? "x'00'" : "'\\x00'"}`);
    expect(await apiKeys.verify(headers)).toMatchObject({ reason: 'unknown' });
  });

  it('ends at once with the revocation, also in another process with the same database (K11)', async () => {
    const { apiKeys, apiKey, database, headers, clock, users } = await open();
    const elsewhere = await openForTest({ database: database.url, edition: 'Professional', clock, users });
    expect(await elsewhere.authenticate(headers)).toBeDefined();
    expect(await elsewhere.isUsable(apiKey.id)).toBe(true);
    await apiKeys.revoke(ada, apiKey.id);
    expect(await elsewhere.authenticate(headers)).toBeUndefined();
    expect(await elsewhere.isUsable(apiKey.id)).toBe(false);
    expect(await apiKeys.isUsable(apiKey.id)).toBe(false);
    expect(await apiKeys.isUsable('AAAAAAAAAAAA')).toBe(false);
    expect(await apiKeys.isUsable('nonsense')).toBe(false);
  });

  it('asks the directory for the owner at every request: disabled and deleted owners do not get in (K11)', async () => {
    const { apiKeys, headers, users, apiKey } = await open();
    users.change('u-ada', { enabled: false });
    expect(await apiKeys.verify(headers)).toEqual({ outcome: 'refused', reason: 'owner', apiKeyId: apiKey.id });
    expect(await apiKeys.isUsable(apiKey.id)).toBe(false);
    users.change('u-ada', { enabled: true });
    expect(await apiKeys.authenticate(headers)).toBeDefined();
    users.users.delete('u-ada');
    expect(await apiKeys.verify(headers)).toMatchObject({ reason: 'owner' });
  });

  it('tells subscribers of every revocation, once it is done (K11)', async () => {
    const { apiKeys, apiKey, headers } = await open();
    const second = await apiKeys.create(ada, { name: 'Second', expiresOn: '2027-12-01' });
    const third = await apiKeys.create(ada, { name: 'Third', expiresOn: '2027-12-01' });
    const seen: string[] = [];
    apiKeys.onInvalidated(() => {
      throw new Error('a broken subscriber');
    });
    const unsubscribe = apiKeys.onInvalidated(({ apiKeyId, userId }) => seen.push(`${userId} ${apiKeyId}`));
    await apiKeys.update(ada, apiKey.id, { name: 'Renamed' });
    expect(seen).toEqual([]);
    await apiKeys.revoke(ada, apiKey.id);
    expect(seen).toEqual([`u-ada ${apiKey.id}`]);
    expect(await apiKeys.authenticate(headers)).toBeUndefined();
    await expect(apiKeys.revoke(ada, apiKey.id)).rejects.toThrow();
    expect(seen).toHaveLength(1);
    await apiKeys.userDeleted(root, 'u-ada');
    expect(seen.slice(1).sort()).toEqual([`u-ada ${second.apiKey.id}`, `u-ada ${third.apiKey.id}`].sort());
    unsubscribe();
    const last = await apiKeys.create(ada, { name: 'Last', expiresOn: '2027-12-01' });
    await apiKeys.revoke(ada, last.apiKey.id);
    expect(seen).toHaveLength(3);
  });

  it.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['reject', () => Promise.reject(new Error('the log is full'))],
  ])('revokes, and tells the other subscribers, when a subscriber and `onError` %s (K11)', async (_, fail) => {
    const { database, apiKey } = await open();
    const told: unknown[] = [];
    const onError = (error: unknown) => {
      told.push(error);
      return fail();
    };
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional', clock, onError });
    const seen: string[] = [];
    apiKeys.onInvalidated(() => fail() as undefined);
    apiKeys.onInvalidated(({ apiKeyId }) => seen.push(apiKeyId));
    expect(await apiKeys.revoke(ada, apiKey.id)).toMatchObject({ status: 'Revoked' });
    expect(seen).toEqual([apiKey.id]);
    await expect.poll(() => told).toMatchObject([{ message: 'the log is full' }]);
    // What rejects and is not caught ends the process, or fails this run, by the next turn.
    await new Promise((resolve) => setImmediate(resolve));
  });

  describe('last access (K10)', () => {
    it('moves with every success, is seen at once here, and written within a second', async () => {
      const { apiKeys, apiKey, clock, database, headers } = await open();
      for (const time of ['2027-03-10T12:00:01.000Z', '2027-03-10T12:00:01.300Z']) {
        clock.set(time);
        await apiKeys.authenticate(headers);
        expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ lastAccessed: time });
        expect((await apiKeys.list(ada)).items).toMatchObject([{ lastAccessed: time }]);
      }
      expect(await lastAccessedInDatabase(database)).toBe(0);
      clock.advance(700);
      await expect.poll(() => lastAccessedInDatabase(database)).toBe(Date.parse('2027-03-10T12:00:01.300Z'));
      expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({
        lastAccessed: '2027-03-10T12:00:01.300Z',
        version: 1,
      });
      expect((await apiKeys.audits(ada)).items).toHaveLength(1);
    });

    it('does not move for a refused request', async () => {
      const { apiKeys, apiKey, clock, headers, users } = await open();
      users.change('u-ada', { enabled: false });
      await apiKeys.authenticate(headers);
      await apiKeys.authenticate({ 'x-api-key': withChecksum(`ck_${apiKey.id}_${'x'.repeat(43)}`) });
      users.change('u-ada', { enabled: true });
      clock.set('2027-12-01T00:00:00Z');
      await apiKeys.authenticate(headers);
      expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ lastAccessed: null });
    });

    it('never moves backwards, whoever writes it', async () => {
      const { apiKeys, apiKey, clock, database, headers, users } = await open();
      clock.set('2027-03-10T13:00:00.000Z');
      await apiKeys.authenticate(headers);
      const lateClock = new ManualClock('2027-03-10T12:30:00.000Z');
      const late = await openApiKeys({ database: database.url, edition: 'Professional', clock: lateClock, users });
      await late.authenticate(headers);
      await apiKeys.close();
      await late.close();
      expect(await lastAccessedInDatabase(database)).toBe(Date.parse('2027-03-10T13:00:00.000Z'));
      const again = await openForTest({ database: database.url, edition: 'Professional', clock, users });
      clock.set('2027-03-10T12:59:00.000Z');
      await again.authenticate(headers);
      expect(await again.get(ada, apiKey.id)).toMatchObject({ lastAccessed: '2027-03-10T13:00:00.000Z' });
    });

    it('is written on close, for every key', async () => {
      const { apiKeys, clock, database } = await open();
      const keys: string[] = [];
      for (let index = 0; index < 300; index++) {
        keys.push((await apiKeys.create(ada, { name: `Key ${index}`, expiresOn: '2027-12-01' })).key);
      }
      clock.advance(5);
      for (const key of keys) await apiKeys.authenticate({ 'x-api-key': key });
      await apiKeys.close();
      const rows = await database.query('select count(*) as n from concordat_api_key where last_accessed > 0');
      expect(Number(rows[0]?.n)).toBe(300);
    });

    it('survives a write that fails: it is told, kept, and tried again', async () => {
      const clock = new ManualClock('2027-03-10T12:00:00.000Z');
      const { url, query } = await emptyDatabase(kind);
      const errors: unknown[] = [];
      const onError = (error: unknown) => errors.push(error);
      const apiKeys = await openForTest({ database: url, edition: 'Professional', clock, onError });
      const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-12-01' });
      await query('alter table concordat_api_key rename column last_accessed to moved');
      await apiKeys.authenticate({ 'x-api-key': key });
      clock.advance(1000);
      await expect.poll(() => errors.length).toBe(1);
      await query('alter table concordat_api_key rename column moved to last_accessed');
      expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ lastAccessed: '2027-03-10T12:00:00.000Z' });
      clock.advance(1000);
      await expect
        .poll(async () => Number((await query('select last_accessed as at from concordat_api_key'))[0]?.at))
        .toBe(Date.parse('2027-03-10T12:00:00.000Z'));
      expect(errors).toHaveLength(1);
    });
  });

  it('counts uses of a key that is over, so that its owner can be warned', async () => {
    const { apiKeys, apiKey, clock, headers, database, users } = await open();
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ refusedUses: 0, lastRefusedOn: null });
    await apiKeys.revoke(ada, apiKey.id);
    for (let index = 0; index < 3; index++) {
      clock.advance(60_000);
      await apiKeys.authenticate(headers);
      await expect.poll(() => apiKeys.get(ada, apiKey.id)).toMatchObject({ refusedUses: index + 1 });
    }
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({
      refusedUses: 3,
      lastRefusedOn: '2027-03-10T12:03:00.000Z',
      lastAccessed: null,
    });
    await apiKeys.close();
    const again = await openForTest({ database: database.url, edition: 'Professional', clock, users });
    expect((await again.list(ada)).items).toMatchObject([
      { refusedUses: 3, lastRefusedOn: '2027-03-10T12:03:00.000Z' },
    ]);
  });

  describe('with a pepper (K2)', () => {
    const openWith = async (url: string, given: Parameters<typeof openApiKeys>[0]['pepper']): Promise<ApiKeys> =>
      await openForTest({ database: url, edition: 'Professional', pepper: given });
    const createIn = async (apiKeys: ApiKeys, name: string) =>
      await apiKeys.create(ada, { name, expiresOn: apiKeys.maxExpiresOn() });

    it('stores an HMAC and the version', async () => {
      const { url, query } = await emptyDatabase(kind);
      const { key } = await createIn(await openWith(url, pepper), 'CI');
      const [row] = await query('select secret_hash as hash, pepper_version as version from concordat_api_key');
      const secret = apiKeyPattern.exec(key)?.[2] as string;
      expect(Buffer.from(row?.hash as Uint8Array)).toEqual(createHmac('sha256', pepper).update(secret).digest());
      expect(row?.version).toBe(1);
    });

    it('can be replaced while keys of the old one live', async () => {
      const { url } = await emptyDatabase(kind);
      const old = await createIn(await openWith(url, pepper), 'Old');
      const next = `${pepper} 2`;
      const apiKeys = await openWith(url, { version: 2, secret: Buffer.from(next), previous: { 1: pepper } });
      const young = await createIn(apiKeys, 'Young');
      for (const { key } of [old, young]) expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
      await expect(openWith(url, { version: 2, secret: next })).rejects.toThrow('`pepper` version 1 is missing');
      await apiKeys.revoke(ada, old.apiKey.id);
      const without = await openWith(url, { version: 2, secret: next });
      expect(await without.authenticate({ 'x-api-key': young.key })).toBeDefined();
      expect(await without.verify({ 'x-api-key': old.key })).toMatchObject({ reason: 'unknown' });
    });

    it('refuses to open without it, or with another of the same version, instead of refusing every key', async () => {
      const { url } = await emptyDatabase(kind);
      await createIn(await openWith(url, pepper), 'CI');
      await expect(openWith(url, undefined)).rejects.toThrow('`pepper` version 1 is missing');
      await expect(openWith(url, `${pepper}!`)).rejects.toThrow('`pepper` version 1 is not the one');
      await openWith(url, pepper);
    });

    it('does not accept keys without pepper, which whoever writes to the database could forge, unless told to', async () => {
      const { url, query } = await emptyDatabase(kind);
      const plain = await createIn(await openWith(url, undefined), 'Plain');
      await expect(openWith(url, pepper)).rejects.toThrow('`pepper.acceptUnpeppered`');
      const lenient = await openWith(url, { version: 1, secret: pepper, acceptUnpeppered: true });
      expect(await lenient.authenticate({ 'x-api-key': plain.key })).toBeDefined();
      await lenient.revoke(ada, plain.apiKey.id);
      const strict = await openWith(url, pepper);
      const { key } = await createIn(strict, 'Peppered');
      expect(await strict.authenticate({ 'x-api-key': key })).toBeDefined();
      await query("update concordat_api_key set pepper_version = 0 where name = 'Peppered'");
      expect(await strict.verify({ 'x-api-key': key })).toMatchObject({ reason: 'unknown' });
    });
  });
});

/** Completes a key by the documented rule: CRC-32 of all before it, in base 62. */
function withChecksum(body: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(body)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let text = '';
  for (let place = 0; place < 6; place++) {
    text = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return body + text;
}
