import { crc32 } from 'node:zlib';
import { openApiKeys } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada } from './helpers/people.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const documented = /\bacme_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}\b/;

/** As docs/api-keys.md tells secret scanners. */
const checksumOf = (body: string) =>
  [5, 4, 3, 2, 1, 0].map((place) => digits[Math.floor(crc32(body) / 62 ** place) % 62]).join('');

describe('`keyPrefix` (K2)', () => {
  it('begins every new key, which a scanner finds in a text and verifies by its checksum', async () => {
    const apiKeys = await openForTest({ database: ':memory:', edition: 'Professional', keyPrefix: 'acme' });
    expect(apiKeys.keyPrefix).toBe('acme');
    for (let index = 0; index < 20; index++) {
      const { key } = await apiKeys.create(ada, { name: `CI ${index}`, expiresOn: apiKeys.maxExpiresOn() });
      const [found] = documented.exec(`export ACME_KEY="${key}"\n`) as unknown as [string];
      expect(found).toBe(key);
      expect(found.slice(-6)).toBe(checksumOf(found.slice(0, -6)));
      expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
      // The checksum covers the prefix.
      const { outcome, ...rest } = await apiKeys.verify({ 'x-api-key': key.replace('acme', 'acmf') });
      expect([outcome, rest]).toEqual(['refused', { reason: 'malformed' }]);
    }
  });

  it.each(databaseKinds)('can be changed: old keys stay valid, and are found by any, on $name', async (kind) => {
    const { url } = await emptyDatabase(kind);
    const before = await openForTest({ database: url, edition: 'Professional' });
    const { apiKey, key } = await before.create(ada, { name: 'CI', expiresOn: before.maxExpiresOn() });
    expect(key.startsWith('ck_')).toBe(true);
    const after = await openForTest({ database: url, edition: 'Professional', keyPrefix: 'acme' });
    expect(await after.authenticate({ 'x-api-key': key })).toMatchObject({ apiKeyId: apiKey.id });
    for (const search of [`ck_${apiKey.id}`, `acme_${apiKey.id}…`, apiKey.id]) {
      expect((await after.list(ada, { search })).items.map(({ id }) => id)).toEqual([apiKey.id]);
    }
  });

  it.each(['', 'a', 'Acme', '1a', 'ac-me', 'ac_me', 'a'.repeat(17), 7])('%j is a TypeError', async (keyPrefix) => {
    const options = { database: ':memory:', edition: 'Professional', keyPrefix: keyPrefix as string };
    await expect(openApiKeys(options)).rejects.toThrow('`keyPrefix` must be 2 to 16 lowercase letters and digits');
  });
});
