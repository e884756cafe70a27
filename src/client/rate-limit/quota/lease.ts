/** What a process tells the state about its permits, and what it asks for. All numbers are finite. */
export interface LeaseRequest {
  /** The window of which the process last heard; 0 for none. */
  readonly window: number;
  /** How many permits it can use; 0 only tells. */
  readonly want: number;
  /** Its place in line from the last answer; 0 for none. */
  readonly ticket: number;
  /** 1 if the probe that it was given has passed. */
  readonly probed: number;
  /** At a limit: permits of this window whose requests did not pass. Negative: so many passed without permits. */
  readonly unused: number;
  /** How long a limit that it has met still lasts; 0 without one. */
  readonly limitedMs: number;
  /** How long windows are, as the process has learned by itself; 0 if it has not. */
  readonly windowMs: number;
}

/** The state's answer. All numbers are finite; none is negative. */
export interface Lease {
  /** The number of the window. */
  readonly window: number;
  /** The quota of all processes; 0 while none is known, and then no permits are needed. */
  readonly limit: number;
  /** How long its windows are. */
  readonly windowMs: number;
  /** How many requests this process may start in this window. */
  readonly granted: number;
  /** 1 if that is a probe: one request beyond the quota, to find out whether that has grown. */
  readonly probe: number;
  /** When the permits begin. */
  readonly startsInMs: number;
  /** When they end. */
  readonly endsInMs: number;
  /** How long the process does not ask again. */
  readonly waitMs: number;
  /** Its place in line; 0 for none. */
  readonly ticket: number;
  /** 1 if the process knows a later window: the state has lost what it knew. */
  readonly lost: number;
}

const numbers = [
  ...(['window', 'limit', 'windowMs', 'granted'] as const),
  ...(['probe', 'startsInMs', 'endsInMs', 'waitMs', 'ticket', 'lost'] as const),
] satisfies (keyof Lease)[];

/** Whether an answer of the state is one: all numbers are there, finite, and not negative. */
export function isLease(answer: Lease | undefined): answer is Lease {
  return numbers.every((name) => Number.isFinite(answer?.[name]) && (answer?.[name] as number) >= 0);
}

/** How much later than the connector's a window opens. */
export function opensLateMs(windowMs: number): number {
  return Math.floor(Math.min(250, windowMs / 64));
}
