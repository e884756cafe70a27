import { apiKeyPattern } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

describe.each(databaseKinds)('the life of a key on $name', (kind) => {
  const setUp = async () => {
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const database = await emptyDatabase(kind);
    const apiKeys = await openForTest({ database: database.url, edition: 'Professional', clock });
    return { apiKeys, clock, database };
  };

  it('answers create with the wire names and times of K1, and with the key value', async () => {
    const { apiKeys } = await setUp();
    const { apiKey, key } = await apiKeys.create(ada, {
      name: 'Nightly export',
      expiresOn: '2027-06-01T08:30:00+02:00',
    });
    expect(apiKey).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      name: 'Nightly export',
      description: null,
      status: 'Active',
      createdBy: { id: 'u-ada', username: 'ada' },
      createdOn: '2027-03-10T12:00:00.000Z',
      expiresOn: '2027-06-01T06:30:00.000Z',
      lastAccessed: null,
      recentUses: [],
      revokedOn: null,
      refusedUses: 0,
      lastRefusedOn: null,
      version: 1,
    });
    expect(key).toMatch(apiKeyPattern);
    expect(key.slice(3, 15)).toBe(apiKey.id);
  });

  it('takes the time of a clock with fractions as whole milliseconds', async () => {
    const { url: database } = await emptyDatabase(kind);
    const apiKeys = await openForTest({
      database,
      edition: 'Professional',
      clock: { now: () => 1_800_000_000_000.75 },
    });
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
    expect(await apiKeys.revoke(ada, apiKey.id)).toMatchObject({ createdOn: '2027-01-15T08:00:00.000Z' });
  });

  it('never returns the key value again (specification 2.1)', async () => {
    const { apiKeys } = await setUp();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    const everything = JSON.stringify([
      await apiKeys.get(ada, apiKey.id),
      await apiKeys.list(ada),
      await apiKeys.audits(ada),
      await apiKeys.update(ada, apiKey.id, { name: 'CI 2' }),
      await apiKeys.revoke(ada, apiKey.id),
    ]);
    expect(everything).toContain(apiKey.id);
    expect(everything).not.toContain(key.slice(16));
    expect(everything).not.toContain(key.slice(16, -6));
  });

  it('is Active until the last millisecond and Expired at the instant of expiry (K5)', async () => {
    const { apiKeys, clock } = await setUp();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01T00:00:00Z' });
    clock.set('2027-05-31T23:59:59.999Z');
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ status: 'Active' });
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toEqual({ userId: 'u-ada', apiKeyId: apiKey.id });
    clock.set('2027-06-01T00:00:00.000Z');
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ status: 'Expired' });
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
    expect(await apiKeys.verify({ 'x-api-key': key })).toMatchObject({ reason: 'expired' });
  });

  it('refuses to edit or revoke an Expired key, and changes nothing (K5)', async () => {
    const { apiKeys, clock } = await setUp();
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01T00:00:00Z' });
    clock.set('2027-06-01T00:00:00.000Z');
    const edit = await refusalOf(apiKeys.update(ada, apiKey.id, { expiresOn: '2027-09-01' }));
    expect(edit).toMatchObject({
      kind: 'conflict',
      message: 'Only an Active API key can be edited; this one is Expired.',
      fieldErrors: [],
    });
    const revocation = await refusalOf(apiKeys.revoke(ada, apiKey.id));
    expect(revocation).toMatchObject({
      kind: 'conflict',
      message: 'Only an Active API key can be revoked; this one is Expired.',
    });
    expect(await apiKeys.get(ada, apiKey.id)).toEqual({ ...apiKey, status: 'Expired' });
    expect((await apiKeys.audits(ada)).items).toHaveLength(1);
  });

  it('revokes at once and for good; the key stays in the list (specification 3)', async () => {
    const { apiKeys, clock } = await setUp();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    clock.advance(1000);
    const revoked = await apiKeys.revoke(ada, apiKey.id);
    expect(revoked).toEqual({ ...apiKey, status: 'Revoked', revokedOn: '2027-03-10T12:00:01.000Z', version: 2 });
    expect(await apiKeys.verify({ 'x-api-key': key })).toMatchObject({ outcome: 'refused', reason: 'revoked' });
    const [listed] = (await apiKeys.list(ada)).items;
    expect(listed).toMatchObject({ id: apiKey.id, status: 'Revoked' });
    for (const call of [apiKeys.update(ada, apiKey.id, { name: 'CI' }), apiKeys.revoke(ada, apiKey.id)]) {
      expect((await refusalOf(call)).kind).toBe('conflict');
    }
    clock.set('2028-01-01T00:00:00Z');
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ status: 'Revoked' });
  });

  it('edits name and expiry of an Active key; the value keeps working (specification 3)', async () => {
    const { apiKeys } = await setUp();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    const edited = await apiKeys.update(ada, apiKey.id, { name: ' CI 2 ', expiresOn: '2027-07-01' });
    expect(edited).toEqual({ ...apiKey, name: 'CI 2', expiresOn: '2027-07-01T23:59:59.999Z', version: 2 });
    expect(await apiKeys.get(ada, apiKey.id)).toEqual(edited);
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
  });

  it('checks an edit as it checks a creation, and saves nothing of a wrong one (specification 7.1)', async () => {
    const { apiKeys } = await setUp();
    await apiKeys.create(ada, { name: 'Taken', expiresOn: '2027-06-01' });
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    const both = await refusalOf(apiKeys.update(ada, apiKey.id, { name: 'Taken', expiresOn: '2028-03-11T00:00:00Z' }));
    expect(both.kind).toBe('validation');
    expect(both.fieldErrors).toEqual([
      { field: 'name', message: 'API key name must be unique.' },
      { field: 'expiresOn', message: 'Expiration date cannot exceed 1 year from today.' },
    ]);
    const past = await refusalOf(apiKeys.update(ada, apiKey.id, { name: 'New', expiresOn: '2027-03-10T12:00:00Z' }));
    expect(past.fieldErrors).toEqual([{ field: 'expiresOn', message: 'Expiry date must be a future datetime.' }]);
    expect((await refusalOf(apiKeys.update(ada, apiKey.id, { name: 'Taken' }))).message).toBe(
      'API key name must be unique.',
    );
    expect(await apiKeys.get(ada, apiKey.id)).toEqual(apiKey);
  });

  it.each([undefined, null, 7, 'name', [], () => {}])('wants both fields of a creation, given %s', async (input) => {
    const { apiKeys } = await setUp();
    const refusal = await refusalOf(apiKeys.create(ada, input as never));
    expect(refusal.fieldErrors.map(({ field }) => field)).toContain('expiresOn');
    expect(refusal.fieldErrors.map(({ field }) => field)).toContain('name');
  });

  it.each([{}, { version: 1 }, { name: undefined }, undefined, null, 7, 'name', []])(
    'refuses an edit with nothing to change: %j (K13)',
    async (changes) => {
      const { apiKeys } = await setUp();
      const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
      expect(await refusalOf(apiKeys.update(ada, apiKey.id, changes as never))).toMatchObject({
        kind: 'validation',
        message: 'Give `name`, `description` or `expiresOn`: there is nothing to change.',
      });
      expect(await apiKeys.update(ada, apiKey.id, { name: 'CI' })).toMatchObject({ version: 1 });
    },
  );

  it('says what is no version, instead of that the key has changed', async () => {
    const { apiKeys } = await setUp();
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    const edit = apiKeys.update(ada, apiKey.id, { name: 'x', version: '1' as never });
    await expect(edit).rejects.toThrow(new TypeError('`version` must be a number.'));
  });

  it('names what is no option of a query, so that a misspelt one is not ignored', async () => {
    const { apiKeys } = await setUp();
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    const wrong: [Promise<unknown>, string][] = [
      [apiKeys.list(ada, { staus: 'Active' } as never), '`query.staus` is not an option: did you mean `status`?'],
      [apiKeys.audits(ada, { sort: 'id' } as never), '`query.sort` is not an option: there are `scope`, `apiKeyId`, '],
    ];
    for (const [call, message] of wrong) {
      const error = await call.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toContain(message);
    }
    expect((await apiKeys.list(ada)).items).toEqual([apiKey]);
  });

  it('accepts its own name and expiry in an edit', async () => {
    const { apiKeys } = await setUp();
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    expect(await apiKeys.update(ada, apiKey.id, { name: 'CI', expiresOn: '2027-07-01' })).toMatchObject({ version: 2 });
    const wrongExpiry = await refusalOf(apiKeys.update(ada, apiKey.id, { name: 'CI', expiresOn: '2020-01-01' }));
    expect(wrongExpiry.fieldErrors.map(({ field }) => field)).toEqual(['expiresOn']);
  });

  it('keeps keys when the database is opened again (K18)', async () => {
    const { apiKeys, clock, database } = await setUp();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    await apiKeys.close();
    const again = await openForTest({ database: database.url, edition: 'Professional', clock });
    expect(await again.get(ada, apiKey.id)).toEqual(apiKey);
    expect(await again.authenticate({ 'x-api-key': key })).toBeDefined();
    expect((await again.audits(ada)).items).toHaveLength(1);
  });
});
