/** What a request says about the limit: it passed, it says nothing (no response, or a 401), or it was never sent. */
export type PermitOutcome = 'passed' | 'unknown' | 'unsent';

/** A request that has ended without meeting a limit. */
export interface EndedRequest {
  readonly outcome: PermitOutcome;
  readonly isLogin: boolean;
  /** Whether it had started before the last limit was met. */
  readonly isLate: boolean;
  /** On the monotonic clock. */
  readonly startedAt: number;
}
