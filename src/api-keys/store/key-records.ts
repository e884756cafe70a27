import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely';
import type { ApiKeySortField, ApiKeyStatus } from '../keys/types.js';
import type { StoreConnection } from './connection.js';
import { type ApiKeyRow, type Dialect, keyTable, searchTable, type Tables } from './schema.js';
import { type KeySearch, searchCondition, searchText } from './search-records.js';

export type KeyRow = Selectable<ApiKeyRow>;
/** Queries run the same inside a transaction and outside. */
export type Queries = Kysely<Tables> | Transaction<Tables>;
export type Builder = ExpressionBuilder<Tables, 'concordat_api_key'>;

const sortColumns = {
  name: 'name_search',
  createdBy: 'owner_search',
  createdOn: 'created_on',
  expiresOn: 'expires_on',
  lastAccessed: 'last_accessed',
} as const satisfies Record<ApiKeySortField, keyof ApiKeyRow>;

export interface KeyFilter {
  /** Those of all of these, who can only be one and the same; empty for everybody's keys. */
  readonly ownerIds: readonly string[];
  readonly status?: ApiKeyStatus | undefined;
  readonly search?: KeySearch | undefined;
  readonly nowMs: number;
}

interface KeyOrder {
  readonly field: ApiKeySortField;
  readonly direction: 'asc' | 'desc';
  readonly after?: { readonly value: string | number; readonly id: string } | undefined;
  readonly skip: number;
}

export function sortValue(row: KeyRow, field: ApiKeySortField): string | number {
  return row[sortColumns[field]];
}

/** Whether a key is Active at that moment (rule K5). */
export function isActive(builder: Builder, nowMs: number) {
  return builder.and([
    builder('revoked_on', 'is', null),
    builder('expired_on', 'is', null),
    builder('expires_on', '>', nowMs),
  ]);
}

/** Whether a key has expired at that moment, and nobody has recorded that. */
function isOverdue(builder: Builder, nowMs: number) {
  return builder.and([
    builder('revoked_on', 'is', null),
    builder('expired_on', 'is', null),
    builder('expires_on', '<=', nowMs),
  ]);
}

export async function insertKey(queries: Queries, row: KeyRow): Promise<void> {
  await queries.insertInto(keyTable).values(row).execute();
  await queries
    .insertInto(searchTable)
    .values({ id: row.id, text: searchText(row) })
    .execute();
}

export async function findKey(queries: Queries, id: string): Promise<KeyRow | undefined> {
  return await queries.selectFrom(keyTable).selectAll().where('id', '=', id).executeTakeFirst();
}

export async function isNameTaken(queries: Queries, name: string, exceptId: string | undefined): Promise<boolean> {
  const row = await queries.selectFrom(keyTable).select('id').where('name', '=', name).executeTakeFirst();
  return row !== undefined && row.id !== exceptId;
}

/** Edits a key that is still Active and of that version; otherwise `undefined` (rule K17). */
export async function updateActiveKey(
  queries: Queries,
  guard: { id: string; version: number; nowMs: number },
  values: Pick<KeyRow, 'name' | 'name_search' | 'description' | 'expires_on'> & Partial<KeyRow>,
): Promise<KeyRow | undefined> {
  const row = await queries
    .updateTable(keyTable)
    .set((builder) => ({ ...values, version: builder('version', '+', 1) }))
    .where('id', '=', guard.id)
    .where('version', '=', guard.version)
    .where((builder) => isActive(builder, guard.nowMs))
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) {
    await queries
      .updateTable(searchTable)
      .set({ text: searchText(row) })
      .where('id', '=', row.id)
      .execute();
  }
  return row;
}

/** Revokes one key, or all keys of an owner, if still Active (rule K17). */
export async function revokeActiveKeys(
  queries: Queries,
  dialect: Dialect,
  which: { id: string } | { ownerId: string },
  nowMs: number,
): Promise<KeyRow[]> {
  const active = lockedIds(queries, dialect)
    .where((builder) => ('id' in which ? builder('id', '=', which.id) : builder('owner_id', '=', which.ownerId)))
    .where((builder) => isActive(builder, nowMs));
  return await queries
    .updateTable(keyTable)
    .set((builder) => ({ revoked_on: nowMs, version: builder('version', '+', 1) }))
    .where('id', 'in', active)
    .returningAll()
    .execute();
}

