import { checkWaitFormat, headerProblem, type SessionParameter, type WaitFormat } from '../contract/index.js';
import { type Clock, isSecret, systemClock } from '../internal/index.js';
import { checkPath } from './http/request-target.js';
import type { Dispatcher } from './http/undici.js';
import type { RemainingOptions } from './rate-limit/remaining.js';
import { type ClientSnapshot, checkSnapshot } from './rate-limit/snapshot.js';
import type { RetryOptions } from './retry.js';
import type { InitializeFunction } from './session/initialize-function.js';
import { type ConnectionState, memoryState } from './session/state.js';

/** How the client logs in over HTTP (rule S1). */
export interface InitializeOptions {
  /** @default '/initialize' */
  path?: string;
  /** @default 'POST' */
  method?: string;
  /**
   * What the connector needs to log in. A record becomes the array in its own order; `sensitive` are those values whose
   * name or looks say that they are secrets (rule E5). Write the array to decide that yourself.
   */
  parameters: readonly SessionParameter[] | Readonly<Record<string, string>>;
  /** Bounds one login as a whole, retries included and pauses not, in milliseconds (rule S6). @default 60000 */
  timeoutMs?: number;
}

export interface RateLimitOptions {
  /** The header that carries the wait (rule W1). @default 'Retry-After' */
  header?: string;
  /** How the wait is written (rule W4). @default 'auto': seconds or an HTTP-date */
  format?: WaitFormat;
  /** The wait where the answer does not say how long; doubles on repeats up to 15 minutes (rule W6). @default 60000 */
  fallbackWaitMs?: number;
  /** A longer wait is not slept: the call rejects with a `RateLimitError` that says `resumeAt` (rule W7). @default 86400000 */
  maxWaitMs?: number;
  /** Bounds the waits of one call in sum, in milliseconds (rule G5). @default none */
  maxTotalWaitMs?: number;
  /**
   * What a call does at a rate limit. With `'reject'` it rejects at once with a `RateLimitError` that says `resumeAt`, and so
   * do calls that are made until then, without sending anything: for a scheduler that parks the work. @default 'wait'
   */
  onLimit?: 'wait' | 'reject';
  /** The most that is added at random to a wait, never more than a hundredth of it, in milliseconds. @default 100 */
  jitterMs?: number;
  /**
   * For connectors that say in every answer what is left of the quota: the gate closes when that is nothing, before a request
   * is refused.
   *
   * @default not read
   * @example { header: 'x-ratelimit-remaining', resetHeader: 'x-ratelimit-reset', resetFormat: 'epoch-seconds' }
   */
  remaining?: RemainingOptions;
  /** Names the limit that a request counts against, for connectors with several (rule G1). @default one for all */
  scope?: (request: { method: string; path: string }) => string;
}

export interface ConnectorClientOptions {
  /** The connector's address; a path in it is kept: `http://h/api/v1` + `/issues`. */
  baseUrl: string;
  initialize: InitializeOptions | InitializeFunction;
  /** When given, `close()` tells the connector that the session is no longer needed. */
  cleanup?: { path?: string };
  rateLimit?: RateLimitOptions;
  retry?: Partial<RetryOptions>;
  /** Bounds one try, body included, in milliseconds. @default 30000 */
  timeoutMs?: number;
  /** Bounds a whole call: waits, logins and retries included, in milliseconds. @default none */
  totalTimeoutMs?: number;
  /** The most requests in flight at once; more wait their turn. @default 64 */
  concurrency?: number;
  /**
   * With `'auto'` the client remembers how many requests fitted into the window when it met a limit, and from then on sends
   * single requests at that boundary instead of a crowd: a window costs one refused request. `'off'`: it does not.
   * @default 'auto'
   */
  pacing?: 'auto' | 'off';
  /** What `client.snapshot()` gave in an earlier process; `client.restore()` does the same later. @default none */
  snapshot?: ClientSnapshot;
  /**
   * A success with a larger body is refused (rule E8). JSON needs up to 30 times its size in memory while it is read, and
   * parsing it stops all else: allow no more than your answers need. @default 10485760 (10 MiB)
   */
  maxResponseBytes?: number;
  /** How long a new session may be refused before that is a verdict, in milliseconds (rule S4). @default 3000 */
  freshSessionGraceMs?: number;
  /**
   * How long calls fail at once after a refused login, in milliseconds; also the longest time between logins while the connector
   * accepts them and refuses their sessions (rule S5). @default 30000
   */
  loginCooldownMs?: number;
  /** An undici dispatcher to send with; it is not closed by `close()`. @default a pool of its own */
  dispatcher?: Dispatcher;
  /** A fetch to send with instead of undici. */
  fetch?: typeof globalThis.fetch;
  /** Where time comes from. @default the machine's clock */
  clock?: Clock;
  /** Where session and pause live; share one to share them. @default in memory, for this client alone */
  state?: ConnectionState;
}

