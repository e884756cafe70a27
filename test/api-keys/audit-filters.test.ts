import type { Actor, ApiKeys, AuditQuery } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob, manager, root, TestUsers } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

const dayMs = 86_400_000;

/**
 * One key of ada's, created on 1 March, renamed by her on the 2nd, by the manager on the 3rd, revoked by root on the 4th,
 * each at noon; and one of bob's, created on the 5th.
 */
async function fill(apiKeys: ApiKeys, clock: ManualClock): Promise<void> {
  const nextDay = () => clock.advance(dayMs);
  const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
  nextDay();
  await apiKeys.update({ ...ada, origin: 'API' }, apiKey.id, { name: 'CI 2' });
  nextDay();
  await apiKeys.update({ ...manager, origin: 'MCP' }, apiKey.id, { name: 'CI 3' });
  nextDay();
  await apiKeys.revoke({ ...root, origin: 'UI' }, apiKey.id);
  nextDay();
  await apiKeys.create(bob, { name: "Bob's", expiresOn: '2027-06-01' });
}

describe.each(databaseKinds)('the audit trail on $name', (kind) => {
  const open = async () => {
    const clock = new ManualClock('2027-03-01T12:00:00.000Z');
    const { url } = await emptyDatabase(kind);
    const users = new TestUsers(ada, bob, manager, root);
    const apiKeys = await openForTest({ database: url, edition: 'Professional', clock, users });
    await fill(apiKeys, clock);
    /** The days of March on which the entries were written. */
    const days = async (query: AuditQuery, actor: Actor = root) =>
      (await apiKeys.audits(actor, query)).items.map(({ changeTime }) => Number(changeTime.slice(8, 10)));
    return { apiKeys, clock, days };
  };

  it.each([
    { from: '2027-03-04', to: '2027-03-03' },
    { from: '2027-03-03T12:00:00.001Z', to: '2027-03-03T12:00:00Z' },
  ])('of a period that ends before it begins is refused: it is a mistake, and no answer (%j)', async (query) => {
    const { days } = await open();
    const message = '`from` must not be later than `to`.';
    await expect(days(query)).rejects.toMatchObject({ kind: 'validation', fieldErrors: [{ field: 'from', message }] });
  });

  it('is filtered by time, both ends included; a date is a whole day in UTC', async () => {
    const { days } = await open();
    expect(await days({ from: '2027-03-03' })).toEqual([5, 4, 3]);
    expect(await days({ to: '2027-03-03' })).toEqual([3, 2, 1]);
    expect(await days({ from: '2027-03-02', to: '2027-03-04' })).toEqual([4, 3, 2]);
    expect(await days({ from: '2027-03-03T12:00:00Z', to: '2027-03-04T12:00:00Z' })).toEqual([4, 3]);
    expect(await days({ from: '2027-03-03T12:00:00.001Z', to: '2027-03-04T11:59:59.999Z' })).toEqual([]);
    expect(await days({ from: '2027-03-03T13:00:00+01:00', to: new Date('2027-03-03T12:00:00Z') })).toEqual([3]);
    expect(await days({ from: '2027-03-03', to: '2027-03-03' })).toEqual([3]);
    expect(await days({ from: '2027-03-03T12:00:00Z', to: '2027-03-03T12:00:00Z' })).toEqual([3]);
  });

  it('is filtered by author, whose id or user name is given', async () => {
    const { days } = await open();
    expect(await days({ author: 'ada' })).toEqual([2, 1]);
    expect(await days({ author: 'u-ada' })).toEqual([2, 1]);
    expect(await days({ author: ' manager ' })).toEqual([3]);
    expect(await days({ author: 'nobody' })).toEqual([]);
    expect(await days({ author: '' })).toEqual([5, 4, 3, 2, 1]);
    expect(await days({ author: 'a%' })).toEqual([]);
  });

  it('is filtered by origin and by revision type, and by everything at once', async () => {
    const { days } = await open();
    expect(await days({ origin: 'UI' })).toEqual([4, 1]);
    expect(await days({ origin: 'MCP' })).toEqual([3]);
    expect(await days({ revisionType: 'Create' })).toEqual([5, 1]);
    expect(await days({ revisionType: 'Update', origin: 'API', author: 'ada', from: '2027-03-02' })).toEqual([2]);
    expect(await days({ revisionType: 'Update', origin: 'API', author: 'ada', from: '2027-03-03' })).toEqual([]);
  });

  it('shows no more by a filter than without one (K7)', async () => {
    const { days } = await open();
    expect(await days({ author: 'ada' }, bob)).toEqual([]);
    expect(await days({ author: 'root' }, ada)).toEqual([4]);
    expect(await days({ from: '2027-03-01' }, bob)).toEqual([5]);
  });

  it('says how many entries match, if asked', async () => {
    const { apiKeys } = await open();
    expect(await apiKeys.audits(root, { limit: 2 })).not.toHaveProperty('total');
    expect((await apiKeys.audits(root, { limit: 2, total: true })).total).toBe(5);
    expect((await apiKeys.audits(root, { limit: 1, total: true, author: 'ada' })).total).toBe(2);
    expect((await apiKeys.audits(ada, { total: true })).total).toBe(4);
    expect((await apiKeys.audits(ada, { total: true, author: 'nobody' })).total).toBe(0);
  });

  it('skips entries, so that pages have numbers; a cursor goes on from there', async () => {
    const { apiKeys, days } = await open();
    expect(await days({ skip: 2, limit: 2 })).toEqual([3, 2]);
    expect(await days({ skip: 4 })).toEqual([1]);
    expect(await days({ skip: 5 })).toEqual([]);
    expect(await days({ skip: 1, revisionType: 'Create' })).toEqual([1]);
    const { nextCursor } = await apiKeys.audits(root, { skip: 1, limit: 1 });
    expect(await days({ cursor: nextCursor as string })).toEqual([3, 2, 1]);
    const { total } = await apiKeys.audits(root, { skip: 3, cursor: nextCursor as string, total: true });
    expect(total).toBe(5);
  });

  it.each<[string, object, string]>([
    ['from', { from: 'yesterday' }, 'an ISO 8601 date or datetime with a time zone'],
    ['from', { from: '2027-03-01T10:00' }, 'an ISO 8601 date or datetime with a time zone'],
    ['to', { to: '2027-02-30' }, 'an ISO 8601 date or datetime with a time zone'],
    ['to', { to: 5 }, 'an ISO 8601 date or datetime with a time zone'],
    ['to', { to: new Date(Number.NaN) }, 'an ISO 8601 date or datetime with a time zone'],
    ['author', { author: 'a\0' }, 'must not contain a NUL character.'],
    ['apiKeyId', { apiKeyId: '' }, 'must not be empty.'],
    ['apiKeyId', { apiKeyId: ' ' }, 'must not be empty.'],
    ['author', { author: 'a'.repeat(1025) }, 'text of at most 1024 characters'],
    ['author', { author: { id: 1 } }, 'text of at most 1024 characters'],
    ['origin', { origin: 'Shell' }, 'one of UI, API, MCP, System'],
    ['skip', { skip: -1 }, 'a whole number'],
    ['skip', { skip: 1.5 }, 'a whole number'],
    ['skip', { skip: '1' }, 'a whole number'],
    ['skip', { skip: 1e16 }, 'a whole number'],
    ['total', { total: 'yes' }, 'true or false'],
  ])('refuses a wrong `%s`: %o', async (field, query, message) => {
    const { apiKeys } = await open();
    const refusal = await refusalOf(apiKeys.audits(root, query as AuditQuery));
    expect(refusal).toMatchObject({ kind: 'validation', fieldErrors: [{ field }] });
    expect(refusal.message).toContain(message);
  });
});

