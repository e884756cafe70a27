import type { SessionParameter, WaitFormat } from '../contract/index.js';
import type { Clock } from '../internal/index.js';
import type { HeadersOption } from './http/request-headers.js';
import type { Dispatcher } from './http/undici.js';
import type { RemainingOptions } from './rate-limit/remaining.js';
import type { ClientSnapshot } from './rate-limit/snapshot.js';
import type { RetryOptions } from './retry.js';
import type { InitializeFunction } from './session/initialize-function.js';
import type { ConnectionState } from './session/state.js';

/** How the client logs in over HTTP (rule S1). */
export interface InitializeOptions {
  /** @default '/initialize' */
  path?: string | undefined;
  /** @default 'POST' */
  method?: string | undefined;
  /**
   * What the connector needs to log in. A record becomes the array in its own order; `sensitive` are those values whose
   * name or looks say that they are secrets (rule E5). Write the array to decide that yourself.
   */
  parameters: readonly SessionParameter[] | Readonly<Record<string, string>>;
  /** Bounds one login as a whole, retries included and pauses not, in milliseconds (rule S6). @default 60000 */
  timeoutMs?: number | undefined;
}

export interface RateLimitOptions {
  /** The header that carries the wait (rule W1). @default 'Retry-After' */
  header?: string | undefined;
  /** How the wait is written (rule W4). @default 'auto': seconds or an HTTP-date */
  format?: WaitFormat | undefined;
  /** The wait where the answer does not say how long; doubles on repeats up to 15 minutes (rule W6). @default 60000 */
  fallbackWaitMs?: number | undefined;
  /** A longer wait is not slept: the call rejects with a `RateLimitError` that says `resumeAt` (rule W7). @default 86400000 */
  maxWaitMs?: number | undefined;
  /** Bounds the waits of one call in sum, in milliseconds (rule G5). @default none */
  maxTotalWaitMs?: number | undefined;
  /**
   * What a call does at a rate limit. With `'reject'` it rejects at once with a `RateLimitError` that says `resumeAt`, and so
   * do calls that are made until then, without sending anything: for a scheduler that parks the work. @default 'wait'
   */
  onLimit?: 'wait' | 'reject' | undefined;
  /** The most that is added at random to a wait, never more than a hundredth of it, in milliseconds. @default 100 */
  jitterMs?: number | undefined;
  /**
   * For connectors that say in every answer what is left of the quota: the gate closes when that is nothing, before a request
   * is refused.
   *
   * @default not read
   * @example { header: 'x-ratelimit-remaining', resetHeader: 'x-ratelimit-reset', resetFormat: 'epoch-seconds' }
   */
  remaining?: RemainingOptions | undefined;
  /** Names the limit that a request counts against, for connectors with several (rule G1). @default one for all */
  scope?: (request: { method: string; path: string }) => string;
}

export interface ConnectorClientOptions {
  /** The connector's address; a path in it is kept: `http://h/api/v1` + `/issues`. */
  baseUrl: string;
  initialize: InitializeOptions | InitializeFunction;
  /** When given, `close()` tells the connector that the session is no longer needed. */
  cleanup?: { path?: string } | undefined;
  rateLimit?: RateLimitOptions | undefined;
  retry?: { [Name in keyof RetryOptions]?: RetryOptions[Name] | undefined } | undefined;
  /** Bounds one try, body included, in milliseconds. @default 30000 */
  timeoutMs?: number | undefined;
  /** Bounds a whole call: waits, logins and retries included, in milliseconds. @default none */
  totalTimeoutMs?: number | undefined;
  /** The most requests in flight at once; more wait their turn. @default 64 */
  concurrency?: number | undefined;
  /**
   * With `'auto'` the client remembers how many requests fitted into the window when it met a limit, and from then on sends
   * single requests at that boundary instead of a crowd: a window costs one refused request. `'off'`: it does not.
   * @default 'auto'
   */
  pacing?: 'auto' | 'off' | undefined;
  /** What `client.snapshot()` gave in an earlier process; `client.restore()` does the same later. @default none */
  snapshot?: ClientSnapshot | undefined;
  /**
   * A success with a larger body is refused (rule E8). JSON needs up to 30 times its size in memory while it is read, and
   * parsing it stops all else: allow no more than your answers need. @default 10485760 (10 MiB)
   */
  maxResponseBytes?: number | undefined;
  /** The most bytes of a stream that are handed on, unpacked. `maxResponseBytes` does not bound streams. @default none */
  maxStreamBytes?: number | undefined;
  /** How long a new session may be refused before that is a verdict, in milliseconds (rule S4). @default 3000 */
  freshSessionGraceMs?: number | undefined;
  /**
   * How long calls fail at once after a refused login, in milliseconds; also the longest time between logins while the connector
   * accepts them and refuses their sessions (rule S5). @default 30000
   */
  loginCooldownMs?: number | undefined;
  /** An undici dispatcher to send with; it is not closed by `close()`. @default a pool of its own */
  dispatcher?: Dispatcher | undefined;
  /** A fetch to send with instead of undici. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Sent with every request, logins and clean-ups included. A call's own headers win over these, and the session's over both.
   *
   * @default `accept`, `accept-encoding` and `user-agent: concordat/<version>`
   */
  headers?: HeadersOption | undefined;
  /**
   * Reads the JSON of successes in place of `JSON.parse`, which rounds integers beyond 2^53. What it throws is `INVALID_JSON`.
   *
   * @default JSON.parse
   * @example
   * parseJson: (text) => parse(text) // of the package lossless-json: big integers stay what they are
   */
  parseJson?: ((text: string) => unknown) | undefined;
  /** Where time comes from. @default the machine's clock */
  clock?: Clock | undefined;
  /** Where session and pause live; share one to share them. @default in memory, for this client alone */
  state?: ConnectionState | undefined;
}