/** The options with every default filled in. */
export type Settings = ReturnType<typeof checkOptions>;

/** Fills in the defaults once, at creation. @throws TypeError naming the option that is wrong. */
export function checkOptions(options: ConnectorClientOptions) {
  if (typeof options !== 'object' || options === null) throw new TypeError('`options` must be an object.');
  const { rateLimit = {}, retry = {} } = options;
  const { origin, basePath } = splitBaseUrl(options.baseUrl);
  if (options.dispatcher !== undefined && options.fetch !== undefined) {
    throw new TypeError('`dispatcher` and `fetch` exclude each other.');
  }
  return {
    origin,
    basePath,
    initialize: checkInitialize(options.initialize),
    cleanup:
      options.cleanup === undefined
        ? undefined
        : { path: checkPath(options.cleanup.path ?? '/cleanup', 'cleanup.path') },
    rateLimit: {
      header: checkHeaderName(rateLimit.header ?? 'Retry-After', 'rateLimit.header'),
      format: checkFormat(rateLimit.format ?? 'auto', 'rateLimit.format'),
      fallbackWaitMs: duration(rateLimit.fallbackWaitMs, 60_000, 'rateLimit.fallbackWaitMs'),
      maxWaitMs: duration(rateLimit.maxWaitMs, 24 * 3_600_000, 'rateLimit.maxWaitMs', true),
      maxTotalWaitMs: duration(rateLimit.maxTotalWaitMs, Number.POSITIVE_INFINITY, 'rateLimit.maxTotalWaitMs', true),
      onLimit: oneOf(rateLimit.onLimit, ['wait', 'reject'] as const, 'rateLimit.onLimit'),
      jitterMs: duration(rateLimit.jitterMs, 100, 'rateLimit.jitterMs'),
      remaining: checkRemaining(rateLimit.remaining),
      scope: optionalFunction(rateLimit.scope, 'rateLimit.scope'),
    },
    retry: {
      retries: count(retry.retries, 5, 0, 'retry.retries'),
      minTimeoutMs: duration(retry.minTimeoutMs, 500, 'retry.minTimeoutMs'),
      maxTimeoutMs: duration(retry.maxTimeoutMs, 30_000, 'retry.maxTimeoutMs'),
    },
    timeoutMs: checkTimeout(options.timeoutMs, 30_000, 'timeoutMs'),
    totalTimeoutMs:
      options.totalTimeoutMs === undefined ? undefined : checkTimeout(options.totalTimeoutMs, 0, 'totalTimeoutMs'),
    concurrency: count(options.concurrency, 64, 1, 'concurrency'),
    pacing: oneOf(options.pacing, ['auto', 'off'] as const, 'pacing'),
    snapshot: options.snapshot === undefined ? undefined : checkSnapshot(options.snapshot),
    maxResponseBytes: count(options.maxResponseBytes, 10 * 1024 * 1024, 1, 'maxResponseBytes'),
    freshSessionGraceMs: duration(options.freshSessionGraceMs, 3000, 'freshSessionGraceMs'),
    loginCooldownMs: duration(options.loginCooldownMs, 30_000, 'loginCooldownMs'),
    dispatcher: options.dispatcher,
    fetch: optionalFunction(options.fetch, 'fetch'),
    clock: options.clock ?? systemClock,
    state: options.state ?? memoryState(),
  };
}

/** @throws TypeError when the value is no time-out. */
export function checkTimeout(value: unknown, fallback: number, name: string): number {
  const timeoutMs = duration(value, fallback, name, true);
  if (timeoutMs === 0) throw new TypeError(`\`${name}\` must be more than 0 milliseconds.`);
  return timeoutMs;
}

/** @throws TypeError when the value is no priority. */
export function checkPriority(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`\`priority\` must be a finite number, got ${String(value)}.`);
}

