/** Everything that happens in one simulated run, as plain JSON: it can be printed, kept and run again. All times are in milliseconds. */
export interface Schedule {
  /** Seeds `Math.random` while the schedule runs. */
  random: number;
  client: ClientPlan;
  connector: ConnectorPlan;
  calls: CallPlan[];
  commands: Command[];
  /** Several clients that share one state. @default one client, with a state of its own */
  fleet?: FleetPlan | undefined;
}

export interface FleetPlan {
  size: number;
  /** Whether they have one clock, as in one process, or one each, as a state has to expect that does not know how old a session is. */
  clocks: 'one' | 'each';
  /** How the state leases permits. @default it does not */
  leases?: LeasePlan | undefined;
}

export interface LeasePlan {
  /** How long questions take to the state, and answers back, in turn. */
  answersMs: number[];
  /** What becomes of the questions, in turn. A forgetful state has lost what it knew. */
  fates: ('answered' | 'away' | 'silent' | 'forgetful' | 'nonsense')[];
}

export interface ClientPlan {
  /** How the client reaches the connector: undici's dispatch interface, or a `fetch`. */
  transport: 'dispatcher' | 'fetch';
  concurrency: number;
  pacing: 'auto' | 'off';
  retries: number;
  jitterMs: number;
  timeoutMs: number;
  fallbackWaitMs: number;
  maxWaitMs: number;
  maxTotalWaitMs?: number | undefined;
  loginTimeoutMs: number;
  loginCooldownMs: number;
  freshSessionGraceMs: number;
  cleanup: boolean;
  /** With `reject`, calls that a limit has ended are made again at their `resumeAt`. @default 'wait' */
  onLimit?: 'wait' | 'reject' | undefined;
  /** So many gates: call number n passes the one with the number n modulo `scopes`, and each has a quota of its own. @default 1 */
  scopes?: number | undefined;
  /** Whether a snapshot is also taken at every `pause`, `resume` and `quota` event. @default false */
  snapshots?: boolean | undefined;
}

export interface ConnectorPlan {
  quota?: Quota | undefined;
  /** Whether logins count against the quota. */
  limitsLogins: boolean;
  /** Whether the quota is looked at before the session. */
  limitsFirst: boolean;
  session: SessionPlan;
  /** What becomes of the first logins; those after them succeed. */
  logins: LoginFate[];
  /** What becomes of the first requests; those after them are answered as session and quota say. */
  faults: Fault[];
  /** How limits are written, in turn. */
  waits: WaitStyle[];
  /** How long requests take to arrive, in turn. @default no time */
  upstreamMs?: number[] | undefined;
  /** How long answers take from there, in turn. */
  latenciesMs: number[];
  /** How long requests wait for a socket, in turn (dispatcher only). */
  queuesMs: number[];
  /** After so many exchanges the connector is well for ever. @default 80 */
  troubledExchanges?: number | undefined;
  /** How the quota is told in the headers `RateLimit-Policy` and `RateLimit`. @default it is not */
  announces?: Announcement | undefined;
}

/**
 * `right`: what the quota is and what is left of it. `high` and `low`: three times as much, or a third of it. `empty`: that nothing is
 * left, in every answer. `nonsense`: headers that mean nothing.
 */
export type Announcement = 'right' | 'high' | 'low' | 'empty' | 'nonsense';

export interface Quota {
  /** Windows of the calendar, one that slides, or windows that begin with their first request. */
  type: 'fixed' | 'sliding' | 'begun';
  limit: number;
  windowMs: number;
}

export interface SessionPlan {
  ttlMs?: number | undefined;
  maxRequests?: number | undefined;
  /** How long a new session is refused. */
  refusedForMs: number;
  /** Whether a login ends the sessions before it. */
  single: boolean;
}

export type LoginFate =
  | { type: 'ok' | 'hang' | 'reset' | 'lost' | 'cut' | 'nonsense' }
  | { type: 'slow'; delayMs: number }
  | { type: 'error'; status: 500 | 503 }
  | { type: 'refused'; status: 400 | 401 | 403 }
  | { type: 'limited' };

/** `lost` and `failed` happen after the request has taken effect, the others before. */
export type Fault =
  | { type: 'none' | 'reset' | 'lost' | 'cut' | 'hang' | 'limited' }
  | { type: 'error'; status: 500 | 502 | 503 | 504 }
  | { type: 'failed'; status: 500 }
  | { type: 'denied'; status: 400 | 403 | 404 }
  | { type: 'unauthorized'; delayMs: number };

export type WaitStyle =
  | 'exact'
  | 'zero'
  | 'past'
  | 'date'
  | 'dated'
  | 'duplicated'
  | 'long'
  | 'huge'
  | 'invalid'
  | 'empty'
  | '429'
  | '429-bare'
  | '503';

export interface CallPlan {
  atMs: number;
  /** Which of a fleet makes it. @default 0 */
  client?: number | undefined;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body: 'none' | 'json' | 'factory' | 'stream';
  idempotent?: boolean | undefined;
  abortAfterMs?: number | undefined;
  timeoutMs?: number | undefined;
  totalTimeoutMs?: number | undefined;
}

export type Command =
  | { atMs: number; type: 'expire' }
  /** Closes a client: that one of a fleet, or the one there is. */
  | { atMs: number; type: 'close'; client?: number | undefined }
  /** Takes a snapshot, and keeps it. */
  | { atMs: number; type: 'snapshot' }
  /**
   * Closes the client, makes another one with a snapshot, and makes the calls again that the end has cut off. The snapshot is taken
   * before or after the end, or is the last one that was kept.
   */
  | { atMs: number; type: 'restart'; snapshot: 'before' | 'after' | 'kept' }
  | { atMs: number; type: 'jump'; milliseconds: number }
  | { atMs: number; type: 'quota'; limit: number };
