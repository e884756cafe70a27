import type { Context } from 'hono';
import * as z from 'zod';
import { formatPolicy, maxQuotaCharacters, policyHeader } from '../../contract/index.js';
import { checkOptions, isResponse, optionsOf, type ShapeOf } from '../../internal/index.js';
import { listenTo } from '../end-system/end-system-fetch.js';
import { ReportedQuota } from '../end-system/reported-quota.js';
import type { RateLimitHeaderOptions } from '../errors/options.js';
import { stateOf } from './request-state.js';

/** A number of requests per window, which the connector announces to its callers (rule W8). */
export interface AnnouncedPolicy {
  /** Printable ASCII, unique. @default 'default', then 'default-2' and so on */
  name?: string | undefined;
  /** Requests: a whole number above 0. */
  limit: number;
  /** Milliseconds, a day at most; announced in whole seconds, rounded up. */
  windowMs: number;
}

/** How a `RateLimitError` is written, and the quota that responses announce (rules W1, W4, W8). */
export interface ConnectorRateLimitOptions extends RateLimitHeaderOptions {
  /** What every response announces in `RateLimit-Policy`. @default nothing */
  policy?: AnnouncedPolicy | readonly AnnouncedPolicy[] | undefined;
}

const mostPolicies = 16;

/** `formatPolicy` checks the values. */
const policySchema = optionsOf({
  name: z.unknown().optional(),
  limit: z.unknown().optional(),
  windowMs: z.unknown().optional(),
} satisfies ShapeOf<AnnouncedPolicy>);

/**
 * The value of the header that announces these policies.
 *
 * @throws TypeError naming the invalid option, such as `rateLimit.policy[1].limit`.
 */
export function checkPolicy(option: ConnectorRateLimitOptions['policy']): string | undefined {
  if (option === undefined) return undefined;
  const name = 'rateLimit.policy';
  const policies = Array.isArray(option) ? (option as readonly AnnouncedPolicy[]) : [option as AnnouncedPolicy];
  if (policies.length === 0 || policies.length > mostPolicies) {
    throw new TypeError(`\`${name}\` must hold one to ${mostPolicies} policies.`);
  }
  const seen = new Set<string>();
  const items = policies.map((policy, index) => {
    const place = Array.isArray(option) ? `${name}[${index}]` : name;
    checkOptions(policySchema, policy, place);
    const policyName = policy.name ?? (index === 0 ? 'default' : `default-${index + 1}`);
    if (seen.has(policyName)) throw new TypeError(`\`${place}.name\` appears twice.`);
    seen.add(policyName);
    try {
      return formatPolicy({ ...policy, name: policyName });
    } catch (error) {
      throw new TypeError((error as Error).message.replace('`', `\`${place}.`));
    }
  });
  const header = items.join(', ');
  if (header.length <= maxQuotaCharacters) return header;
  throw new TypeError(`\`${name}\` must fit in a header of ${maxQuotaCharacters} characters: use shorter names.`);
}

/**
 * Adds the connector's policies and the end system's quota to a response, besides what it announces already.
 *
 * @param policy the value of the connector's own header.
 * @returns a function that returns what the handler returned, or a copy where that is immutable.
 */
export function createAnnouncer(policy: string | undefined): <Returned>(returned: Returned, c: Context) => Returned {
  const announce = (response: Response, c: Context): Response => {
    let result = response;
    for (const [name, value] of Object.entries(stateOf(c).quota ?? {})) {
      if (!result.headers.has(name)) result = withHeader(result, name, value);
    }
    if (policy === undefined) return result;
    const there = result.headers.get(policyHeader);
    if (there === null) return withHeader(result, policyHeader, policy);
    return `, ${there}, `.includes(`, ${policy}, `) ? result : withHeader(result, policyHeader, `${policy}, ${there}`);
  };
  return <Returned>(returned: Returned, c: Context): Returned => {
    if (policy === undefined && stateOf(c).quota === undefined) return returned;
    if (isResponse(returned)) return announce(returned, c) as Returned;
    const response = announce(c.res, c);
    if (response !== c.res) c.res = response;
    return returned;
  };
}

function withHeader(response: Response, name: string, value: string): Response {
  try {
    response.headers.set(name, value);
    return response;
  } catch {
    // Headers of a fetched response are immutable.
  }
  try {
    const copy = new Response(response.body, response);
    copy.headers.set(name, value);
    return copy;
  } catch {
    return response; // a status that cannot be constructed, such as 101
  }
}

/** Sets headers on a response, each time they change: in Express `(headers) => response.set(headers)`. */
export type SetHeaders = (headers: Record<string, string>) => void;

/**
 * Wraps an `endSystemFetch` for one request: the end system's quota is announced on the connector's response (rule W8),
 * whether a success or an error. If there are several end-system responses, the smallest remainder is announced. Reads the end system's
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
  const quota = quotas.get(target) ?? new ReportedQuota();
  quotas.set(target, quota);
  return listenTo(endSystem, (headers, preset) => {
    if (quota.take(headers, preset)) set(quota.headers());
  });
}

function toSetter(c: Context): SetHeaders {
  if (typeof c?.header !== 'function') {
    throw new TypeError('`target` must be the context of a request, or a function that takes headers.');
  }
  return (headers) => {
    stateOf(c).quota = headers; // also for a response that the handler creates without the context
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
  };
}

/** One for each request, however many end systems its handler calls. */
const quotas = new WeakMap<Context | SetHeaders, ReportedQuota>();
