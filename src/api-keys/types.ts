import type { Clock } from '../internal/index.js';

/** `Expired` and `Revoked` are terminal: no key ever leaves them (specification 3). */
export type ApiKeyStatus = 'Active' | 'Expired' | 'Revoked';

/** Where a change came from (rule K6). */
export type Origin = 'UI' | 'API' | 'MCP' | 'System';

/** `Professional` and `Ultimate` have API keys, any other name has not (rule K12). */
export type Edition = 'Professional' | 'Ultimate' | (string & {});

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

/** Who asks, and how (rules K6, K15, K16). */
export interface Actor {
  readonly userId: string;
  readonly username: string;
  /** @default `API` */
  readonly origin?: Origin | undefined;
  readonly authenticatedBy?: 'session' | 'basic' | 'api-key' | undefined;
  /** The key that authenticated the request; the audit entry then names it. */
  readonly apiKeyId?: string | undefined;
  /** Counts only where no `users` directory was given: with one, rights are asked of it at every call (rule K11). */
  readonly superAdmin?: boolean | undefined;
  /** As `superAdmin`: counts only without a directory. */
  readonly roles?: readonly string[] | undefined;
  /** As `superAdmin`: counts only without a directory. */
  readonly permissions?: readonly string[] | undefined;
}

/** An actor may also be written with `id` in place of `userId`. */
export type ActorLike = Actor | (Omit<Actor, 'userId'> & { readonly id: string });

/** A user of the host service, as it is at this moment. */
export interface DirectoryUser {
  readonly id: string;
  readonly username: string;
  /** Disabled users' keys do not authenticate. @default true */
  readonly enabled?: boolean | undefined;
  /** Manages the keys of all users (specification 5.3). @default false */
  readonly superAdmin?: boolean | undefined;
  /** Names of roles; `Super Admin` is another way to say `superAdmin`. */
  readonly roles?: readonly string[] | undefined;
  /** Names of permissions; `User Management – Write` lets manage the keys of all users. */
  readonly permissions?: readonly string[] | undefined;
  /** As `hashPassword` made it; for Basic authentication. */
  readonly passwordHash?: string | undefined;
}

/**
 * The host service's users, asked at every request, so that a change of rights, a disabled or a deleted user counts at
 * once (rule K11). Ids must never be given to another user.
 */
export interface UserDirectory {
  findById(userId: string): DirectoryUser | undefined | Promise<DirectoryUser | undefined>;
  /** For Basic authentication and sign-in. */
  findByUsername(username: string): DirectoryUser | undefined | Promise<DirectoryUser | undefined>;
}

/** `my`: the keys the actor created. `all`: everybody's, for those who may manage all keys (rule K7). */
export type Scope = 'my' | 'all';

export type ApiKeySortField = 'name' | 'createdBy' | 'createdOn' | 'expiresOn' | 'lastAccessed';

/** A leading `-` sorts downwards. */
export type ApiKeySort = ApiKeySortField | `-${ApiKeySortField}`;

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

export type RevisionType = 'Create' | 'Update' | 'Revoke';

export interface FieldChange {
  readonly field: 'name' | 'expiresOn' | 'status';
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

/**
 * The headers of a request: fetch `Headers`; Node's `request.headers` or `request.headersDistinct`; or
 * `request.rawHeaders`, flat or in pairs. Node's `headers` hides a repeated `authorization`: prefer `rawHeaders` (rule K8).
 */
export type RequestHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly string[]
  | readonly (readonly [string, string])[];

export interface Authenticated {
  readonly userId: string;
  readonly apiKeyId: string;
}

/** Why a presented key was refused. For the log, never for the answer (rule K9). */
export type RefusalReason =
  | 'malformed'
  | 'repeated-header'
  | 'different-keys'
  | 'unknown'
  | 'revoked'
  | 'expired'
  | 'edition'
  | 'owner';

/** What the headers of a request amount to. `none`: no key was presented, so Basic may be tried (rule K8). */
export type Verification =
  | { readonly outcome: 'authenticated'; readonly userId: string; readonly apiKeyId: string }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason; readonly apiKeyId?: string }
  | { readonly outcome: 'none' };

/** A key that has just been revoked: what it opened is to be closed (rule K11). */
export interface Invalidation {
  readonly apiKeyId: string;
  readonly userId: string;
}

