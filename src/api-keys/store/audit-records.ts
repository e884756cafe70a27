import type { ExpressionBuilder, Insertable, Selectable } from 'kysely';
import type { AuditQuery } from '../keys/types.js';
import type { Queries } from './key-records.js';
import { type AuditRow, auditTable, type Tables } from './schema.js';

export type AuditRecord = Selectable<AuditRow>;

export interface AuditFilter extends Pick<AuditQuery, 'apiKeyId' | 'revisionType' | 'origin' | 'author'> {
  readonly ownerId: string | undefined;
  /** Both included. */
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

// Stays below the number of parameters that either database accepts in one statement.
const rowsPerStatement = 500;

export async function insertAudits(queries: Queries, rows: readonly Insertable<AuditRow>[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    await queries
      .insertInto(auditTable)
      .values(rows.slice(start, start + rowsPerStatement))
      .execute();
  }
}

/** Newest first. The ids come first, from an index alone: the filter may pass over a million entries. */
export async function listAudits(
  queries: Queries,
  filter: AuditFilter,
  { beforeId, skip, limit }: { beforeId: number | undefined; skip: number; limit: number },
): Promise<AuditRecord[]> {
  const ids = queries
    .selectFrom(auditTable)
    .select('id')
    .where((builder) => matches(builder, filter))
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId as number))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(skip);
  return await queries.selectFrom(auditTable).selectAll().where('id', 'in', ids).orderBy('id', 'desc').execute();
}

export async function countAudits(queries: Queries, filter: AuditFilter): Promise<number> {
  const { count } = await queries
    .selectFrom(auditTable)
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .where((builder) => matches(builder, filter))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function matches(builder: ExpressionBuilder<Tables, typeof auditTable>, filter: AuditFilter) {
  const { ownerId, apiKeyId, revisionType, origin, author, fromMs, toMs } = filter;
  return builder.and([
    ...(ownerId === undefined ? [] : [builder('owner_id', '=', ownerId)]),
    ...(apiKeyId === undefined ? [] : [builder('api_key_id', '=', apiKeyId)]),
    ...(revisionType === undefined ? [] : [builder('revision_type', '=', revisionType)]),
    ...(origin === undefined ? [] : [builder('origin', '=', origin)]),
    ...(author === undefined ? [] : [builder.or({ author_id: author, author_username: author })]),
    ...(fromMs === undefined ? [] : [builder('change_time', '>=', fromMs)]),
    ...(toMs === undefined ? [] : [builder('change_time', '<=', toMs)]),
  ]);
}
