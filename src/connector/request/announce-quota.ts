import type { Context } from 'hono';
import { listenTo } from '../end-system/index.js';
import { ReportedQuota } from '../end-system/reported-quota.js';
import { setQuota } from './announce-policy.js';

/** Sets headers on a response, each time they change: in Express `(headers) => response.set(headers)`. */
export type SetHeaders = (headers: Record<string, string>) => void;

/**
 * Wraps an `endSystemFetch` for one request: the end system's quota is announced on the connector's response (rule W8),
 * whether a success or an error. Of several end-system responses the smallest remainder counts. Reads the end system's
 * `RateLimit` headers and those that its preset names; the preset's name is the policy's.
 *
 * @param target the context of the request (in `initialize.handler`: `c`), or a function that sets headers.
 * @param endSystem made by `endSystemFetch`.
 * @throws TypeError when `target` or `endSystem` is something else.
 * @example
 * const github = endSystemFetch({ preset: 'github' })
 *
 * connector.get('/issues/:id', async (c) => {
 *   const issue = await announceQuota(c, github)(`https://api.github.com/repos/octo/app/issues/${c.req.param('id')}`)
 *   return c.json(await issue.json())
 * })
 */
export function announceQuota(
  target: Context | SetHeaders,
  endSystem: typeof globalThis.fetch,
): typeof globalThis.fetch {
  const set = typeof target === 'function' ? target : toSetter(target);
  const quota = quotaOf(target);
  return listenTo(endSystem, (headers, preset) => {
    if (quota.take(headers, preset)) set(quota.headers());
  });
}

function toSetter(c: Context): SetHeaders {
  if (typeof c?.header === 'function') return (headers) => setQuota(c, headers);
  throw new TypeError('`target` must be the context of a request, or a function that takes headers.');
}

/** One for each request, however many end systems its handler calls. */
const quotas = new WeakMap<Context | SetHeaders, ReportedQuota>();

function quotaOf(target: Context | SetHeaders): ReportedQuota {
  const known = quotas.get(target) ?? new ReportedQuota();
  quotas.set(target, known);
  return known;
}
