import type { Quota } from '../../events.js';
import type { Remaining } from './remaining.js';

/** A quota that the connector announces (rule W8). */
export interface Policy extends Quota {
  readonly name: string;
}

/** What one response says about the quota. */
export interface Announcement {
  /** All of them apply; empty if the response names no quota. */
  readonly policies: readonly Policy[];
  /** What is left of each quota. Where a name is repeated, the last one is the smallest. */
  readonly remaining: readonly Remaining[];
}

/** First the quota that allows the fewest requests in a given time. */
export function tightestFirst<Kind extends Quota>(quotas: readonly Kind[]): Kind[] {
  return [...quotas].sort((a, b) => a.limit / a.windowMs - b.limit / b.windowMs);
}

/** Differs if the quotas differ. */
export function toKey(quotas: readonly Quota[]): string {
  return quotas.map(({ limit, windowMs }) => `${limit}/${windowMs}`).join();
}
