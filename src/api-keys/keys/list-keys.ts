import { type Principal, resolvePrincipal } from '../access/rights.js';
import { ApiKeyError, validationError } from '../api-key-error.js';
import type { Context } from '../context.js';
import { countKeys, type KeySearch, listAudits, listKeys, type Queries, searchIds, sortValue } from '../store/index.js';
import type {
  ActorLike,
  ApiKey,
  ApiKeyPage,
  ApiKeySortField,
  ApiKeyStatus,
  AuditEntry,
  AuditQuery,
  ListQuery,
  Page,
  RevisionType,
  Scope,
} from '../types.js';
import { formatCursor, readCursor } from './cursor.js';
import { noteExpired } from './expired-keys.js';
import { foldForSearch } from './key-name.js';
import { findVisibleKey } from './manage-keys.js';
import { toApiKey, toAuditEntry } from './presentation.js';
import { endsOf } from './status.js';

const statuses: readonly ApiKeyStatus[] = ['Active', 'Expired', 'Revoked'];
const revisionTypes: readonly RevisionType[] = ['Create', 'Update', 'Revoke'];
const scopes: readonly Scope[] = ['my', 'all'];
const sortFields: readonly ApiKeySortField[] = ['name', 'createdBy', 'createdOn', 'expiresOn', 'lastAccessed'];
const sorts: readonly string[] = sortFields.flatMap((field) => [field, `-${field}`]);
const defaultLimit = 50;
const maxLimit = 200;
const maxSearchCharacters = 200;

/** One page of keys, in the order asked for (rules K1, K7, K10). */
export async function listPage(context: Context, actor: ActorLike, query: ListQuery): Promise<ApiKeyPage> {
  const principal = await resolvePrincipal(actor, context.users);
  const scope = readScope(principal, query.scope ?? 'my');
  const sort = readOneOf('sort', query.sort ?? '-createdOn', sorts);
  const limit = readLimit(query.limit);
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const field = sort.replace('-', '') as ApiKeySortField;
  const after = readCursor(query.cursor, sort, field === 'name' || field === 'createdBy' ? 'string' : 'number');
  // Otherwise the order would lag behind the times that it shows.
  if (field === 'lastAccessed') await context.marks.flush();
  const nowMs = context.now();
  const { kysely } = context.store;
  const filter = {
    ownerId: scope === 'my' ? principal.userId : undefined,
    status: query.status === undefined ? undefined : readOneOf('status', query.status, statuses),
    search: await narrow(kysely, readSearch(query.search), scope),
    nowMs,
  };
  const unwritten = context.marks.view();
  const rows = await listKeys(kysely, filter, { field, direction, after }, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  await noteExpired(
    context,
    shown.map((row) => ({ id: row.id, ends: endsOf(row) })),
    nowMs,
  );
  return {
    items: shown.map((row) => toApiKey(row, unwritten(row.id), nowMs)),
    nextCursor: last === undefined ? null : formatCursor({ order: sort, value: sortValue(last, field), id: last.id }),
    ...(query.total === true && { total: await countKeys(kysely, filter) }),
  };
}

export async function getKey(context: Context, actor: ActorLike, apiKeyId: string): Promise<ApiKey> {
  const principal = await resolvePrincipal(actor, context.users);
  const unwritten = context.marks.view();
  const nowMs = context.now();
  const row = await findVisibleKey(context, principal, apiKeyId, nowMs);
  return toApiKey(row, unwritten(row.id), nowMs);
}

/** One page of the audit trail, newest first (rules K6, K7). */
export async function auditPage(context: Context, actor: ActorLike, query: AuditQuery): Promise<Page<AuditEntry>> {
  const principal = await resolvePrincipal(actor, context.users);
  const scope = readScope(principal, query.scope ?? (principal.mayManageAll ? 'all' : 'my'));
  const limit = readLimit(query.limit);
  const after = readCursor(query.cursor, 'audits', 'number');
  const { apiKeyId, revisionType } = query;
  if (apiKeyId !== undefined) await findVisibleKey(context, principal, apiKeyId, context.now());
  const filter = {
    ownerId: scope === 'my' ? principal.userId : undefined,
    apiKeyId,
    revisionType: revisionType === undefined ? undefined : readOneOf('revisionType', revisionType, revisionTypes),
    beforeId: after === undefined ? undefined : Number(after.value),
  };
  const rows = await listAudits(context.store.kysely, filter, limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map((row) => toAuditEntry(row, principal)),
    nextCursor: last === undefined ? null : formatCursor({ order: 'audits', value: last.id, id: '' }),
  };
}

function readScope(principal: Principal, scope: unknown): Scope {
  const checked = readOneOf('scope', scope, scopes);
  if (checked === 'all' && !principal.mayManageAll) {
    throw new ApiKeyError('forbidden', 'You may see only your own API keys.');
  }
  return checked;
}

function readOneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined)
    throw validationError([{ field, message: `\`${field}\` must be one of ${allowed.join(', ')}.` }]);
  return found;
}

function readLimit(limit: unknown): number {
  if (limit === undefined) return defaultLimit;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw validationError([{ field: 'limit', message: `\`limit\` must be a whole number from 1 to ${maxLimit}.` }]);
  }
  return limit;
}

function readSearch(search: unknown): KeySearch | undefined {
  if (search === undefined || search === null) return undefined;
  // PostgreSQL text holds no NUL, and no name has one.
  if (typeof search !== 'string' || search.length > maxSearchCharacters || search.includes('\0')) {
    const message = `\`search\` must be text of at most ${maxSearchCharacters} characters.`;
    throw validationError([{ field: 'search', message }]);
  }
  const trimmed = search.trim();
  if (trimmed === '') return undefined;
  return { text: foldForSearch(trimmed), idPrefix: /^(?:ck_)?([0-9A-Za-z]{1,12})…?$/.exec(trimmed)?.[1] };
}

/** One user's keys are few; among everybody's the matching ones are looked up first. */
async function narrow(queries: Queries, search: KeySearch | undefined, scope: Scope): Promise<KeySearch | undefined> {
  if (search === undefined || scope === 'my') return search;
  return { ...search, ids: await searchIds(queries, search) };
}