/** Records that these keys were reported as Expired, once each. */
export async function recordExpired(
  { kysely, dialect }: Pick<StoreConnection, 'kysely' | 'dialect'>,
  ids: readonly string[],
  nowMs: number,
): Promise<void> {
  const expired = lockedIds(kysely, dialect)
    .where('id', 'in', ids)
    .where((builder) => isOverdue(builder, nowMs));
  const update = kysely.updateTable(keyTable).set({ expired_on: nowMs }).where('id', 'in', expired);
  // A transaction waits for other writers without blocking the process; a bare statement would block it.
  await kysely.transaction().execute((transaction) => transaction.executeQuery(update));
}

/** Records in a transaction which keys of an owner have expired. Locks all of them first, so that others may be written next. */
export async function recordExpiredOf(
  transaction: Queries,
  dialect: Dialect,
  ownerId: string,
  nowMs: number,
): Promise<void> {
  await lockedIds(transaction, dialect).where('owner_id', '=', ownerId).execute();
  await transaction
    .updateTable(keyTable)
    .set({ expired_on: nowMs })
    .where('owner_id', '=', ownerId)
    .where((builder) => isOverdue(builder, nowMs))
    .execute();
}

/** Rows are locked in the order of their ids, so that two processes never wait for each other. */
function lockedIds(queries: Queries, dialect: Dialect) {
  return queries
    .selectFrom(keyTable)
    .select('id')
    .orderBy('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate());
}

export async function listKeys(queries: Queries, filter: KeyFilter, order: KeyOrder, limit: number): Promise<KeyRow[]> {
  const column = sortColumns[order.field];
  const { after } = order;
  const page = queries
    .selectFrom(keyTable)
    .where((builder) => matches(builder, filter, { byExpiry: order.field === 'expiresOn' }))
    .$if(after !== undefined, (query) =>
      // One comparison of pairs, answered by the index on both columns.
      query.where(sql<SqlBool>`(${sql.ref(column)}, id) ${sql.raw(order.direction === 'asc' ? '>' : '<')}
        (${after?.value}, ${after?.id})`),
    )
    .orderBy(column, order.direction)
    .orderBy('id', order.direction)
    .limit(limit)
    .offset(order.skip);
  if (!isToldByIndex(filter, order)) return await page.selectAll().execute();
  return await queries
    .selectFrom(keyTable)
    .selectAll()
    .where('id', 'in', page.select('id'))
    .orderBy(column, order.direction)
    .orderBy('id', order.direction)
    .execute();
}

/** Whether the sort index covers the filter. The ids then come from it alone: half a million others may precede them. */
function isToldByIndex({ ownerIds, status, search }: KeyFilter, { skip }: KeyOrder): boolean {
  return (skip > 0 || status === 'Active' || status === 'Expired') && ownerIds.length === 0 && search === undefined;
}

export async function countKeys(queries: Queries, filter: KeyFilter): Promise<number> {
  const { count } = await queries
    .selectFrom(keyTable)
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .where((builder) => matches(builder, filter, { byExpiry: true }))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function matches(
  builder: Builder,
  { ownerIds, status, search, nowMs }: KeyFilter,
  { byExpiry }: { byExpiry: boolean },
) {
  const conditions: Expression<SqlBool>[] = [...statusConditions(builder, status, nowMs, byExpiry)];
  for (const ownerId of ownerIds) conditions.push(builder('owner_id', '=', ownerId));
  if (search !== undefined) conditions.push(searchCondition(builder, search));
  return builder.and(conditions);
}

function statusConditions(builder: Builder, status: ApiKeyStatus | undefined, nowMs: number, byExpiry: boolean) {
  if (status === undefined) return [];
  if (status === 'Revoked') return [builder('revoked_on', 'is not', null)];
  // The plus keeps SQLite from reading all keys by expiry in order to sort them differently.
  const expiresOn = sql<number>`${sql.raw(byExpiry ? '' : '+')}expires_on`;
  const isExpired = builder.or([builder(expiresOn, '<=', nowMs), builder('expired_on', 'is not', null)]);
  const isNotExpired = builder.and([builder(expiresOn, '>', nowMs), builder('expired_on', 'is', null)]);
  return [builder('revoked_on', 'is', null), status === 'Expired' ? isExpired : isNotExpired];
}
