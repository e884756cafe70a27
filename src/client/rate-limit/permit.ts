/** The right to have one request in flight. Whoever has it gives it back, by what came of the request. */
export interface Permit {
  /** Which opening of the gate it belongs to. */
  readonly epoch: number;
  readonly isLogin: boolean;
  /** On the gate's monotonic clock. */
  readonly startedAt: number;
}
