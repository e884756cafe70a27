import type { Context } from 'hono';
import { z } from 'zod';
import { formatPolicy, maxQuotaCharacters, policyHeader } from '../../contract/index.js';
import { checkOptions, optionsOf, type ShapeOf } from '../../internal/index.js';
import type { RateLimitHeaderOptions } from '../errors/options.js';
import { isResponse, stateOf } from './request-state.js';

/** So many requests in a window of that length, as the connector tells its callers beforehand (rule W8). */
export interface AnnouncedPolicy {
  /** Printable ASCII, its own for each policy. @default 'default', then 'default-2' and so on */
  name?: string | undefined;
  /** Requests: a whole number above 0. */
  limit: number;
  /** Milliseconds, a day at most; told in whole seconds, rounded up. */
  windowMs: number;
}

/** How a `RateLimitError` is written, and the quota that is announced before there is one (rules W1, W4, W8). */
export interface ConnectorRateLimitOptions extends RateLimitHeaderOptions {
  /** What every response announces in `RateLimit-Policy`, for callers to keep to it. @default nothing */
  policy?: AnnouncedPolicy | readonly AnnouncedPolicy[] | undefined;
}

const mostPolicies = 16;

/** What is in them is checked where they are written. */
const policySchema = optionsOf({
  name: z.unknown().optional(),
  limit: z.unknown().optional(),
  windowMs: z.unknown().optional(),
} satisfies ShapeOf<AnnouncedPolicy>);

/**
 * The header that announces these policies, made once.
 *
 * @throws TypeError naming the option that is wrong, such as `rateLimit.policy[1].limit`.
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
    if (seen.has(policyName)) throw new TypeError(`\`${place}.name\` is there twice.`);
    seen.add(policyName);
    try {
      return formatPolicy({ ...policy, name: policyName });
    } catch (error) {
      throw new TypeError((error as Error).message.replace('`', `\`${place}.`));
    }
  });
  const header = items.join(', ');
  if (header.length <= maxQuotaCharacters) return header;
  throw new TypeError(`\`${name}\` must fit a header of ${maxQuotaCharacters} characters: give shorter names.`);
}

/** Has a response of this context announce a quota, also one that its handler makes without the context. */
export function tellQuota(c: Context, headers: Readonly<Record<string, string>>): void {
  stateOf(c).quota = headers;
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

/**
 * What a connector does to each of its responses: its own policies beside those that are there already, and what an end
 * system has told.
 *
 * @param policy the connector's own header, if it has one.
 * @returns what a handler returned, or the response in its place: one that was fetched cannot be changed.
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
    if (c.finalized) {
      const response = announce(c.res, c);
      if (response !== c.res) c.res = response;
    }
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
    return response; // a status that cannot be made anew, such as 101
  }
}
