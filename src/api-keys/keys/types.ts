import type { Origin } from '../access/types.js';

export const apiKeyStatuses = ['Active', 'Expired', 'Revoked'] as const;

/** `Expired` and `Revoked` are terminal (specification 3). */
export type ApiKeyStatus = (typeof apiKeyStatuses)[number];

/** An API key without its value, which cannot be retrieved (rules K1, K2). */
export interface ApiKey {
  /** The public part of the key's value: twelve letters and digits. */
  readonly id: string;
  readonly name: string;
  /** Free text, or `null` (rule K3). */
  readonly description: string | null;
  readonly status: ApiKeyStatus;
  /** The user who created the key and owns it; `username` as of creation. */
  readonly createdBy: { readonly id: string; readonly username: string };
  /** ISO 8601 in UTC with milliseconds, like all times here. */
  readonly createdOn: string;
  readonly expiresOn: string;
  /** Last successful use, or `null` (rule K10). */
  readonly lastAccessed: string | null;
  /** The last use from each place, latest first; as many as the option `keptUses` says (rule K22). */
  readonly recentUses: readonly KeyUse[];
  readonly revokedOn: string | null;
  /**
   * Requests with the right value after the key expired or was revoked: something still uses it. At most a second late.
   */
  readonly refusedUses: number;
  readonly lastRefusedOn: string | null;
  /** Increases with every change. Pass it to `update` to detect a change in between (rule K17). */
  readonly version: number;
}

/** The last use of a key from one address with one user agent. */
export interface KeyUse {
  /** As given to `verify` or `authenticate`; `null` if none was. */
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly lastUsedOn: string;
}

/** The result of `create`, the only one that contains the key's value. */
export interface CreatedApiKey {
  readonly apiKey: ApiKey;
  /** `ck_…`: returned once and never stored. */
  readonly key: string;
}

export interface NewApiKey {
  /** 1 to 100 characters after trimming; unique among all keys, whatever their status (rule K3). */
  readonly name: string;
  /** Free text of one or more lines, at most 500 characters (rule K3). @default none */
  readonly description?: string | null | undefined;
  /** A `Date`, an ISO 8601 date-time with an offset, or a date, which means the end of that day in UTC (rule K4). */
  readonly expiresOn: Date | string;
}

/** The fields to change, at least one; omitted ones stay as they are. */
export interface ApiKeyChanges {
  readonly name?: string | undefined;
  /** `null` or `''` removes it. */
  readonly description?: string | null | undefined;
  readonly expiresOn?: Date | string | undefined;
  /** The version that you read: the edit is refused if the key has changed since. */
  readonly version?: number | undefined;
}

export const apiKeyScopes = ['my', 'all'] as const;

/** `my`: the actor's own keys. `all`: everybody's, for actors who may manage all keys (rule K7). */
export type Scope = (typeof apiKeyScopes)[number];

const apiKeySortFields = ['name', 'createdBy', 'createdOn', 'expiresOn', 'lastAccessed'] as const;

export type ApiKeySortField = (typeof apiKeySortFields)[number];

/** A leading `-` sorts in descending order. */
export type ApiKeySort = ApiKeySortField | `-${ApiKeySortField}`;

export const apiKeySorts: readonly ApiKeySort[] = apiKeySortFields.flatMap((field): ApiKeySort[] => [
  field,
  `-${field}`,
]);

/** Maximum length of `search`. */
export const maxSearchCharacters = 200;

/** Maximum length of the id and of the name of a user who owns keys, in bytes of UTF-8. */
export const maxUserIdCharacters = 1024;

/** Maximum `limit` of one page. */
export const maxPageLimit = 200;

export interface ListQuery {
  /** @default 'my'; 'all' with a `createdBy`, for those who may see the keys of others */
  readonly scope?: Scope | undefined;
  /** The id of a user: only the keys of this one. */
  readonly createdBy?: string | undefined;
  readonly status?: ApiKeyStatus | undefined;
  /** Part of the key's name, its description or its creator's name, ignoring case; or the start of a key's id. */
  readonly search?: string | undefined;
  /** @default '-createdOn' */
  readonly sort?: ApiKeySort | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** 1 to 200. @default 50 */
  readonly limit?: number | undefined;
  /** Passes over so many keys, from the start or from the cursor. @default 0 */
  readonly skip?: number | undefined;
  /** Also count all matching keys, which reads all of them. @default false */
  readonly total?: boolean | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
  /** How many entries match, on all pages; only if the query asked for it. */
  readonly total?: number;
}

export type ApiKeyPage = Page<ApiKey>;

export const revisionTypes = ['Create', 'Update', 'Revoke'] as const;

export type RevisionType = (typeof revisionTypes)[number];

export const auditedFields = ['name', 'description', 'expiresOn', 'status'] as const;

export interface FieldChange {
  readonly field: (typeof auditedFields)[number];
  readonly from: string | null;
  readonly to: string | null;
}

/** One entry of the audit trail. It is written with the change, and never changed or deleted (rule K6). */
export interface AuditEntry {
  /** Ascending. */
  readonly id: number;
  readonly apiKeyId: string;
  /** The key's name after the change. */
  readonly name: string;
  readonly author: { readonly id: string; readonly username: string };
  /**
   * The key that authenticated the author's request; `null` if there was none, or if the reader may not see it (rules
   * K7, K15).
   */
  readonly actingApiKey: { readonly id: string; readonly name: string } | null;
  readonly changeTime: string;
  readonly revisionType: RevisionType;
  readonly changes: readonly FieldChange[];
  readonly origin: Origin;
}

export interface AuditQuery {
  /** @default `all` for actors who may manage all keys, otherwise `my` */
  readonly scope?: Scope | undefined;
  readonly apiKeyId?: string | undefined;
  readonly revisionType?: RevisionType | undefined;
  readonly origin?: Origin | undefined;
  /** The id, or the user name as of the change, of whoever made it. */
  readonly author?: string | undefined;
  /**
   * Changes at this time or later: a `Date`, an ISO 8601 date-time with an offset, or a date, which means the start of
   * that day in UTC.
   */
  readonly from?: Date | string | undefined;
  /** Changes at this time or earlier; a date means the end of that day in UTC. */
  readonly to?: Date | string | undefined;
  readonly cursor?: string | undefined;
  /** 1 to 200. @default 50 */
  readonly limit?: number | undefined;
  /** Passes over so many entries, from the start or from the cursor. @default 0 */
  readonly skip?: number | undefined;
  /** Also count all matching entries. @default false */
  readonly total?: boolean | undefined;
}
