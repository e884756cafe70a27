import { apiKeyPattern } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { openForTest } from './helpers/databases.js';
import { ada } from './helpers/people.js';

describe('the value of a key (K2)', () => {
  it('is `ck_`, an id, a secret and a checksum in letters and digits, found by one anchored pattern', async () => {
    const apiKeys = await openForTest({ database: ':memory:', edition: 'Professional' });
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    expect(key).toHaveLength(65);
    const [, id, secret, checksum] = apiKeyPattern.exec(key) ?? [];
    expect([id, secret?.length, checksum?.length]).toEqual([apiKey.id, 43, 6]);
    expect(apiKeyPattern.test(`${key}\n`)).toBe(false);
    expect(apiKeyPattern.test(` ${key}`)).toBe(false);
    expect(apiKeyPattern.global).toBe(false);
  });

  it('is drawn evenly from all 62 characters, and never twice', async () => {
    const apiKeys = await openForTest({ database: ':memory:', edition: 'Professional' });
    const counts = new Map<string, number>();
    const secrets = new Set<string>();
    const size = 400;
    for (let index = 0; index < size; index++) {
      const { key } = await apiKeys.create(ada, { name: `Key ${index}`, expiresOn: apiKeys.maxExpiresOn() });
      const secret = key.slice(16, -6);
      secrets.add(secret);
      for (const letter of secret) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(secrets.size).toBe(size);
    expect(counts.size).toBe(62);
    const expected = (size * 43) / 62;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 61 degrees of freedom: more than 140 comes once in ten million runs; taking bytes modulo 62 gives about 400.
    expect(chiSquare).toBeLessThan(140);
  });
});
