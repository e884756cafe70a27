import type { Schedule } from './schedule.js';

/** Who made a request: the number of a call, or the client on its own account. */
export type Sender = number | 'login' | 'cleanup';

/** How long a limit asks to wait, as an observer beside the client reads it. */
export interface AskedWait {
  source: 'seconds' | 'date' | 'fallback';
  /** The least that has to be waited from the moment of delivery. */
  waitMs: number;
}

/** How a call ended, reduced to what the rules speak of. */
export type Outcome =
  | { type: 'resolved'; status: number; data: unknown }
  | { type: 'aborted' }
  | {
      type: 'rejected';
      name: string;
      kind?: string | undefined;
      code?: string | undefined;
      status?: number | undefined;
      /** Only of limits: monotonic time of `resumeAt`. */
      resumeAtMs?: number | undefined;
    };

/**
 * One thing that happened. `at` is monotonic time; entries of the same time are in the order in which they happened. `client` and
 * `scope` are there where the schedule has several.
 */
export type Entry = { at: number; client?: number; scope?: string } & (
  | { what: 'called'; call: number }
  | { what: 'aborted'; call: number }
  | { what: 'settled'; call: number; outcome: Outcome }
  | { what: 'sent'; exchange: number; by: Sender; session: number | undefined; stray?: string | undefined }
  | { what: 'effect'; exchange: number; by: Sender; body: string | undefined }
  | { what: 'answered'; exchange: number; by: Sender; session: number | undefined; status: number; asked?: AskedWait }
  /** `status` is there where only the body was cut off. */
  | { what: 'failed'; exchange: number; by: Sender; session: number | undefined; status?: number }
  | { what: 'cancelled'; exchange: number; by: Sender }
  | { what: 'session'; session: number }
  | { what: 'pause'; waitMs: number; source: 'header' | 'fallback'; resumeAtMs: number }
  | { what: 'resume'; pausedMs: number }
  | { what: 'heartbeat' }
  | { what: 'quota'; quota: { limit: number; windowMs: number } | undefined }
  | { what: 'initialize'; generation: number }
  | { what: 'retry'; by: Sender; delayMs: number }
  | { what: 'closing' }
  | { what: 'closed' }
  | { what: 'jumped'; milliseconds: number }
  | { what: 'leak'; text: string }
  | { what: 'stuck'; text: string }
  /** Calls wait at an open gate, nothing is on its way, and no timer of the client is due within a minute. */
  | { what: 'asleep'; waiting: number; dueInMs: number | undefined }
  /** A snapshot as JSON, and what a client that began with it gave as its own; or why it could not begin. */
  | { what: 'snapshot'; snapshot: number; json: string; again?: string; refused?: string }
  /** The client of this number begins with that snapshot. */
  | { what: 'restarted'; snapshot: number }
  | { what: 'left'; timers: number; held: number; listeners: number; exchanges: number; when: 'quiet' | 'closed' }
);

export type EntryOf<What extends Entry['what']> = Extract<Entry, { what: What }>;

/** All that happened in one run. */
export interface Trace {
  schedule: Schedule;
  entries: Entry[];
  /** Of a part: the entries of all clients of its process that share a state. */
  ofProcess?: readonly Entry[];
}

/** The entries of one sort. */
export function entriesOf<What extends Entry['what']>(trace: Trace, what: What): EntryOf<What>[] {
  return trace.entries.filter((entry): entry is EntryOf<What> => entry.what === what);
}

/** The trace as text, one line an entry. */
export function formatTrace(trace: Trace): string {
  return trace.entries
    .map(
      ({ at, what, ...rest }) =>
        `${String(Math.round(at * 1000) / 1000).padStart(10)}  ${what.padEnd(10)} ${JSON.stringify(rest)}`,
    )
    .join('\n');
}
