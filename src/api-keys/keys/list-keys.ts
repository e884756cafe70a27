import { checkNames } from '../../internal/index.js';
import { resolvePrincipal } from '../access/actor.js';
import type { ActorLike } from '../access/types.js';
import type { Context } from '../context.js';
import { countKeys, type KeySearch, listKeys, type Store, searchIds, sortValue } from '../store/index.js';
import {
  formatCursor,
  namesOf,
  readCursor,
  readOneOf,
  readPage,
  readScope,
  readSearch,
  readUser,
} from './list-query.js';
import { toApiKey } from './presentation.js';
import { endsOf, recordExpiredKeys, writeBeforeReading } from './status.js';
import { type ApiKeyPage, type ApiKeySortField, apiKeySorts, apiKeyStatuses, type ListQuery } from './types.js';

const names = namesOf<ListQuery>({ scope: true, createdBy: true, status: true, search: true, sort: true });

/** In the requested order (rules K1, K7, K10). @throws TypeError naming what is no field of a query */
export async function listPage(context: Context, actor: ActorLike, query: ListQuery): Promise<ApiKeyPage> {
  checkNames(names, query, 'query');
  const principal = await resolvePrincipal(actor, context);
  const createdBy = readUser('createdBy', query.createdBy);
  // Whoever names another user means that one's keys, and not none.
  const isAboutOthers = createdBy !== undefined && principal.mayManageAll;
  const scope = readScope(principal, query.scope ?? (isAboutOthers ? 'all' : 'my'));
  const sort = readOneOf('sort', query.sort ?? '-createdOn', apiKeySorts);
  const { limit, skip, total } = readPage(query);
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const field = sort.replace('-', '') as ApiKeySortField;
  const after = readCursor(query.cursor, sort, field === 'name' || field === 'createdBy' ? 'string' : 'number');
  // Without this the order lags behind the times shown.
  if (field === 'lastAccessed') await writeBeforeReading(context, context.marks.flush());
  const nowMs = context.now();
  const { kysely } = context.store;
  const ownerIds = [scope === 'my' ? principal.userId : undefined, createdBy].filter((id) => id !== undefined);
  const filter = {
    ownerIds,
    status: query.status === undefined ? undefined : readOneOf('status', query.status, apiKeyStatuses),
    search: await narrow(context.store, readSearch(query.search), ownerIds),
    nowMs,
  };
  const unwritten = context.marks.view();
  const rows = await listKeys(kysely, filter, { field, direction, after, skip }, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  await recordExpiredKeys(context, shown.map(endsOf), nowMs);
  return {
    items: shown.map((row) => toApiKey(row, unwritten(row.id), nowMs)),
    nextCursor: last === undefined ? null : formatCursor({ order: sort, value: sortValue(last, field), id: last.id }),
    ...(total && { total: await countKeys(kysely, filter) }),
  };
}

/** One user has few keys. Among all keys, look up the matching ids first. */
async function narrow(store: Store, search: KeySearch | undefined, ownerIds: readonly string[]) {
  if (search === undefined || ownerIds.length > 0) return search;
  return { ...search, ids: await searchIds(store, search) };
}
