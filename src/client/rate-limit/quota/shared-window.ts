/** What a process tells the state about its permits, and what it asks for. All numbers are finite; none is negative. */
export interface LeaseRequest {
  /** The window that the process last heard of; 0 for none. What it reports belongs to that window. */
  readonly window: number;
  /** How many permits it can use; 0 only reports. */
  readonly want: number;
  /** Its place in line from an earlier answer; 0 for none. */
  readonly ticket: number;
  /** How many of its permits were not used or were refused. */
  readonly returned: number;
  /** 1 if the probe that it was given has passed. */
  readonly probed: number;
  /** How long a limit still lasts, if it has met or heard of one; else 0. */
  readonly limitedMs: number;
  /** The first limit or announcement: how many requests this process has sent by then. */
  readonly learned: number;
  /** How long their window is. */
  readonly learnedMs: number;
  /** A quota that the connector has announced; 0 for none. */
  readonly announced: number;
  /** How long its windows are. */
  readonly announcedMs: number;
}

/** The state's answer. All numbers are finite; none is negative. */
export interface Lease {
  /** The number of the window. */
  readonly window: number;
  /** The quota of all processes; 0 while none is known, and then nothing is leased. */
  readonly limit: number;
  /** How long its windows are. */
  readonly windowMs: number;
  /** How many requests this process may start in this window. */
  readonly granted: number;
  /** 1 if it may start one more, alone, to find out whether the quota has grown. */
  readonly probe: number;
  /** When the permits, or the time to ask again, begin. A pause takes nothing away from what begins after it. */
  readonly startsInMs: number;
  /** How long the permits are good for. */
  readonly endsInMs: number;
  /** How long it does not ask again. */
  readonly waitMs: number;
  /** Its place in line; 0 for none. */
  readonly ticket: number;
}

const numbers = [
  ...(['window', 'limit', 'windowMs', 'granted', 'probe'] as const),
  ...(['startsInMs', 'endsInMs', 'waitMs', 'ticket'] as const),
] satisfies (keyof Lease)[];

/** Whether all numbers are there, finite, and not negative. A state that answers otherwise counts as away. */
export function isLease(answer: Lease | undefined): answer is Lease {
  return numbers.every((name) => Number.isFinite(answer?.[name]) && (answer?.[name] as number) >= 0);
}

/** The book-keeping of one quota that many processes share. Times are on the clock of the state. */
export interface SharedWindow {
  /** Counts the windows; 0 before the first limit or announcement. */
  window: number;
  limit: number;
  windowMs: number;
  opensAt: number;
  endsAt: number;
  /** 1 once a limit has ended the window early. */
  closed: number;
  /** 1 for a window that slides, or for an announced quota, whose kind is unknown. */
  slides: number;
  /** The limit that was announced; 0 for none. A smaller one is in effect if that proved too large. */
  announced: number;
  /** The window in which the limit was first met or announced; 0 if there was none. */
  learning: number;
  /** How many permits are out in this window, without those that were returned. */
  out: number;
  /** How many processes have asked in this window, and in the one before. */
  askers: number;
  before: number;
  /** 1 once somebody has the right to probe. */
  probing: number;
  /** Places in line: the next one to give, the first one whose turn has not come, and those due that have not asked. */
  tail: number;
  head: number;
  due: number;
  /** When the last process in line for a sliding window may send. */
  lineAt: number;
  /** Permits by the time for which they are leased: start of a slice of the window, number, and so on. */
  slices: number[];
}
