import type { RequestLookups } from './request-lookups.js';

export const auditOrigins = ['UI', 'API', 'MCP', 'System'] as const;

/** Where a change came from (rule K6). */
export type Origin = (typeof auditOrigins)[number];

/** `Professional` and `Ultimate` have API keys, all others have none (rule K12). */
export type Edition = 'Professional' | 'Ultimate' | (string & {});

/** The edition's name, or a function that is called at every request (rule K12). */
export type EditionOption = Edition | (() => Edition | Promise<Edition>);

/** Who asks, and how (rules K6, K15, K16). */
export interface Actor {
  readonly userId: string;
  readonly username: string;
  /** @default `API` */
  readonly origin?: Origin | undefined;
  readonly authenticatedBy?: 'session' | 'basic' | 'api-key' | undefined;
  /** The key that authenticated the request; the audit entry then names it. */
  readonly apiKeyId?: string | undefined;
  /**
   * What this request has looked up, so that the call does not look it up again. Never keep it for another request.
   * @default everything is looked up at this call (rule K11)
   */
  readonly lookups?: RequestLookups | undefined;
  /** Used only without a `users` directory; otherwise the directory decides (rule K11). */
  readonly superAdmin?: boolean | undefined;
  /** Used only without a `users` directory. */
  readonly roles?: readonly string[] | undefined;
  /** Used only without a `users` directory. */
  readonly permissions?: readonly string[] | undefined;
}

/** An actor may also be written with `id` in place of `userId`. */
export type ActorLike = Actor | (Omit<Actor, 'userId'> & { readonly id: string });

/** A user of the host service, as it is at this moment. */
export interface DirectoryUser {
  readonly id: string;
  readonly username: string;
  /** Disabled users' keys do not authenticate. Any value other than `true` disables a user, even the 1 of SQLite. @default true */
  readonly enabled?: boolean | undefined;
  /** Manages the keys of all users (specification 5.3). @default false */
  readonly superAdmin?: boolean | undefined;
  /** Names of roles; `Super Admin` is another way to say `superAdmin`. */
  readonly roles?: readonly string[] | undefined;
  /** Names of permissions; with `User Management – Write`, the user manages the keys of all users. */
  readonly permissions?: readonly string[] | undefined;
  /** As `hashPassword` made it; for Basic authentication. */
  readonly passwordHash?: string | undefined;
}

/**
 * The host service's users, asked at every request, so that a change of rights, a disabled or a deleted user counts at
 * once (rule K11). Ids must never be given to another user.
 */
export interface UserDirectory {
  /** With the same `passwordHash` as `findByUsername`. */
  findById(userId: string): FoundUser | Promise<FoundUser>;
  /** For Basic authentication and sign-in. */
  findByUsername(username: string): FoundUser | Promise<FoundUser>;
}

/** `null` and `undefined` are no user: libraries for databases return the one or the other. */
export type FoundUser = DirectoryUser | null | undefined;