describe.each(databaseKinds)('the list of keys on $name', (kind) => {
  it('skips keys, so that pages have numbers', async () => {
    const clock = new ManualClock('2027-03-01T12:00:00.000Z');
    const { url } = await emptyDatabase(kind);
    const apiKeys = await openForTest({ database: url, edition: 'Professional', clock });
    for (const letter of ['A', 'B', 'C', 'D', 'E']) {
      const { apiKey } = await apiKeys.create(letter < 'D' ? ada : bob, {
        name: `Key ${letter}`,
        expiresOn: '2027-06-01',
      });
      if (letter === 'B') await apiKeys.revoke(ada, apiKey.id);
      clock.advance(1000);
    }
    const names = async (query: object, actor: Actor = root) =>
      (await apiKeys.list(actor, { scope: 'all', ...query })).items.map(({ name }) => name.slice(-1));
    expect(await names({ skip: 1, limit: 2 })).toEqual(['D', 'C']);
    expect(await names({ skip: 3, sort: 'name' })).toEqual(['D', 'E']);
    expect(await names({ skip: 1, status: 'Active', sort: 'name' })).toEqual(['C', 'D', 'E']);
    expect(await names({ skip: 1, status: 'Revoked' })).toEqual([]);
    expect(await names({ skip: 1, search: 'key d' })).toEqual([]);
    expect(await names({ skip: 1, scope: 'my', sort: 'name' }, ada)).toEqual(['B', 'C']);
    const { nextCursor } = await apiKeys.list(root, { scope: 'all', sort: 'name', skip: 1, limit: 1 });
    expect(await names({ cursor: nextCursor as string, sort: 'name' })).toEqual(['C', 'D', 'E']);
    expect(await refusalOf(apiKeys.list(root, { skip: -1 }))).toMatchObject({ fieldErrors: [{ field: 'skip' }] });
  });
});
