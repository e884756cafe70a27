import { readFileSync } from 'node:fs';
import { openApiKeys } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { root } from './helpers/people.js';

// Written by the release before, with one Active key that was used and one Revoked key.
const written = JSON.parse(readFileSync(new URL('./fixtures/version-4.json', import.meta.url), 'utf8')) as {
  key: string;
  ids: [string, string];
} & Record<string, string[]>;

describe.each(databaseKinds)('a database of version 4 on $name', (kind) => {
  const filled = async () => {
    const database = await emptyDatabase(kind);
    for (const statement of written[kind.name] ?? []) await database.query(statement);
    return database;
  };
  const clock = { now: () => Date.parse('2026-11-22T12:00:00Z') };

  it('is brought up to date with everything in it', async () => {
    const { url, query } = await filled();
    const apiKeys = await openForTest({ database: url, edition: 'Professional', clock });
    const [active, revoked] = written.ids;
    expect(await apiKeys.get(root, active)).toEqual({
      id: active,
      name: 'Nightly Export',
      description: null,
      status: 'Active',
      createdBy: { id: 'u-ada', username: 'Ada' },
      createdOn: '2026-11-01T09:00:00.000Z',
      expiresOn: '2027-03-01T23:59:59.999Z',
      lastAccessed: '2026-11-01T09:00:00.000Z',
      recentUses: [],
      revokedOn: null,
      refusedUses: 0,
      lastRefusedOn: null,
      version: 1,
    });
    expect(await apiKeys.get(root, revoked)).toMatchObject({ status: 'Revoked' });
    expect((await apiKeys.audits(root)).items).toHaveLength(3);
    expect(await apiKeys.authenticate({ 'x-api-key': written.key })).toMatchObject({ apiKeyId: active });
    const found = async (search: string) =>
      (await apiKeys.list(root, { scope: 'all', search })).items.map(({ id }) => id);
    expect(await found('nightly exp')).toEqual([active]);
    expect((await found('ADA')).sort()).toEqual([active, revoked].sort());
    await apiKeys.update(root, active, { name: 'Daily', description: 'moved' });
    expect([await found('nightly exp'), await found('moved')]).toEqual([[], [active]]);
    expect(await query('select version from concordat_api_key_schema')).toEqual([{ version: 5 }]);
  });

  it('is brought up to date once, by several at once', async () => {
    const { url, query } = await filled();
    const opened = await Promise.all(
      [1, 2, 3, 4].map(() => openApiKeys({ database: url, edition: 'Ultimate', clock })),
    );
    for (const apiKeys of opened) {
      expect((await apiKeys.list(root, { scope: 'all', search: 'old import' })).items).toHaveLength(1);
      await apiKeys.close();
    }
    expect(await query('select count(*) as n from concordat_api_key_search')).toEqual([
      { n: kind.name === 'SQLite' ? 2 : '2' },
    ]);
  });
});
