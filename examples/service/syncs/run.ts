import type { Quota } from 'concordat/client';

/** `finished`: both ends are equal. `interrupted`: the process that ran it is gone. */
export type RunState = 'running' | 'finished' | 'failed' | 'stopped' | 'interrupted';

/** What began a run: the service's start, its schedule, `--once`, or somebody on the page. */
export type RunTrigger = 'start' | 'schedule' | 'once' | 'user';

/** One of the two connections of a run, as far as the run has come. */
export interface RunConnection {
  /** `Source` or `Target`. */
  readonly name: string;
  /** `owner/name` */
  readonly repository: string;
  readonly session: 'none' | 'active' | 'renewing';
  readonly requests: number;
  /** Requests that a rate limit refused. */
  readonly refused: number;
  readonly logins: number;
  readonly pauses: number;
  readonly waitedMs: number;
  /** What the client has learned of the connector's limit. */
  readonly quota: Quota | null;
}

/** What changes while a run goes on. */
export interface RunFacts {
  /** `Reading`, `Writing`, `Verifying`; empty before the first. */
  readonly phase: string;
  /** Issues of this phase, of `total` where that is known; else 0. */
  readonly done: number;
  readonly total: number;
  readonly read: number;
  readonly written: number;
  readonly unchanged: number;
  /** Issues that the target refused. */
  readonly failed: number;
  readonly connections: readonly RunConnection[];
}

/** Times are milliseconds since 1970. */
export interface Run extends RunFacts {
  readonly id: number;
  readonly connector: string;
  readonly state: RunState;
  readonly trigger: RunTrigger;
  /** Who started or stopped it on the page. */
  readonly startedBy: string | null;
  readonly stoppedBy: string | null;
  /** The run that ended early and whose work this one goes on with. */
  readonly resumes: number | null;
  readonly startedMs: number;
  /** When its process last wrote something down. */
  readonly lastSeenMs: number;
  readonly endedMs: number | null;
  readonly error: string | null;
}

/** Requests of one connection in one second. Seconds without any are left out. */
export interface Sample {
  readonly connection: string;
  /** Since 1970; in a summary of several seconds, the first of them. */
  readonly second: number;
  readonly requests: number;
  readonly refused: number;
}

export type RunEventData =
  | {
      readonly type: 'pause';
      readonly untilMs: number;
      readonly source: 'header' | 'fallback';
      /** `null` while it lasts. */
      readonly endedMs: number | null;
    }
  | { readonly type: 'login'; readonly reason: 'first' | 'expired' }
  | { readonly type: 'retry'; readonly delayMs: number; readonly message: string }
  | { readonly type: 'quota'; readonly quota: Quota }
  | { readonly type: 'refused'; readonly message: string };

/** Something that happened to a connection, or to the run where there is none. */
export type RunEvent = RunEventData & {
  readonly id: number;
  readonly connection: string | null;
  readonly atMs: number;
};

/** A run, and what has been written down of it since a revision. */
export interface RunUpdate {
  /** Rises with everything that is written down, over all runs. */
  readonly revision: number;
  /** Whether this is everything there is, not only what is new. */
  readonly whole: boolean;
  readonly nowMs: number;
  readonly run: Run;
  readonly samples: readonly Sample[];
  readonly events: readonly RunEvent[];
}

export const noFacts: RunFacts = {
  phase: '',
  done: 0,
  total: 0,
  read: 0,
  written: 0,
  unchanged: 0,
  failed: 0,
  connections: [],
};
