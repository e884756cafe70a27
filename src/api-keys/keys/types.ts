import type { Origin } from '../access/types.js';

export const apiKeyStatuses = ['Active', 'Expired', 'Revoked'] as const;

/** `Expired` and `Revoked` are terminal: no key ever leaves them (specification 3). */
export type ApiKeyStatus = (typeof apiKeyStatuses)[number];

/** An API key as it is listed. The key's value is not part of it and cannot be had again (rules K1, K2). */
export interface ApiKey {
  /** The public part of the key's value, twelve letters and digits. */
  readonly id: string;
  readonly name: string;
  readonly status: ApiKeyStatus;
  /** Who created and owns the key; `username` as it was at creation. */
  readonly createdBy: { readonly id: string; readonly username: string };
  /** ISO 8601, UTC, milliseconds; so are all times here. */
  readonly createdOn: string;
  readonly expiresOn: string;
  /** Last successful use, or `null` (rule K10). */
  readonly lastAccessed: string | null;
  readonly revokedOn: string | null;
  /** How often the right value was presented after the key had expired or been revoked: somebody still uses it. At most a second late. */
  readonly refusedUses: number;
  readonly lastRefusedOn: string | null;
  /** Grows with every edit and with the revocation; give it back to `update` to be told of an edit in between (rule K17). */
  readonly version: number;
}

/** The one answer that holds the key's value. */
export interface CreatedApiKey {
  readonly apiKey: ApiKey;
  /** `ck_…`: shown once, stored nowhere. */
  readonly key: string;
}

export interface NewApiKey {
  /** 1 to 100 characters after trimming; unique over all keys in any state (rule K3). */
  readonly name: string;
  /** A `Date`, an ISO 8601 date-time with offset, or a date, which means the end of that day in UTC (rule K4). */
  readonly expiresOn: Date | string;
}

/** What to change; a field left out stays as it is. */
export interface ApiKeyChanges {
  readonly name?: string | undefined;
  readonly expiresOn?: Date | string | undefined;
  /** The version that was seen: the edit is refused when the key has changed since. */
  readonly version?: number | undefined;
}

export const scopes = ['my', 'all'] as const;

/** `my`: the keys the actor created. `all`: everybody's, for those who may manage all keys (rule K7). */
export type Scope = (typeof scopes)[number];

export const apiKeySortFields = ['name', 'createdBy', 'createdOn', 'expiresOn', 'lastAccessed'] as const;

export type ApiKeySortField = (typeof apiKeySortFields)[number];

/** A leading `-` sorts downwards. */
export type ApiKeySort = ApiKeySortField | `-${ApiKeySortField}`;

export const apiKeySorts: readonly ApiKeySort[] = apiKeySortFields.flatMap((field): ApiKeySort[] => [
  field,
  `-${field}`,
]);

/** Longest `search` of a list, in characters. */
export const maxSearchCharacters = 200;

/** Most entries of one page. */
export const maxPageLimit = 200;

export interface ListQuery {
  /** @default 'my' */
  readonly scope?: Scope | undefined;
  readonly status?: ApiKeyStatus | undefined;
  /** Part of the key's or its creator's name, whatever the case; or the beginning of a key's id. */
  readonly search?: string | undefined;
  /** @default '-createdOn' */
  readonly sort?: ApiKeySort | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** 1 to 200. @default 50 */
  readonly limit?: number | undefined;
  /** Counts all matching keys, too. Costs a pass over them. @default false */
  readonly total?: boolean | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}

export interface ApiKeyPage extends Page<ApiKey> {
  /** Only when the query asked for it. */
  readonly total?: number;
}

export const revisionTypes = ['Create', 'Update', 'Revoke'] as const;

export type RevisionType = (typeof revisionTypes)[number];

export const auditedFields = ['name', 'expiresOn', 'status'] as const;

export interface FieldChange {
  readonly field: (typeof auditedFields)[number];
  readonly from: string | null;
  readonly to: string | null;
}

/** One line of the audit trail: written with the change itself, never changed, never deleted (rule K6). */
export interface AuditEntry {
  /** Ascending. */
  readonly id: number;
  readonly apiKeyId: string;
  /** The key's name after the change. */
  readonly name: string;
  readonly author: { readonly id: string; readonly username: string };
  /** The key that authenticated the author's request; `null` for none, and for one that the reader may not see (rules K7, K15). */
  readonly actingApiKey: { readonly id: string; readonly name: string } | null;
  readonly changeTime: string;
  readonly revisionType: RevisionType;
  readonly changes: readonly FieldChange[];
  readonly origin: Origin;
}

export interface AuditQuery {
  /** @default everything the actor may see: `all` for those who may manage all keys, else `my` */
  readonly scope?: Scope | undefined;
  readonly apiKeyId?: string | undefined;
  readonly revisionType?: RevisionType | undefined;
  readonly cursor?: string | undefined;
  /** 1 to 200. @default 50 */
  readonly limit?: number | undefined;
}
