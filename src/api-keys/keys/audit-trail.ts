import { checkNames } from '../../internal/index.js';
import { type ActorIdentity, type Principal, resolvePrincipal } from '../access/actor.js';
import { type ActorLike, auditOrigins, type Origin } from '../access/types.js';
import type { Context } from '../context.js';
import {
  type AuditRecord,
  countAudits,
  findKey,
  insertAudits,
  type KeyRow,
  listAudits,
  type Queries,
} from '../store/index.js';
import { findVisibleKey } from './find-key.js';
import {
  formatCursor,
  namesOf,
  readCursor,
  readOneOf,
  readPage,
  readPeriod,
  readScope,
  readSought,
  refuseEmpty,
} from './list-query.js';
import { toIso } from './presentation.js';
import {
  type AuditEntry,
  type AuditQuery,
  type FieldChange,
  maxUserIdCharacters,
  type Page,
  type RevisionType,
  revisionTypes,
} from './types.js';

const names = namesOf<AuditQuery>({
  scope: true,
  apiKeyId: true,
  revisionType: true,
  origin: true,
  author: true,
  from: true,
  to: true,
});

/** Newest first (rules K6, K7). @throws TypeError naming what is no field of a query */
export async function auditPage(context: Context, actor: ActorLike, query: AuditQuery): Promise<Page<AuditEntry>> {
  checkNames(names, query, 'query');
  const principal = await resolvePrincipal(actor, context);
  const scope = readScope(principal, query.scope ?? (principal.mayManageAll ? 'all' : 'my'));
  const { limit, skip, total } = readPage(query);
  // The scope may follow from rights that change between two pages: the rest of another list is not the rest of this one.
  const order = `audits ${scope}`;
  const after = readCursor(query.cursor, order, 'number');
  const { apiKeyId, revisionType, origin } = query;
  refuseEmpty('apiKeyId', apiKeyId);
  if (apiKeyId !== undefined) await findVisibleKey(context, principal, apiKeyId, context.now());
  const filter = {
    ownerId: scope === 'my' ? principal.userId : undefined,
    apiKeyId,
    revisionType: revisionType === undefined ? undefined : readOneOf('revisionType', revisionType, revisionTypes),
    origin: origin === undefined ? undefined : readOneOf('origin', origin, auditOrigins),
    author: readSought('author', query.author, maxUserIdCharacters),
    ...readPeriod(query.from, query.to),
  };
  const place = { beforeId: after === undefined ? undefined : Number(after.value), skip, limit: limit + 1 };
  const { kysely } = context.store;
  const rows = await listAudits(kysely, filter, place);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map((row) => toAuditEntry(row, principal)),
    nextCursor: last === undefined ? null : formatCursor({ order, value: last.id, id: '' }),
    ...(total && { total: await countAudits(kysely, filter) }),
  };
}

/** The acting key is the author's, and the entry may be about another user's: not all may see both (rules K7, K15). */
function toAuditEntry(row: AuditRecord, reader: Principal): AuditEntry {
  const showsActingKey = reader.mayManageAll || row.author_id === reader.userId;
  return {
    id: row.id,
    apiKeyId: row.api_key_id,
    name: row.name,
    author: { id: row.author_id, username: row.author_username },
    actingApiKey:
      row.acting_key_id === null || !showsActingKey
        ? null
        : { id: row.acting_key_id, name: row.acting_key_name ?? row.acting_key_id },
    changeTime: toIso(row.change_time),
    revisionType: row.revision_type as RevisionType,
    changes: JSON.parse(row.changes) as FieldChange[],
    origin: row.origin as Origin,
  };
}

export type Edited = Pick<KeyRow, 'name' | 'description' | 'expires_on'>;

/** What an edit changes, or a creation, before which there was nothing. */
export function changesBetween(before: Edited | undefined, after: Edited): readonly FieldChange[] {
  const changes: readonly FieldChange[] = [
    { field: 'name', from: before?.name ?? null, to: after.name },
    { field: 'description', from: before?.description || null, to: after.description || null },
    { field: 'expiresOn', from: before === undefined ? null : toIso(before.expires_on), to: toIso(after.expires_on) },
  ];
  return changes.filter(({ from, to }) => from !== to);
}

/** Writes the entries in the transaction of the change (rule K6), with the acting key, if any (rule K15). */
export async function recordChanges(
  queries: Queries,
  author: ActorIdentity,
  revisionType: RevisionType,
  changeTimeMs: number,
  revisions: readonly { row: KeyRow; changes: readonly FieldChange[] }[],
): Promise<void> {
  const actingKey = author.apiKeyId === undefined ? undefined : await findKey(queries, author.apiKeyId);
  const rows = revisions.map(({ row, changes }) => ({
    api_key_id: row.id,
    owner_id: row.owner_id,
    name: row.name,
    author_id: author.userId,
    author_username: author.username,
    acting_key_id: author.apiKeyId ?? null,
    acting_key_name: actingKey?.name ?? null,
    change_time: changeTimeMs,
    revision_type: revisionType,
    changes: JSON.stringify(changes),
    origin: author.origin,
  }));
  await insertAudits(queries, rows);
}
