import type { Quota } from '../../events.js';

/** What came of a request: a response that was no limit, nothing that says anything about the limit, or it was never sent. */
export type Passage = 'passed' | 'unknown' | 'unsent';

/** What a quota is told of a request that has ended without meeting a limit. */
export interface Ended {
  readonly passage: Passage;
  readonly isLogin: boolean;
  /** Whether it had gone out before the last limit was met. */
  readonly isLate: boolean;
}

/**
 * Advice on how many requests may go. It slows and never stops: the gate asks, and with nothing in flight does not wait for
 * longer than a minute (rule G9). Times are on the gate's monotonic clock.
 */
export interface QuotaAdvice {
  /** What is known of the quota. */
  known(now: number): Quota | undefined;
  /** Whether so much is known that nobody has to go ahead to find out (rule G3). */
  isKnown(now: number): boolean;
  /** Time has passed: windows end, and what is too old is forgotten. Called before the other questions are asked. */
  advance(now: number): void;
  /** Whether one more may start, with so many in flight. */
  mayStart(now: number, inFlight: number): boolean;
  /** Where {@link mayStart} says no: when to ask again although nothing has come back. */
  roomAt(now: number): number;
  started(now: number, isLogin: boolean, inFlight: number): void;
  ended(now: number, request: Ended): void;
  /** A limit closed the gate, or holds for longer. */
  limited(now: number, resumesAt: number, inFlight: number): void;
  /** The pause is over. */
  opened(now: number): void;
  /** Begins with what was learned before; what was learned here counts more. */
  seed(now: number, quota: Quota): void;
}
