import { type ExpressionBuilder, type Kysely, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import type { ApiKeySortField, ApiKeyStatus } from '../types.js';
import { type ApiKeyRow, keyTable, type Tables } from './schema.js';

export type KeyRow = Selectable<ApiKeyRow>;
/** Inside a transaction or not: the same queries. */
export type Queries = Kysely<Tables> | Transaction<Tables>;
type Builder = ExpressionBuilder<Tables, 'concordat_api_key'>;

const sortColumns = {
  name: 'name_search',
  createdBy: 'owner_search',
  createdOn: 'created_on',
  expiresOn: 'expires_on',
  lastAccessed: 'last_accessed',
} as const satisfies Record<ApiKeySortField, keyof ApiKeyRow>;

export interface KeyFilter {
  readonly ownerId?: string | undefined;
  readonly status?: ApiKeyStatus | undefined;
  /** Already folded. */
  readonly search?: string | undefined;
  readonly nowMs: number;
}

export interface KeyOrder {
  readonly field: ApiKeySortField;
  readonly direction: 'asc' | 'desc';
  readonly after?: { readonly value: string | number; readonly id: string } | undefined;
}

/** The value by which a row stands where it stands in an order. */
export function sortValue(row: KeyRow, field: ApiKeySortField): string | number {
  return row[sortColumns[field]];
}

export async function insertKey(queries: Queries, row: KeyRow): Promise<void> {
  await queries.insertInto(keyTable).values(row).execute();
}

export async function findKey(queries: Queries, id: string): Promise<KeyRow | undefined> {
  return await queries.selectFrom(keyTable).selectAll().where('id', '=', id).executeTakeFirst();
}

export async function isNameTaken(queries: Queries, name: string, exceptId: string | undefined): Promise<boolean> {
  const row = await queries.selectFrom(keyTable).select('id').where('name', '=', name).executeTakeFirst();
  return row !== undefined && row.id !== exceptId;
}

/** Edits a key that is still Active and of that version; `undefined` when it is not (rule K17). */
export async function updateActiveKey(
  queries: Queries,
  guard: { id: string; version: number; nowMs: number },
  values: Pick<KeyRow, 'name' | 'name_search' | 'expires_on'>,
): Promise<KeyRow | undefined> {
  return await queries
    .updateTable(keyTable)
    .set((builder) => ({ ...values, version: builder('version', '+', 1) }))
    .where('id', '=', guard.id)
    .where('version', '=', guard.version)
    .where('revoked_on', 'is', null)
    .where('expires_on', '>', guard.nowMs)
    .returningAll()
    .executeTakeFirst();
}

/** Revokes what is still Active of one key, or of all keys of an owner (rule K17). */
export async function revokeActiveKeys(
  queries: Queries,
  which: { id: string } | { ownerId: string },
  nowMs: number,
): Promise<KeyRow[]> {
  return await queries
    .updateTable(keyTable)
    .set((builder) => ({ revoked_on: nowMs, version: builder('version', '+', 1) }))
    .where((builder) => ('id' in which ? builder('id', '=', which.id) : builder('owner_id', '=', which.ownerId)))
    .where('revoked_on', 'is', null)
    .where('expires_on', '>', nowMs)
    .returningAll()
    .execute();
}

export async function listKeys(queries: Queries, filter: KeyFilter, order: KeyOrder, limit: number): Promise<KeyRow[]> {
  const column = sortColumns[order.field];
  const { after } = order;
  return await queries
    .selectFrom(keyTable)
    .selectAll()
    .where((builder) => matches(builder, filter))
    .$if(after !== undefined, (query) =>
      // One comparison of pairs, which the index over both columns answers.
      query.where(sql<SqlBool>`(${sql.ref(column)}, id) ${sql.raw(order.direction === 'asc' ? '>' : '<')}
        (${after?.value}, ${after?.id})`),
    )
    .orderBy(column, order.direction)
    .orderBy('id', order.direction)
    .limit(limit)
    .execute();
}

export async function countKeys(queries: Queries, filter: KeyFilter): Promise<number> {
  const { count } = await queries
    .selectFrom(keyTable)
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .where((builder) => matches(builder, filter))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function matches(builder: Builder, { ownerId, status, search, nowMs }: KeyFilter) {
  const conditions = [...statusConditions(builder, status, nowMs)];
  if (ownerId !== undefined) conditions.push(builder('owner_id', '=', ownerId));
  if (search !== undefined) conditions.push(searchCondition(search));
  return builder.and(conditions);
}

function statusConditions(builder: Builder, status: ApiKeyStatus | undefined, nowMs: number) {
  if (status === undefined) return [];
  if (status === 'Revoked') return [builder('revoked_on', 'is not', null)];
  // The plus keeps SQLite from reading the table by expiry and sorting all of it: pages come from the order's own index.
  const compare = status === 'Expired' ? sql`<=` : sql`>`;
  return [builder('revoked_on', 'is', null), sql<SqlBool>`+expires_on ${compare} ${nowMs}`];
}

function searchCondition(search: string) {
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`(name_search like ${pattern} escape '\\' or owner_search like ${pattern} escape '\\'
    or lower(substr(id, 1, ${search.length})) = ${search})`;
}
