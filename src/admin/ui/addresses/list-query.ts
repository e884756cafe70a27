import {
  type ApiKeySort,
  type ApiKeySortField,
  type ApiKeyStatus,
  apiKeySorts,
  apiKeyStatuses,
  maxSearchCharacters,
  maxUserIdCharacters,
  type Scope,
} from '../../../api-keys/index.js';
import { formatQuery, readPage } from './paging.js';
import { findPastedKey, withoutSecret } from './pasted-key.js';

const defaultSort: ApiKeySort = '-createdOn';

/** What the list shows, as read from its address. */
export interface ListView {
  readonly scope: Scope;
  /** The id of the user whose keys are shown; `''` for everybody's. */
  readonly createdBy: string;
  readonly status: ApiKeyStatus | undefined;
  readonly search: string;
  readonly sort: ApiKeySort;
  readonly page: number;
}

/** Reads an address; invalid values become the defaults. */
export function readListView(query: URLSearchParams): ListView {
  return {
    ...(query.get('scope') === 'all'
      ? { scope: 'all', createdBy: readUserId(query.get('createdBy')) }
      : { scope: 'my', createdBy: '' }),
    status: apiKeyStatuses.find((status) => status === query.get('status')),
    search: readSearch(query.get('search')),
    sort: apiKeySorts.find((sort) => sort === query.get('sort')) ?? defaultSort,
    page: readPage(query),
  };
}

/** A search for a key: by its name, or by its value, which is a secret. */
export function readSearch(value: string | null): string {
  return bounded(withoutSecret(value ?? '').trim(), maxSearchCharacters);
}

/** The id or the name of a user, as somebody types it. */
export function readUserName(value: string | null): string {
  return readUserId((value ?? '').trim());
}

/** A user may be called `svc_reporting_eu`: only what must be a key's value is cut. Blanks are part of an id. */
function readUserId(value: string | null): string {
  const pasted = findPastedKey(value ?? '');
  const id = bounded(pasted?.hasSecret ? pasted.start : (value ?? ''), maxUserIdCharacters);
  return id.trim() && id;
}

/** No name or id contains a NUL or is that long. */
function bounded(text: string, most: number): string {
  return text.replaceAll('\0', '').slice(0, most);
}

/** The query of a list's address, without default values. */
export function formatListView({ scope, createdBy, status, search, sort, page }: Partial<ListView>): string {
  return formatQuery({
    ...(scope === 'all' && { scope, createdBy }),
    status,
    search,
    sort: sort === defaultSort ? undefined : sort,
    page,
  });
}

/** The order after a click on a column: times start with the newest, and a second click reverses the order. */
export function sortAfterClick(field: ApiKeySortField, current: ApiKeySort): ApiKeySort {
  if (current === field) return `-${field}`;
  if (current === `-${field}`) return field;
  return field === 'createdOn' || field === 'lastAccessed' ? `-${field}` : field;
}
