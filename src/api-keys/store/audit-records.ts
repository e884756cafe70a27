import type { Insertable, Selectable } from 'kysely';
import type { RevisionType } from '../keys/types.js';
import type { Queries } from './key-records.js';
import { type AuditRow, auditTable } from './schema.js';

export type AuditRecord = Selectable<AuditRow>;
export type NewAuditRecord = Insertable<AuditRow>;

export interface AuditFilter {
  readonly ownerId?: string | undefined;
  readonly apiKeyId?: string | undefined;
  readonly revisionType?: RevisionType | undefined;
  /** Only entries older than this one. */
  readonly beforeId?: number | undefined;
}

// Stays below the number of parameters that either database accepts in one statement.
const rowsPerStatement = 500;

export async function insertAudits(queries: Queries, rows: readonly NewAuditRecord[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    await queries
      .insertInto(auditTable)
      .values(rows.slice(start, start + rowsPerStatement))
      .execute();
  }
}

/** Newest first. */
export async function listAudits(queries: Queries, filter: AuditFilter, limit: number): Promise<AuditRecord[]> {
  const { ownerId, apiKeyId, revisionType, beforeId } = filter;
  let query = queries.selectFrom(auditTable).selectAll();
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (apiKeyId !== undefined) query = query.where('api_key_id', '=', apiKeyId);
  if (revisionType !== undefined) query = query.where('revision_type', '=', revisionType);
  if (beforeId !== undefined) query = query.where('id', '<', beforeId);
  return await query.orderBy('id', 'desc').limit(limit).execute();
}
