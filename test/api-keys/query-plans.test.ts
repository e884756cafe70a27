import type { ApiKeySort, ApiKeyStatus } from 'concordat/api-keys';
import { beforeAll, expect, it } from 'vitest';
import { emptyDatabase, openForTest, sqlite } from './helpers/databases.js';
import { extendSqlite } from './helpers/driver.js';
import { root } from './helpers/people.js';

// Which indexes SQLite takes does not depend on how many rows there are: it has no statistics here, as in a service.
const sorts = ['name', 'createdBy', 'createdOn', 'expiresOn', 'lastAccessed'].flatMap((sort) => [sort, `-${sort}`]);
const plans: string[][] = [];

/** Notes the plan of every statement that reads keys or audits. */
beforeAll(async () => {
  return await extendSqlite(
    (DatabaseSync) =>
      class extends DatabaseSync {
        override prepare(sql: string) {
          if (/^select .* from "concordat_api_key(?:_audit)?"/s.test(sql)) {
            const rows = super.prepare(`explain query plan ${sql}`).all() as { detail: string }[];
            plans.push(rows.map(({ detail }) => detail));
          }
          return super.prepare(sql);
        }
      },
  );
});

const planOf = async (query: object) => {
  const { url } = await emptyDatabase(sqlite);
  const apiKeys = await openForTest({ database: url, edition: 'Professional' });
  plans.length = 0;
  await apiKeys.list(root, { scope: 'all', ...query });
  return plans[0] as string[];
};

it.each(
  (['Active', 'Expired'] as const).flatMap((status) =>
    sorts.map((sort) => [status, sort] as [ApiKeyStatus, ApiKeySort]),
  ),
)('%s keys by %s are found in the index of that order, without a look at other rows', async (status, sort) => {
  const plan = await planOf({ status, sort });
  const column = { name: 'name_search', createdBy: 'owner_search', createdOn: 'created_on', expiresOn: 'expires_on' }[
    sort.replace('-', '')
  ];
  expect(plan.join('\n')).toContain(`USING COVERING INDEX concordat_api_key_by_${column ?? 'last_accessed'}`);
  // Rows are read by their ids alone.
  const others = plan.filter(
    (line) => /concordat_api_key/.test(line) && !/COVERING INDEX|USING PRIMARY KEY/.test(line),
  );
  expect(others).toEqual([]);
});

it.each(['Active', 'Expired'] as const)('%s keys are counted in an index', async (status) => {
  await planOf({ status, total: true });
  expect(plans[1]?.join('\n')).toMatch(/USING COVERING INDEX concordat_api_key_by_expires_on/);
});

it('Revoked keys, and all keys, are read in the order of an index', async () => {
  for (const query of [{ status: 'Revoked' }, {}]) {
    const plan = await planOf(query);
    expect(plan).toEqual([
      expect.stringMatching(/USING (?:COVERING )?INDEX concordat_api_key_(?:revoked_)?by_created_on/),
    ]);
  }
});

it.each([
  {},
  { from: '2027-01-01', to: '2027-01-31' },
  { author: 'ada' },
  { origin: 'System' },
  { revisionType: 'Revoke' },
  { skip: 900_000 },
] as const)('audits are found and counted in one index, in their order: %o', async (query) => {
  const { url } = await emptyDatabase(sqlite);
  const apiKeys = await openForTest({ database: url, edition: 'Professional' });
  plans.length = 0;
  await apiKeys.audits(root, { ...query, total: true });
  const [page, count] = plans.map((plan) => plan.join('\n'));
  expect(page).toMatch(/USING COVERING INDEX concordat_api_key_audit_by_filter/);
  expect(page).not.toContain('TEMP B-TREE');
  expect(count).toMatch(/^SCAN concordat_api_key_audit USING COVERING INDEX/);
});
