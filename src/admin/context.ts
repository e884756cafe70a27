import type { ApiKeys, FailureThrottle, RefusalReason, RequestLookups, UserDirectory } from '../api-keys/index.js';
import type { Clock } from '../internal/index.js';
import type { Caller } from './authentication/authenticate.js';
import type { PasswordChecks } from './authentication/check-password.js';
import type { AdminBranding } from './branding.js';
import type { AdminOptions } from './options.js';
import type { AdminSection } from './sections.js';
import type { AdminTexts } from './ui/texts/texts-option.js';
import type { ManagedUserDirectory } from './users.js';

/**
 * Why a request did not authenticate, beyond the reasons for refusing a key. `missing`: neither key nor Basic;
 * `wrong-scheme`: an `Authorization` that holds a key, but not as `ApiKey` (often `Bearer`); `malformed-basic`;
 * `password`: wrong, or of an unknown or disabled user; `throttled`: the source has failed too often; `busy`: too many
 * passwords were being checked (rule K14).
 */
export type AuthenticationFailureReason =
  | RefusalReason
  | 'missing'
  | 'wrong-scheme'
  | 'malformed-basic'
  | 'password'
  | 'throttled'
  | 'busy';

/** A request that did not authenticate, for your log: the only credential it names is the key's public id (rule K9). */
export interface AuthenticationFailure {
  readonly reason: AuthenticationFailureReason;
  /** The public id of the presented key, if it could be read. */
  readonly apiKeyId?: string;
}

/** A request to the Admin API that authenticated, or a call of an MCP tool, for your log. It holds no credential. */
export interface AdminAccess {
  readonly userId: string;
  /** The public id of the key; `undefined` with a password. */
  readonly apiKeyId?: string;
  /** Of a request to the Admin API. */
  readonly method?: string;
  /** Without the query, and with no secret of a key. */
  readonly path?: string;
  /** Of the response. */
  readonly status?: number;
  /** The name of the MCP tool. */
  readonly tool?: string;
  /** Whether the tool failed or refused. */
  readonly isError?: boolean;
}

/** The host's own sign-in, in place of the administration's (rule K20). */
export interface HostSignIn {
  authenticate: NonNullable<AdminOptions['authenticate']>;
  /** Where to sign in and come back to a path; `undefined` when the host does not say. */
  urlFor(returnTo: string): string | undefined;
  readonly signOutUrl: string | undefined;
}

/** What every part of the administration works with. */
export interface AdminContext {
  readonly apiKeys: ApiKeys;
  /** If `isManaged(users)`, Super Admins can list and delete users. */
  readonly users: UserDirectory | ManagedUserDirectory;
  /** The name of the edition at this request. */
  edition(lookups: RequestLookups): Promise<string>;
  /** Whether the edition has API keys at this request, so that they can be created and edited (rule K12). */
  isAvailable(lookups: RequestLookups): Promise<boolean>;
  /** The path of the administration, `''` or `/admin`, without a trailing slash. Every link starts with it. */
  readonly basePath: string;
  readonly publicUrl: URL | undefined;
  readonly clock: Clock;
  /** `undefined`: the administration has its own sign-in page and sessions. */
  readonly hostSignIn: HostSignIn | undefined;
  readonly verifyPassword: AdminOptions['verifyPassword'];
  readonly sessionSecret: Uint8Array;
  readonly sections: readonly AdminSection[];
  readonly mcpKeyTools: NonNullable<AdminOptions['mcpKeyTools']>;
  readonly texts: Partial<AdminTexts>;
  readonly branding: AdminBranding & { readonly name: string };
  /** Keys, Basic and sign-in share one count (rule K14). */
  readonly throttle: FailureThrottle;
  clientAddress(request: Request, env: unknown): string;
  /** For a new request. */
  newLookups(): RequestLookups;
  readonly passwords: PasswordChecks;
  /** Reports a refused authentication; never throws. */
  authenticationFailed(failure: AuthenticationFailure, address: string): void;
  /** Reports what somebody who authenticated has done; never throws. */
  accessed(caller: Caller, what: Omit<AdminAccess, 'userId' | 'apiKeyId'>): void;
  /** Reports an unexpected failure, for which the client got a plain 500; never throws. */
  onError(error: unknown): void;
}
