import { currentHeader, parseQuota, policyHeader, type QuotaPolicy } from '../../contract/index.js';
import type { Exchange } from './exchange.js';

/** What one response announces about the quota (rule W8). */
export interface Announcement {
  readonly policy: string | null;
  readonly current: string | null;
  /** Whether the response is a rate limit. */
  readonly isLimit: boolean;
  /** Without bodies, to save memory. */
  readonly seen: Exchange;
}

/** What the responses announced about the quota, in the order of arrival. */
export class Announcements {
  readonly all: Announcement[] = [];

  add(seen: Exchange, isLimit: boolean): void {
    const { request, response } = seen;
    if (response === undefined) return;
    this.all.push({
      policy: response.headers.get(policyHeader),
      current: response.headers.get(currentHeader),
      isLimit,
      seen: {
        ...seen,
        request: { ...request, body: undefined },
        response: { ...response, body: '', bytes: new Uint8Array() },
      },
    });
  }

  /** The policies announced last. */
  policies(): QuotaPolicy[] {
    return this.all.map(({ policy }) => parseQuota({ policy }).policies).findLast(({ length }) => length > 0) ?? [];
  }

  /** How many requests sent in that time (epoch milliseconds) were not refused. */
  servedBetween(from: number, until: number): number {
    return this.all.filter(({ isLimit, seen: { startedAt } }) => !isLimit && startedAt >= from && startedAt <= until)
      .length;
  }
}

export function announces({ policy, current }: Announcement): boolean {
  return policy !== null || current !== null;
}

/** The headers that cannot be read, with their values. */
export function unreadable({ policy, current }: Announcement): string[] {
  const problems: string[] = [];
  if (policy !== null && parseQuota({ policy }).policies.length === 0 && !hasOtherUnit.test(policy.slice(0, 1024)))
    problems.push(describe(policyHeader, policy));
  if (current !== null && parseQuota({ current }).current.length === 0) problems.push(describe(currentHeader, current));
  return problems;
}

/** Quotas in units other than requests are valid, although no client can use them. */
const hasOtherUnit = /;\s*qu="(?!requests")[\w-]+"/;

function describe(name: string, value: string): string {
  return `${name}: ${value.slice(0, 200)}`;
}
