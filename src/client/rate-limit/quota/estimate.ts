import { latestDateMs } from '../../../internal/index.js';
import type { Quota } from '../../events.js';

/** What the limits met so far say about the quota. */
export interface QuotaEstimate extends Quota {
  /** Whether the window slides instead of starting anew. */
  readonly slides: boolean;
  /** How many limits in a row the estimate did not explain. */
  readonly unexplained: number;
}

/** A limit that was met, over or still in effect. Times are on one monotonic clock. */
export interface LimitFacts {
  /** When the first request of the window started. */
  startedAt: number;
  /** How many of the window's requests got a response other than a limit. */
  passed: number;
  metAt: number;
  resumesAt: number;
  /** Whether it is the first limit, so that the beginning of the window is unknown. */
  isFirst: boolean;
  /** The window before, if it seemed to end without a limit. */
  before?: { startedAt: number; passed: number } | undefined;
  /** How many requests passed after a given time. */
  passedSince(time: number): number;
}

/**
 * Learns from a limit. Every kind of window opens again one window length after its first counted request. So the
 * window lasts from its first request to the end of the pause, and the requests that passed in it are the quota.
 */
export function learnFromLimit(previous: QuotaEstimate | undefined, facts: LimitFacts): QuotaEstimate | undefined {
  const { startedAt, passed, metAt, resumesAt } = facts;
  const windowMs = resumesAt - startedAt;
  if (passed === 0 || windowMs < 1 || windowMs > maxWindowMs) return previous;
  if (previous === undefined) {
    // Most of that time did not belong to this window, or another client had used up the quota.
    const unclear = metAt - startedAt > 4 * (resumesAt - metAt) || (facts.isFirst && passed < 2);
    return unclear ? undefined : { limit: passed, windowMs, slides: false, unexplained: 0 };
  }
  // A sliding window opens one window length after the oldest request that it still counts.
  const sliding = facts.passedSince(resumesAt - previous.windowMs);
  const fits = isNear(sliding, previous.limit);
  // With responses slower than the window, no passed request may lie that far back: a quota is never 0 (rule G9).
  if (previous.slides && fits) return { ...previous, limit: Math.max(1, sliding), unexplained: 0 };
  if (windowMs >= 0.9 * previous.windowMs) {
    if (windowMs > 1.1 * previous.windowMs) return { limit: passed, windowMs, slides: false, unexplained: 0 };
    // Latency and rounded waits can only lengthen a whole window.
    const isWhole = passed >= previous.limit;
    return {
      ...previous,
      limit: passed,
      windowMs: isWhole ? Math.min(windowMs, previous.windowMs) : previous.windowMs,
      unexplained: 0,
    };
  }
  // Too early for the end of a window that began when the gate opened: it slides, if that explains the count.
  if (fits && sliding > passed) return { ...previous, limit: sliding, slides: true, unexplained: 0 };
  // Or the window before has not ended: a slow request had begun the one that taught its length, which is too short.
  const { before } = facts;
  if (before !== undefined && metAt - before.startedAt < 1.5 * previous.windowMs) {
    const limit = before.passed + passed;
    const joinedMs = resumesAt - before.startedAt;
    if (isNear(limit, previous.limit)) return { limit, windowMs: joinedMs, slides: false, unexplained: 0 };
  }
  if (previous.unexplained < maxUnexplained) return { ...previous, unexplained: previous.unexplained + 1 };
  return { limit: passed, windowMs, slides: false, unexplained: 0 };
}

function isNear(count: number, limit: number): boolean {
  return Math.abs(count - limit) <= Math.max(1, limit / 4);
}

/**
 * How many requests may be in flight beyond the estimate: one, until half the quota has passed beyond it, or as many as
 * fit into half a window one after the other; then two, and so on. An unchanged quota costs one refused request; one
 * that has grown is found within a few windows, however much it has grown.
 */
export function allowanceBeyond(beyond: number, quota: Quota, latencyMs: number): number {
  return 1 + Math.floor(2 * Math.max(0, beyond) * Math.max(1 / quota.limit, latencyMs / quota.windowMs));
}

/** A single unexplained limit may have another cause; after more in a row, the quota has changed. */
const maxUnexplained = 1;
/** The end of a longer window has no valid date, and no snapshot could hold it. */
const maxWindowMs = latestDateMs;
