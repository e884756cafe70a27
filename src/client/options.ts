import type { SessionParameter, WaitFormat } from '../contract/index.js';
import type { Clock } from '../internal/index.js';
import type { HeadersOption } from './http/request-headers.js';
import type { Dispatcher } from './http/undici.js';
import type { ClientSnapshot } from './rate-limit/gates.js';
import type { RemainingOptions } from './rate-limit/limit-headers.js';
import type { InitializeFunction } from './session/initialize.js';
import type { ConnectionState } from './session/state.js';

/** How the client logs in over HTTP (rule S1). */
export interface InitializeOptions {
  /** @default '/initialize' */
  path?: string | undefined;
  /** @default 'POST' */
  method?: string | undefined;
  /**
   * What the connector needs to log in. A record becomes an array in its own order; values whose name or shape marks
   * them as secrets become `sensitive` (rule E5). Pass the array to decide that yourself; spread an object whose type is
   * an interface: `{ ...login }`.
   */
  parameters: readonly SessionParameter[] | Readonly<Record<string, string>>;
  /** Timeout for a whole login, including retries but not pauses, in milliseconds (rule S6). @default 60000 */
  timeoutMs?: number | undefined;
}

export interface RateLimitOptions {
  /** The header that says how long to wait (rule W1). @default 'Retry-After' */
  header?: string | undefined;
  /** How the wait is written (rule W4). @default 'auto': seconds or an HTTP-date */
  format?: WaitFormat | undefined;
  /**
   * The wait in milliseconds if the response does not say how long; doubles, up to 15 minutes (rule W6).
   * @default 60000
   */
  fallbackWaitMs?: number | undefined;
  /**
   * For a longer wait the call rejects at once, with a `RateLimitError` that has `resumeAt` (rule W7). In milliseconds.
   * @default 86400000
   */
  maxWaitMs?: number | undefined;
  /** Bounds the sum of a call's waits, in milliseconds (rule G5). @default none */
  maxTotalWaitMs?: number | undefined;
  /**
   * What a call does at a rate limit. With `'reject'` it rejects at once with a `RateLimitError` that has `resumeAt`;
   * until then, new calls do the same without sending anything. Use it with a scheduler that parks the work.
   * @default 'wait'
   */
  onLimit?: 'wait' | 'reject' | undefined;
  /** Maximum added at random to a wait, in milliseconds; never more than a hundredth of it. @default 100 */
  jitterMs?: number | undefined;
  /**
   * For connectors whose responses say how much of the quota is left: when nothing is left, the client pauses before a
   * request is refused.
   *
   * @default not read
   * @example { header: 'x-ratelimit-remaining', resetHeader: 'x-ratelimit-reset', resetFormat: 'epoch-seconds' }
   */
  remaining?: RemainingOptions | undefined;
  /** Names the limit that a request counts against, for connectors with several (rule G1). @default one for all */
  scope?: ((request: { method: string; path: string }) => string) | undefined;
}

export interface RetryOptions {
  /** How often a transient failure of a call is retried, and of a login; 0: never. Waits do not count (rule G5). @default 5 */
  retries: number;
  /** The first delay in milliseconds. It doubles from there, plus up to as much again at random. @default 500 */
  minTimeoutMs: number;
  /** The longest delay in milliseconds. @default 30000 */
  maxTimeoutMs: number;
  /**
   * The error statuses that are transient. A 401 and a rate limit have rules of their own (S4, W3) and count as none.
   *
   * @default [500, 502, 503, 504]
   * @example [408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524] // behind Cloudflare
   */
  statusCodes?: readonly number[] | undefined;
}

export interface ConnectorClientOptions {
  /** The connector's address. A path in it is kept: `http://h/api/v1` + `/issues`. */
  baseUrl: string | URL;
  /** How to log in: the parameters of `POST /initialize`, or a function for any other exchange (rule S1). */
  initialize: InitializeOptions | InitializeFunction;
  /** If set, `close()` ends the session at the connector, for other clients of the `state`, too: they log in again. */
  cleanup?: { path?: string | undefined } | undefined;
  rateLimit?: RateLimitOptions | undefined;
  retry?: { [Name in keyof RetryOptions]?: RetryOptions[Name] | undefined } | undefined;
  /** Timeout for one attempt, including its body, in milliseconds. @default 30000 */
  timeoutMs?: number | undefined;
  /** Timeout for a whole call, with its waits, logins and retries, in milliseconds. @default none */
  totalTimeoutMs?: number | undefined;
  /** Maximum number of requests in flight; the others wait their turn. @default 64 */
  concurrency?: number | undefined;
  /**
   * With `'auto'` the client learns from a limit how many requests fit into a window. From then on it sends requests
   * one at a time near that limit, so at most one per window is refused. `'off'` disables this.
   * @default 'auto'
   */
  pacing?: 'auto' | 'off' | undefined;
  /** What `client.snapshot()` returned in an earlier process; `client.restore()` does the same later. @default none */
  snapshot?: ClientSnapshot | undefined;
  /**
   * Maximum size of a successful response, in bytes; a larger one fails the call (rule E8). JSON needs up to 30 times
   * its size in memory while it is read, and parsing blocks the process: allow no more than your responses need.
   * @default 10485760 (10 MiB)
   */
  maxResponseBytes?: number | undefined;
  /** Maximum size of a stream, in bytes after decompression; `maxResponseBytes` does not apply to it. @default Infinity */
  maxStreamBytes?: number | undefined;
  /** How long a 401 may mean that a session is too new, in milliseconds (rule S4). @default 3000 */
  freshSessionGraceMs?: number | undefined;
  /**
   * How long calls fail at once after a refused login, in milliseconds. It is also the maximum back-off between logins
   * whose sessions keep being refused (rule S5). @default 30000
   */
  loginCooldownMs?: number | undefined;
  /** An undici dispatcher to send with; `close()` does not close it. @default a pool of the client's own */
  dispatcher?: Dispatcher | undefined;
  /** A fetch to send with instead of undici; cannot be combined with `dispatcher`, and cannot send a body with GET or HEAD. @default none; on Bun, which has no undici, its own */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * Sent with every request, including logins and cleanups. A call's headers override these, and the session's headers
   * override both.
   *
   * @default `accept`, `accept-encoding` and `user-agent: concordat/<version>`
   */
  headers?: HeadersOption | undefined;
  /**
   * Parses the JSON of successes instead of `JSON.parse`, which rounds integers beyond 2^53. If it throws, the call
   * fails with `INVALID_JSON`.
   *
   * @default JSON.parse
   * @example
   * parseJson: (text) => parse(text) // from the package lossless-json, which keeps big integers
   */
  parseJson?: ((text: string) => unknown) | undefined;
  /** Where time comes from. @default the machine's clock */
  clock?: Clock | undefined;
  /**
   * Where session and pauses live. Pass one object to several clients of a connection to share them; with another `baseUrl`
   * it is refused (rule G10).
   *
   * @default in memory
   */
  state?: ConnectionState | undefined;
}
