import { currentHeader, parseQuota, policyHeader, type QuotaPolicy } from '../../contract/index.js';
import type { Exchange } from './exchange.js';

/** What one answer tells about the quota (rule W8). */
export interface Announcement {
  readonly policy: string | null;
  readonly current: string | null;
  /** Whether the request was refused by a limit. */
  readonly isLimit: boolean;
  /** Without its bodies, of which there may be a lot. */
  readonly seen: Exchange;
}

/** What every answer tells about the quota, in the order in which they came. */
export class Announcements {
  readonly all: Announcement[] = [];

  add(seen: Exchange, isLimit: boolean): void {
    const { request, response } = seen;
    if (response === undefined) return;
    this.all.push({
      policy: response.headers.get(policyHeader),
      current: response.headers.get(currentHeader),
      isLimit,
      seen: { ...seen, request: { ...request, body: undefined }, response: { ...response, body: '' } },
    });
  }

  /** The policies that were announced last. */
  policies(): QuotaPolicy[] {
    return this.all.map(({ policy }) => parseQuota({ policy }).policies).findLast(({ length }) => length > 0) ?? [];
  }

  /** How many of the requests that were sent in that time were not refused; epoch milliseconds. */
  servedBetween(from: number, until: number): number {
    return this.all.filter(({ isLimit, seen: { startedAt } }) => !isLimit && startedAt >= from && startedAt <= until)
      .length;
  }
}

export function announces({ policy, current }: Announcement): boolean {
  return policy !== null || current !== null;
}

/** The headers that are there and cannot be read, with their values. */
export function unreadable({ policy, current }: Announcement): string[] {
  const problems: string[] = [];
  if (policy !== null && !saysSomething(policy, 'q')) problems.push(describe(policyHeader, policy));
  if (current !== null && !saysSomething(current, 'r')) problems.push(describe(currentHeader, current));
  return problems;
}

/** Whether a client gets something out of it; quotas of other units than requests are right and of no use to it. */
function saysSomething(value: string, kind: 'q' | 'r'): boolean {
  const { policies, current } = kind === 'q' ? parseQuota({ policy: value }) : parseQuota({ current: value });
  return (
    policies.length + current.length > 0 || (kind === 'q' && /;\s*qu="(?!requests")[\w-]+"/.test(value.slice(0, 1024)))
  );
}

function describe(name: string, value: string): string {
  return `${name}: ${value.slice(0, 200)}`;
}
