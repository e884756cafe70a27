import type { ApiKeys } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, root } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

const reports: [string, (apiKeys: ApiKeys, id: string, key: string) => Promise<unknown>][] = [
  ['a request with the key', (apiKeys, _id, key) => apiKeys.verify({ 'x-api-key': key })],
  ['reading the key', (apiKeys, id) => apiKeys.get(ada, id)],
  ['the list', (apiKeys) => apiKeys.list(ada)],
  ['a failed edit', (apiKeys, id) => refusalOf(apiKeys.update(ada, id, { name: 'New' }))],
  ['a failed revocation', (apiKeys, id) => refusalOf(apiKeys.revoke(ada, id))],
  ['revoking all keys of its owner', (apiKeys) => apiKeys.revokeAllOf(ada, ada.userId)],
  ['the deletion of its owner', (apiKeys) => apiKeys.userDeleted(root, ada.userId)],
];

describe.each(databaseKinds)('a key that was reported as Expired stays so on $name (K5)', (kind) => {
  it.each(reports)('by %s: even when the clock is set back', async (_by, report) => {
    const { url } = await emptyDatabase(kind);
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const apiKeys = await openForTest({ database: url, edition: 'Ultimate', clock });
    const expiresOn = '2027-03-11T00:00:00.000Z';
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn });

    clock.set(expiresOn);
    await report(apiKeys, apiKey.id, key);
    clock.set('2027-03-10T12:00:00.000Z');
    const other = await apiKeys.create(ada, { name: 'Other', expiresOn: apiKeys.maxExpiresOn() });
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ status: 'Expired' });
    expect(await apiKeys.verify({ 'x-api-key': key })).toMatchObject({ outcome: 'refused', reason: 'expired' });
    expect((await apiKeys.list(ada, { status: 'Active' })).items).toMatchObject([{ id: other.apiKey.id }]);
    expect((await apiKeys.list(ada, { status: 'Expired' })).items).toMatchObject([{ id: apiKey.id }]);
    expect(await apiKeys.verify({ 'x-api-key': other.key })).toMatchObject({ outcome: 'authenticated' });
  });
});
