import type { Context } from 'hono';
import { listenTo } from '../end-system/index.js';
import { ReportedQuota } from '../end-system/reported-quota.js';
import { tellQuota } from './announce-policy.js';

/** Takes the headers to put on a response, each time they change: in Express `(headers) => response.set(headers)`. */
export type SetHeaders = (headers: Record<string, string>) => void;

/**
 * A fetch like the one it is given, for the time of one request: what the end system tells about its quota is announced on
 * the connector's response to that request (rule W8), be it a success or an error. Of several answers the least that was
 * left counts. The end system's own `RateLimit` headers are handed on, and those that its preset knows; its name is the
 * policy's. Where the end system tells nothing, nothing is announced.
 *
 * @param target the context of the request (in `initialize.handler`: `c`), or what takes the headers in another framework.
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
  if (typeof c?.header === 'function') return (headers) => tellQuota(c, headers);
  throw new TypeError('`target` must be the context of a request, or a function that takes headers.');
}

/** One account for a request, however many end systems its handler asks. */
const quotas = new WeakMap<Context | SetHeaders, ReportedQuota>();

function quotaOf(target: Context | SetHeaders): ReportedQuota {
  const known = quotas.get(target) ?? new ReportedQuota();
  quotas.set(target, known);
  return known;
}
