import { expect, it, onTestFinished } from 'vitest';
import { emptyDatabase, openForTest, openSqliteFile, sqlite } from './helpers/databases.js';
import { ada } from './helpers/people.js';

/** API keys in a file to which another connection is writing, and goes on writing until `end`. */
async function besideAWriter() {
  const database = await emptyDatabase(sqlite);
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs };
  const reported: unknown[] = [];
  const onError = (error: unknown) => reported.push(error);
  const apiKeys = await openForTest({ database: database.url, edition: 'Professional', clock, onError });
  const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
  const other = await openSqliteFile(database.url);
  other.exec('begin immediate');
  let isWriting = true;
  const end = () => {
    if (isWriting) other.exec('rollback');
    isWriting = false;
  };
  onTestFinished(() => {
    end();
    other.close();
  });
  const expireKeys = () => {
    aheadMs = 400 * 24 * 3_600_000;
  };
  return { database, apiKeys, apiKey, headers: { 'x-api-key': key }, reported, end, expireKeys };
}

it('a revocation that waits for another writer lets readers pass (K18)', async () => {
  const { apiKeys, apiKey, headers, end } = await besideAWriter();
  let revoked = false;
  const revocation = apiKeys.revoke(ada, apiKey.id).then(() => {
    revoked = true;
  });
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await apiKeys.list(ada)).items).toHaveLength(1);
    expect((await apiKeys.verify(headers)).outcome).toBe('authenticated');
  }
  expect(revoked).toBe(false);
  end();
  await revocation;
  expect((await apiKeys.verify(headers)).outcome).toBe('refused');
});

it('a list by the last access waits only a moment for uses that cannot be written (K10, K18)', async () => {
  const { database, apiKeys, headers, reported, end } = await besideAWriter();
  await apiKeys.verify(headers);
  // It resolves although the other writer never ends.
  const { items } = await apiKeys.list(ada, { sort: '-lastAccessed' });
  expect(items).toMatchObject([{ lastAccessed: expect.any(String) }]);
  const written = async () => (await database.query('select last_accessed from concordat_api_key'))[0]?.last_accessed;
  expect(await written()).toBe(0);
  expect(reported).toEqual([]);
  end();
  await expect.poll(written, { timeout: 30_000 }).toBeGreaterThan(0);
});

it('an expired key is refused while that cannot be recorded, and is recorded afterwards (K5)', async () => {
  const { database, apiKeys, headers, end, expireKeys } = await besideAWriter();
  expireKeys();
  expect(await apiKeys.verify(headers)).toMatchObject({ outcome: 'refused', reason: 'expired' });
  expect((await apiKeys.list(ada)).items).toMatchObject([{ status: 'Expired' }]);
  end();
  const recorded = async () => (await database.query('select expired_on from concordat_api_key'))[0]?.expired_on;
  await expect.poll(recorded, { timeout: 30_000 }).toEqual(expect.any(Number));
});
