import {
  type AuditQuery,
  auditOrigins,
  type Origin,
  type RevisionType,
  revisionTypes,
} from '../../../api-keys/index.js';
import { isIsoDate } from '../../../internal/index.js';
import { invalidField } from '../../http/errors.js';
import { readSearch, readUserName } from './list-query.js';
import { readPage } from './paging.js';

/** What the audit page shows, as read from its address. */
export interface AuditView {
  /** A key's id, or `undefined` for all keys. */
  readonly apiKeyId: string | undefined;
  /** The search for a key: part of its name, or its id. */
  readonly find: string;
  readonly revisionType: RevisionType | undefined;
  /** A user name, or an id. */
  readonly author: string;
  readonly origin: Origin | undefined;
  /** Dates in UTC, such as `2026-11-21`, both included; `''` for none. */
  readonly from: string;
  readonly to: string;
  readonly page: number;
}

/**
 * Reads an address or a form; invalid values become the defaults, except dates.
 *
 * @throws ApiKeyError `validation` for what is no date: an export of everything would pass for that of a month
 */
export function readAuditView(query: URLSearchParams): AuditView {
  return {
    apiKeyId: query.get('apiKeyId') || undefined,
    find: readSearch(query.get('find')),
    revisionType: revisionTypes.find((type) => type === query.get('revisionType')),
    author: readUserName(query.get('author')),
    origin: auditOrigins.find((origin) => origin === query.get('origin')),
    from: readDate('from', query),
    to: readDate('to', query),
    page: readPage(query),
  };
}

/** The address without dates that do not exist, which an address that must not stay is not kept for. */
export function withoutWrongDates(query: URLSearchParams): URLSearchParams {
  const kept = [...query].filter(([name, value]) => (name !== 'from' && name !== 'to') || isIsoDate(value));
  return new URLSearchParams(kept);
}

function readDate(name: string, query: URLSearchParams): string {
  const value = query.get(name) ?? '';
  if (value === '' || isIsoDate(value)) return value;
  throw invalidField(name, `\`${name}\` must be a date that exists, such as 2026-11-21.`);
}

export function auditFilter({ apiKeyId, revisionType, author, origin, from, to }: AuditView): AuditQuery {
  return { apiKeyId, revisionType, author, origin, from: from || undefined, to: to || undefined };
}

/** Whether it leaves anything out, besides by revision type and key, which the page shows elsewhere. */
export function isFiltered({ author, origin, from, to }: AuditView): boolean {
  return author !== '' || origin !== undefined || from !== '' || to !== '';
}
