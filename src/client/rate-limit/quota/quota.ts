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
 * longer than a minute (rule G9).
 */
export interface QuotaAdvice {
  /** What is known of the quota. */
  readonly known: Quota | undefined;
  /** Whether so much is known that nobody has to go ahead to find out (rule G3). */
  readonly isKnown: boolean;
  /** Time has passed: windows end, and what is too old is forgotten. Called before {@link mayStart} is asked. */
  advance(): void;
  /** Whether one more may start, with so many in flight. */
  mayStart(inFlight: number): boolean;
  /** Where {@link mayStart} says no: how long until it is worth asking again although nothing has come back. */
  roomInMs(): number;
  started(isLogin: boolean, inFlight: number): void;
  ended(request: Ended): void;
  /**
   * A limit closed the gate, or holds for longer.
   *
   * @param startedAt when the request went out that met it; missing for logins, and where somebody else met it.
   */
  limited(waitMs: number, startedAt: number | undefined): void;
  /** The pause is over. */
  opened(): void;
  /** Begins with what was learned before; what was learned here counts more. */
  seed(quota: Quota): void;
}
