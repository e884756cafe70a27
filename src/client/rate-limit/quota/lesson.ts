import type { Quota } from '../../events.js';

/** What is known of a limit: the quota, and whether its window slides. */
export interface Lesson extends Quota {
  readonly slides: boolean;
  /** How many limits in a row did not fit in. */
  readonly doubts: number;
}

/** What a limit that was met says, when it is over or still on. Times are on one monotonic clock. */
export interface LimitFacts {
  /** When the first request of the window went out. */
  startedAt: number;
  /** How many of the window's requests were answered by something else than a limit. */
  passed: number;
  metAt: number;
  resumesAt: number;
  /** Whether the client does not know a beginning of a window: nothing was limited before. */
  isFirst: boolean;
  /** How many requests passed after a given time. */
  passedSince(time: number): number;
}

/**
 * Learns from a limit. Whatever kind of window it is, it opens again one window after what it counts began: so the window
 * lasts from its first request to the end of the pause, and what passed in it is the quota.
 */
export function learnFromLimit(known: Lesson | undefined, facts: LimitFacts): Lesson | undefined {
  const { startedAt, passed, metAt, resumesAt } = facts;
  const windowMs = resumesAt - startedAt;
  if (passed === 0 || windowMs < 1 || windowMs > longestWindowMs) return known;
  if (known === undefined) {
    // Most of the time since the beginning was no part of this window, or somebody else had used it up before.
    const unclear = metAt - startedAt > 4 * (resumesAt - metAt) || (facts.isFirst && passed < 2);
    return unclear ? undefined : { limit: passed, windowMs, slides: false, doubts: 0 };
  }
  // A window that slides opens one window after the oldest request that it still counts.
  const sliding = facts.passedSince(resumesAt - known.windowMs);
  const fits = Math.abs(sliding - known.limit) <= Math.max(1, known.limit / 4);
  // None of those that passed may lie so far back, where answers take longer than a window: a quota is never 0 (rule G9).
  if (known.slides && fits) return { ...known, limit: Math.max(1, sliding), doubts: 0 };
  if (windowMs >= 0.9 * known.windowMs) {
    if (windowMs > 1.1 * known.windowMs) return { limit: passed, windowMs, slides: false, doubts: 0 };
    // Latency and rounded waits only ever lengthen what is seen of a whole window.
    const isWhole = passed >= known.limit;
    return {
      ...known,
      limit: passed,
      windowMs: isWhole ? Math.min(windowMs, known.windowMs) : known.windowMs,
      doubts: 0,
    };
  }
  // Too early for the end of a window that began with the opening: it slides, if that explains the count.
  if (fits && sliding > passed) return { ...known, limit: sliding, slides: true, doubts: 0 };
  if (known.doubts < mostDoubts) return { ...known, doubts: known.doubts + 1 };
  return { limit: passed, windowMs, slides: false, doubts: 0 };
}

/**
 * How many requests may be in flight beyond the boundary: one, until half as much again as the quota has passed, or as much as
 * goes through one by one in half a window; then two, and so on. A quota that has not changed costs one refused request; one
 * that has grown is found in a few windows, however much it has grown.
 */
export function allowanceBeyond(beyond: number, quota: Quota, latencyMs: number): number {
  return 1 + Math.floor(2 * Math.max(0, beyond) * Math.max(1 / quota.limit, latencyMs / quota.windowMs));
}

/** One limit that nothing explains may have had another reason; after so many in a row the quota is another one. */
const mostDoubts = 1;
/** Nothing that lasts longer has a date for its end, and no snapshot could hold it. */
const longestWindowMs = 8.64e15;
