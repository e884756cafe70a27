/**
 * The headers of a request: fetch `Headers`; Node's `request.headers` or `request.headersDistinct`; or
 * `request.rawHeaders`, flat or in pairs. Node's `headers` hides a repeated `authorization`: prefer `rawHeaders` (rule K8).
 */
export type RequestHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly string[]
  | readonly (readonly [string, string])[];

/** Where a request came from, to be kept with the key's last uses (rule K22). */
export interface RequestSource {
  /** The client's address: the socket's, or behind your proxy what it says. The user agent is read from the headers. */
  readonly address?: string | undefined;
}

export interface Authenticated {
  readonly userId: string;
  readonly apiKeyId: string;
}

/** Why a presented key was refused. For your log, never for the response (rule K9). */
export type RefusalReason =
  | 'malformed'
  | 'repeated-header'
  | 'different-keys'
  | 'unknown'
  | 'revoked'
  | 'expired'
  | 'edition'
  | 'owner';

/** The result of checking the headers of a request. `none`: no key was presented, so you may try Basic (rule K8). */
export type Verification =
  | { readonly outcome: 'authenticated'; readonly userId: string; readonly apiKeyId: string }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason; readonly apiKeyId?: string }
  | { readonly outcome: 'none' };

export type PepperSecret = string | Uint8Array;

/** HMAC secrets, by version. Keep them outside the database; at least 32 bytes each (rule K2). */
export interface Pepper {
  /** 1 or higher; stored with every new key. */
  readonly version: number;
  readonly secret: PepperSecret;
  /** Earlier versions that existing keys may have. */
  readonly previous?: Readonly<Record<number, PepperSecret>> | undefined;
  /**
   * Accepts keys that were created before there was a pepper. Anyone who can write to the database can then forge keys.
   * @default false
   */
  readonly acceptUnpeppered?: boolean | undefined;
}
