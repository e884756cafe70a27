import * as z from 'zod';
import { headerNameOption, type SessionParameter, waitFormatOption } from '../contract/index.js';
import {
  anyObject,
  type Clock,
  checkOptions as check,
  count,
  duration,
  functionOf,
  isObject,
  isSecret,
  oneOf,
  option,
  optionsOf,
  readBy,
  type ShapeOf,
  statusFrom,
  systemClock,
  timeLimit,
  withMethods,
  withoutTrailingSlashes,
} from '../internal/index.js';
import { type HeadersOption, toBaseHeaders } from './http/request-headers.js';
import { checkPath } from './http/request-target.js';
import type { Dispatcher } from './http/undici.js';
import type { ConnectorClientOptions, InitializeOptions, RateLimitOptions, RetryOptions } from './options.js';
import { snapshotOption } from './rate-limit/gates.js';
import type { RemainingOptions } from './rate-limit/limit-headers.js';
import type { InitializeFunction } from './session/initialize.js';
import { belongTo, type ConnectionState, memoryState } from './session/state.js';

const path = readBy((value) => checkPath(value, 'path'));

const initialize = optionsOf({
  path: path.default('/initialize'),
  method: option<string>(
    (value) => typeof value === 'string' && /^[A-Z]+$/.test(value),
    'must be an HTTP method in capitals',
    true,
  ).default('POST'),
  parameters: readBy(readParameters),
  timeoutMs: timeLimit.default(60_000),
} satisfies ShapeOf<InitializeOptions>);

const remaining = optionsOf({
  header: headerNameOption,
  resetHeader: headerNameOption,
  resetFormat: waitFormatOption.default('auto'),
} satisfies ShapeOf<RemainingOptions>);

const rateLimit = optionsOf({
  header: headerNameOption.default('Retry-After'),
  format: waitFormatOption.default('auto'),
  fallbackWaitMs: duration().default(60_000),
  maxWaitMs: duration({ endless: true }).default(24 * 3_600_000),
  maxTotalWaitMs: duration({ endless: true }).default(Number.POSITIVE_INFINITY),
  onLimit: oneOf(['wait', 'reject']).default('wait'),
  jitterMs: duration().default(100),
  remaining: remaining.optional(),
  scope: functionOf<NonNullable<RateLimitOptions['scope']>>().optional(),
} satisfies ShapeOf<RateLimitOptions>);

const retry = optionsOf({
  retries: count(0).default(5),
  minTimeoutMs: duration().default(500),
  maxTimeoutMs: duration().default(30_000),
  statusCodes: z.array(statusFrom(400), { error: 'must be an array of statuses' }).default([500, 502, 503, 504]),
} satisfies ShapeOf<RetryOptions>);

const schema = optionsOf({
  baseUrl: readBy(splitBaseUrl),
  initialize: z.union([functionOf<InitializeFunction>(), initialize], {
    error: 'must be an object with `parameters`, or a function',
  }),
  cleanup: optionsOf({ path: path.default('/cleanup') }).optional(),
  rateLimit: rateLimit.prefault({}),
  retry: retry.prefault({}),
  timeoutMs: timeLimit.default(30_000),
  totalTimeoutMs: timeLimit.optional(),
  concurrency: count(1).default(64),
  pacing: oneOf(['auto', 'off']).default('auto'),
  snapshot: snapshotOption.optional(),
  maxResponseBytes: count(1).default(10 * 1024 * 1024),
  maxStreamBytes: count(1, { endless: true }).default(Number.POSITIVE_INFINITY),
  freshSessionGraceMs: duration().default(3000),
  loginCooldownMs: duration().default(30_000),
  dispatcher: withMethods<Dispatcher>('dispatch').optional(),
  fetch: functionOf<typeof globalThis.fetch>().optional(),
  headers: anyObject<HeadersOption>().optional(),
  parseJson: functionOf<(text: string) => unknown>().optional(),
  clock: withMethods<Clock>('now', 'monotonic', 'setTimer').default(() => systemClock),
  state: withMethods<ConnectionState>('renew', 'pause', 'onPause').default(() => memoryState()),
} satisfies ShapeOf<ConnectorClientOptions>);

export type Settings = ReturnType<typeof checkOptions>;

/** Checks the options and fills in the defaults, once. @throws TypeError naming the options that are wrong. */
export function checkOptions(options: ConnectorClientOptions) {
  const { baseUrl, headers, ...settings } = check(schema, options);
  if (settings.dispatcher !== undefined && settings.fetch !== undefined) {
    throw new TypeError('`dispatcher` and `fetch` cannot be combined.');
  }
  // Bun puts a module of its own in the place of undici, which cannot dispatch requests.
  const fetch = settings.fetch ?? ('Bun' in globalThis && !settings.dispatcher ? globalThis.fetch : undefined);
  if (fetch !== undefined && 'method' in settings.initialize && /^(?:GET|HEAD)$/.test(settings.initialize.method)) {
    throw new TypeError('`initialize.method`: `fetch` cannot send the parameters with GET or HEAD.');
  }
  const checked = { ...settings, ...baseUrl, fetch, headers: toBaseHeaders(headers, fetch === undefined) };
  belongTo(settings.state, baseUrl.origin + baseUrl.basePath);
  return checked;
}

function splitBaseUrl(baseUrl: unknown): { origin: string; basePath: string } {
  const text = baseUrl instanceof URL ? baseUrl.href : baseUrl;
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError('must be an http or https URL, such as "http://127.0.0.1:4000"');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('must not have credentials, a query or a fragment');
  }
  return { origin: url.origin, basePath: withoutTrailingSlashes(url.pathname) };
}

/** Messages contain names, never values: those may be secret. */
function readParameters(parameters: unknown): SessionParameter[] {
  if (!Array.isArray(parameters) && (!isObject(parameters) || Symbol.iterator in parameters)) {
    throw new TypeError('must be an array of { key, value, sensitive } or a record of strings');
  }
  // A record does not say what is secret; names and values show it (rule E5).
  const list: readonly Partial<SessionParameter>[] = Array.isArray(parameters)
    ? parameters
    : Object.entries(parameters).map(([key, value]) => ({
        key,
        value,
        sensitive: typeof value !== 'string' || isSecret({ key, value }),
      }));
  return list.map((parameter, index) => {
    const { key, value, sensitive = true } = parameter ?? {};
    if (typeof key !== 'string' || key === '') throw new TypeError(`must have a key in entry ${index}`);
    if (typeof value !== 'string') throw new TypeError(`must have a string as the value of "${key}"`);
    return { key, value, sensitive };
  });
}
