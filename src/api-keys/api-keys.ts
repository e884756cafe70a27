import type { Clock } from '../internal/index.js';
import type { RequestLookups } from './access/request-lookups.js';
import type { ActorLike, EditionOption, UserDirectory } from './access/types.js';
import type { Authenticated, Pepper, PepperSecret, RequestHeaders, Verification } from './authentication/types.js';
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

export interface OpenApiKeysOptions {
  /** A file's path, `:memory:`, or `postgres://…` (rule K18). */
  readonly database: string;
  /** The edition, or a function that is asked at every request (rule K12). */
  readonly edition: EditionOption;
  /** The host's users. Without it an actor's own rights count, and owners are not looked up at authentication. */
  readonly users?: UserDirectory | undefined;
  /** A secret (version 1), or several. @default none: the secret's SHA-256 is stored (rule K2) */
  readonly pepper?: PepperSecret | Pepper | undefined;
  /** The one clock of all states (rule K5). @default the machine's */
  readonly clock?: (Pick<Clock, 'now'> & Partial<Clock>) | undefined;
  /** Told of failures in the background: a write of `lastAccessed` that failed and will be tried again. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A key that has just been revoked: what it opened is to be closed (rule K11). */
export interface Invalidation {
  readonly apiKeyId: string;
  readonly userId: string;
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
  verify(headers: RequestHeaders, lookups?: RequestLookups): Promise<Verification>;
  /** Whether a key would authenticate now. For open streams: another process may have revoked it (rule K11). */
  isUsable(apiKeyId: string, lookups?: RequestLookups): Promise<boolean>;
  /** Called in this process right after a revocation; returns how to unsubscribe. */
  onInvalidated(listener: (invalidation: Invalidation) => void): () => void;
  /** Whether the actor may manage the keys of all users: the switch My/All (specification 4). */
  mayManageAll(actor: ActorLike): Promise<boolean>;
  /** Whether the edition has API keys at this moment (rule K12). */
  isAvailable(lookups?: RequestLookups): Promise<boolean>;
  /** The latest `expiresOn` that is accepted at this moment (rule K4). */
  maxExpiresOn(): string;
  /** Where `createAdmin` keeps who has signed out, so that it holds in every process and after a restart (rule K11). */
  readonly endedSessions: EndedSessions;
  /** Writes what is pending and closes the database. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