export type PepperSecret = string | Uint8Array;

/** Secrets for HMAC, by version. Keep them outside the database, at least 32 bytes each (rule K2). */
export interface Pepper {
  /** 1 or higher; stored with every key made. */
  readonly version: number;
  readonly secret: PepperSecret;
  /** Earlier versions that keys may still have. */
  readonly previous?: Readonly<Record<number, PepperSecret>> | undefined;
  /** Accepts keys made before there was a pepper. Whoever can write to the database can then forge keys. @default false */
  readonly acceptUnpeppered?: boolean | undefined;
}

export interface OpenApiKeysOptions {
  /** A file's path, `:memory:`, or `postgres://…` (rule K18). */
  readonly database: string;
  /** The edition, or a function that is asked at every request (rule K12). */
  readonly edition: Edition | (() => Edition | Promise<Edition>);
  /** The host's users. Without it an actor's own rights count, and owners are not looked up at authentication. */
  readonly users?: UserDirectory | undefined;
  /** A secret (version 1), or several. @default none: the secret's SHA-256 is stored (rule K2) */
  readonly pepper?: PepperSecret | Pepper | undefined;
  /** The one clock of all states (rule K5). @default the machine's */
  readonly clock?: (Pick<Clock, 'now'> & Partial<Clock>) | undefined;
  /** Told of failures in the background: a write of `lastAccessed` that failed and will be tried again. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Sign-ins that somebody has ended before their time, by their ids. */
export interface EndedSessions {
  /** Remembers one until `endsOnMs`, epoch milliseconds, when it would be over anyway. */
  add(sessionId: string, endsOnMs: number): Promise<void>;
  /** One indexed look-up; sees at once what another process on this database has added. */
  has(sessionId: string): Promise<boolean>;
}

/**
 * API keys over one database. Every method that takes an actor answers with what that actor may see and do (rule K7),
 * and rejects with an `ApiKeyError` where not.
 */
export interface ApiKeys {
  /** Makes a key for the actor, always (rule K16). The only call that returns the key's value. */
  create(actor: ActorLike, input: NewApiKey): Promise<CreatedApiKey>;
  list(actor: ActorLike, query?: ListQuery): Promise<ApiKeyPage>;
  get(actor: ActorLike, apiKeyId: string): Promise<ApiKey>;
  /** Active keys only. Without a difference nothing is written. */
  update(actor: ActorLike, apiKeyId: string, changes: ApiKeyChanges): Promise<ApiKey>;
  /** Active keys only; at once, and for good. An edit at the same time does not prevent it. */
  revoke(actor: ActorLike, apiKeyId: string): Promise<ApiKey>;
  /** Newest first. */
  audits(actor: ActorLike, query?: AuditQuery): Promise<Page<AuditEntry>>;
  /**
   * Revokes every Active key of a user whom the host has deleted, in one transaction. The host decides who may delete
   * users, so no rights are asked here.
   */
  userDeleted(actor: ActorLike, userId: string): Promise<{ readonly revoked: number }>;
  /** `undefined` when no key, or no good one, was presented. */
  authenticate(headers: RequestHeaders): Promise<Authenticated | undefined>;
  /** As `authenticate`, and says what there was: for whoever has to try Basic next, and for the log. */
  verify(headers: RequestHeaders): Promise<Verification>;
  /** Whether a key would authenticate now. For open streams: another process may have revoked it (rule K11). */
  isUsable(apiKeyId: string): Promise<boolean>;
  /** Called in this process right after a revocation; returns how to unsubscribe. */
  onInvalidated(listener: (invalidation: Invalidation) => void): () => void;
  /** Whether the actor may manage the keys of all users: the switch My/All (specification 4). */
  mayManageAll(actor: ActorLike): Promise<boolean>;
  /** Whether the edition has API keys at this moment (rule K12). */
  isAvailable(): Promise<boolean>;
  /** The latest `expiresOn` that is accepted at this moment (rule K4). */
  maxExpiresOn(): string;
  /** Where `createAdmin` keeps who has signed out, so that it holds in every process and after a restart (rule K11). */
  readonly endedSessions: EndedSessions;
  /** Writes what is pending and closes the database. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
