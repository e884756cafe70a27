import type { Clock } from '../internal/index.js';
import type { RequestLookups } from './access/request-lookups.js';
import type { ActorLike, EditionOption, UserDirectory } from './access/types.js';
import type {
  Authenticated,
  Pepper,
  PepperSecret,
  RequestHeaders,
  RequestSource,
  Verification,
} from './authentication/types.js';
import type {
  ApiKey,
  ApiKeyChanges,
  ApiKeyPage,
  AuditEntry,
  AuditQuery,
  CreatedApiKey,
  ListQuery,
  NewApiKey,
  Page,
} from './keys/types.js';
import type { ExpiryWarning } from './warnings/expiry-warnings.js';

export interface OpenApiKeysOptions {
  /**
   * A file path, `:memory:`, or a `postgres://` URL (rule K18). In one process no second SQLite library, such as
   * better-sqlite3 or Prisma, may open the same file.
   */
  readonly database: string;
  /** The edition's name, or a function that is called at every request (rule K12). */
  readonly edition: EditionOption;
  /** Your users. Without a directory an actor's own rights apply, and `authenticate` does not look up the owner. */
  readonly users?: UserDirectory | undefined;
  /** Milliseconds that one look-up in `users`, or of the edition, may take (rule K19). @default 5000 */
  readonly lookUpTimeoutMs?: number | undefined;
  /**
   * What the value of a new key begins with, such as `acme`: 2 to 16 lowercase letters and digits, a letter first. Keys
   * with another prefix stay valid (rule K2).
   * @default 'ck'
   */
  readonly keyPrefix?: string | undefined;
  /** From how many places (address and user agent) the last use of a key is kept: 0 to 20 (rule K22). @default 5 */
  readonly keptUses?: number | undefined;
  /** A secret (version 1), or several by version. @default none: the secret's SHA-256 is stored (rule K2) */
  readonly pepper?: PepperSecret | Pepper | undefined;
  /** The clock that decides every status (rule K5). @default the system clock */
  readonly clock?: (Pick<Clock, 'now'> & Partial<Clock>) | undefined;
  /**
   * Called for every Active key that is about to expire, once for each of `expiryWarningDays` in all processes together.
   * A warning that fails, takes longer than ten minutes or is lost with its process is given again (rule K23).
   */
  readonly onExpiring?: ((warning: ExpiryWarning) => unknown) | undefined;
  /** How many days before the expiry `onExpiring` is called: whole numbers from 1 to 365. @default [14, 3, 1] */
  readonly expiryWarningDays?: readonly number[] | undefined;
  /**
   * Called when a background write such as that of `lastAccessed` fails (it is tried again), when `onExpiring` fails,
   * when the owner of a new key cannot be looked up again (rule K19), and once each when `edition` looks misspelt (rule
   * K12), and at opening if the database cannot have the index that makes searches fast (rule K24).
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A key that has just been revoked: close what it opened (rule K11). */
export interface Invalidation {
  readonly apiKeyId: string;
  readonly userId: string;
}

/** Sessions that ended early, by their ids. */
export interface EndedSessions {
  /** Remembers a session until `endsOnMs` (epoch milliseconds), when it would have ended anyway. */
  add(sessionId: string, endsOnMs: number): Promise<void>;
  /** One indexed look-up; sees at once what another process has added. */
  has(sessionId: string): Promise<boolean>;
}

/**
 * API keys in one database. Methods that take an actor return what that actor may see and do (rule K7), and reject with
 * an `ApiKeyError` otherwise; with a `TypeError` when a query has a name that does not exist.
 */
export interface ApiKeys {
  /** Creates a key, which the actor owns (rule K16). The only call that returns the key's value. */
  create(actor: ActorLike, input: NewApiKey): Promise<CreatedApiKey>;
  list(actor: ActorLike, query?: ListQuery): Promise<ApiKeyPage>;
  get(actor: ActorLike, apiKeyId: string): Promise<ApiKey>;
  /** Active keys only. An edit that changes nothing writes nothing. */
  update(actor: ActorLike, apiKeyId: string, changes: ApiKeyChanges): Promise<ApiKey>;
  /** Active keys only; immediate and irreversible. A simultaneous edit does not prevent it. */
  revoke(actor: ActorLike, apiKeyId: string): Promise<ApiKey>;
  /** Revokes every Active key of a user, the actor or, with the right to manage all keys, anybody; in one transaction. */
  revokeAllOf(actor: ActorLike, userId: string): Promise<{ readonly revoked: number }>;
  /** Newest first. */
  audits(actor: ActorLike, query?: AuditQuery): Promise<Page<AuditEntry>>;
  /**
   * Revokes every Active key of a user that you have deleted, in one transaction. It checks no rights: you decide who
   * may delete users.
   */
  userDeleted(actor: ActorLike, userId: string): Promise<{ readonly revoked: number }>;
  /**
   * `undefined` unless a valid key was presented.
   *
   * @param headers those of the request, not the request itself
   * @param from kept with the key's last uses (rule K22)
   * @throws (rejects with) ApiKeyError `unavailable` if `users` or `edition` fail (rule K19): respond with a 503
   */
  authenticate(headers: RequestHeaders, from?: RequestSource): Promise<Authenticated | undefined>;
  /**
   * Like `authenticate`, but says what was presented, so that you can try Basic next, or log the reason.
   *
   * @param lookups share them with the other calls of this request
   * @param from kept with the key's last uses (rule K22)
   * @throws (rejects with) ApiKeyError `unavailable`, as `authenticate` does
   */
  verify(headers: RequestHeaders, lookups?: RequestLookups, from?: RequestSource): Promise<Verification>;
  /** Whether a key would authenticate now. For open streams: another process may have revoked the key (rule K11). */
  isUsable(apiKeyId: string, lookups?: RequestLookups): Promise<boolean>;
  /**
   * Calls `listener` right after a revocation in this process; not when a key expires, its owner is disabled or another
   * process revokes it: for that, ask `isUsable` every few seconds (rule K11). Returns a function that unsubscribes.
   */
  onInvalidated(listener: (invalidation: Invalidation) => void): () => void;
  /** Whether the actor may manage the keys of all users, and so gets the switch My/All (specification 4). */
  mayManageAll(actor: ActorLike): Promise<boolean>;
  /** Whether the current edition has API keys (rule K12). It does not ask the database. */
  isAvailable(lookups?: RequestLookups): Promise<boolean>;
  /** What the value of a new key begins with (rule K2). */
  readonly keyPrefix: string;
  /** The latest `expiresOn` accepted now (rule K4). */
  maxExpiresOn(): string;
  /** Where `createAdmin` records who has signed out, for every process and across restarts (rule K11). */
  readonly endedSessions: EndedSessions;
  /** Waits for calls that have begun, writes what is pending, and closes the database. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