function splitBaseUrl(baseUrl: unknown): { origin: string; basePath: string } {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError('`baseUrl` must be an http or https URL, such as "http://127.0.0.1:4000".');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('`baseUrl` must hold no credentials, query or fragment.');
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') };
}

function checkInitialize(initialize: InitializeOptions | InitializeFunction) {
  if (typeof initialize === 'function') return initialize;
  if (typeof initialize !== 'object' || initialize === null) {
    throw new TypeError('`initialize` must be an object with `parameters`, or a function.');
  }
  const { path = '/initialize', method = 'POST', timeoutMs } = initialize;
  if (typeof method !== 'string' || !/^[A-Z]+$/.test(method)) {
    throw new TypeError(`\`initialize.method\` must be an HTTP method in capitals, got ${JSON.stringify(method)}.`);
  }
  return {
    path: checkPath(path, 'initialize.path'),
    method,
    parameters: checkParameters(initialize.parameters),
    timeoutMs: checkTimeout(timeoutMs, 60_000, 'initialize.timeoutMs'),
  };
}

function checkParameters(parameters: InitializeOptions['parameters']): SessionParameter[] {
  if (typeof parameters !== 'object' || parameters === null) {
    throw new TypeError(
      '`initialize.parameters` must be an array of { key, value, sensitive } or a record of strings.',
    );
  }
  // A record does not say what is secret: names and values do (rule E5).
  const list: readonly SessionParameter[] = Array.isArray(parameters)
    ? parameters
    : Object.entries(parameters).map(([key, value]) => ({
        key,
        value,
        sensitive: typeof value !== 'string' || isSecret({ key, value }),
      }));
  return list.map((parameter, index) => {
    const { key, value, sensitive = true } = parameter ?? {};
    if (typeof key !== 'string' || key === '') {
      throw new TypeError(`\`initialize.parameters\`: entry ${index} has no key.`);
    }
    if (typeof value !== 'string')
      throw new TypeError(`\`initialize.parameters\`: the value of "${key}" must be a string.`);
    return { key, value, sensitive };
  });
}

function checkHeaderName(name: unknown, option: string): string {
  if (typeof name === 'string' && headerProblem(name, '') === undefined) return name;
  throw new TypeError(`\`${option}\` must be a header name, got ${JSON.stringify(name)}.`);
}

function checkFormat(format: unknown, option: string): WaitFormat {
  try {
    return checkWaitFormat(format);
  } catch (error) {
    throw new TypeError((error as Error).message.replace('`format`', `\`${option}\``));
  }
}

function checkRemaining(remaining: RemainingOptions | undefined): Required<RemainingOptions> | undefined {
  if (remaining === undefined) return undefined;
  if (typeof remaining !== 'object' || remaining === null) {
    throw new TypeError('`rateLimit.remaining` must be an object with `header` and `resetHeader`.');
  }
  return {
    header: checkHeaderName(remaining.header, 'rateLimit.remaining.header'),
    resetHeader: checkHeaderName(remaining.resetHeader, 'rateLimit.remaining.resetHeader'),
    resetFormat: checkFormat(remaining.resetFormat ?? 'auto', 'rateLimit.remaining.resetFormat'),
  };
}

/** The first is the default. */
function oneOf<const Names extends readonly string[]>(value: unknown, names: Names, option: string): Names[number] {
  if (value === undefined) return names[0] as Names[number];
  if (names.includes(value as string)) return value as Names[number];
  const choice = names.map((name) => `'${name}'`).join(' or ');
  throw new TypeError(`\`${option}\` must be ${choice}, got ${JSON.stringify(value)}.`);
}

function duration(value: unknown, fallback: number, name: string, mayBeInfinite = false): number {
  const number = value === undefined ? fallback : value;
  const valid = typeof number === 'number' && number >= 0 && (mayBeInfinite || Number.isFinite(number));
  if (!valid) throw new TypeError(`\`${name}\` must be a number of milliseconds, zero or more, got ${String(value)}.`);
  return number;
}

function count(value: unknown, fallback: number, least: number, name: string): number {
  const number = value === undefined ? fallback : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= least) return number;
  throw new TypeError(`\`${name}\` must be a whole number, ${least} or more, got ${String(value)}.`);
}

function optionalFunction<T>(value: T, name: string): T {
  if (value !== undefined && typeof value !== 'function') throw new TypeError(`\`${name}\` must be a function.`);
  return value;
}
