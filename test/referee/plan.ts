// What a scenario is: everything below is data, so that it can be printed, and made again from its seed.

/** What the judge connector does with a request that session and quota let through. */
export type Fate =
  | 'ok'
  | '400'
  | '403'
  | '404'
  | '409'
  | '500'
  | '502'
  | '503'
  | '504'
  /** The work is done, then the connection breaks before the answer. */
  | 'reset'
  /** A success that breaks off in the middle of its body. */
  | 'cut'
  /** No answer until the client gives up. */
  | 'hang'
  /** The session is refused although it lives. */
  | '401'
  /** A limit out of turn, in one of the forms of rules W2, W3 and W6. */
  | 'limit-403'
  | 'limit-429'
  | 'limit-503'
  | 'limit-bare-429'
  | 'limit-unreadable';

/** What an attempt to log in leads to. */
export type LoginFate = 'ok' | '500' | '503' | 'reset' | 'cut' | 'hang' | 'refused' | 'limit-403' | 'junk';

export interface QuotaPlan {
  readonly limit: number;
  readonly windowMs: number;
  readonly kind: 'fixed' | 'sliding';
  /** Whether logins count against it. */
  readonly countsLogins: boolean;
  readonly answer: 'limit-403' | 'limit-429' | 'limit-503';
  /** One quota for each scope; else one for all. */
  readonly byScope: boolean;
}

export interface SessionPlan {
  /** A session ends this long after its login, whether or not anybody calls. @default never */
  readonly lifeMs?: number;
  /** A session ends after so many requests. @default never */
  readonly lifeRequests?: number;
  /** Some of the 401s come only after this long. */
  readonly late401Ms: number;
}

export type Announced = 'right' | 'right-among-others' | 'too-wide' | 'too-narrow' | 'unreadable';

/** What all answers say of the quota, those of logins too (rule W8): the truth or something else. */
export interface Announcement {
  readonly kind: Announced;
  readonly policy: string;
  readonly limit: string;
}

export interface CallPlan {
  readonly id: number;
  readonly client: number;
  readonly atMs: number;
  readonly method: 'GET' | 'PUT' | 'DELETE' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body: 'none' | 'json' | 'text' | 'stream';
  readonly idempotent?: boolean;
  readonly priority?: number;
  readonly totalTimeoutMs?: number;
  readonly abortAtMs?: number;
  /** One for each attempt that session and quota let through; the last one stays. */
  readonly fates: readonly Fate[];
}

/** Something that happens to a client in the middle of the run. */
export interface StepPlan {
  readonly atMs: number;
  readonly client: number;
  /** `replace`: snapshot, close, and a new client with that snapshot, by its option or by `restore`. */
  readonly step: 'close' | 'replace-by-option' | 'replace-by-restore';
}

export interface ClientPlan {
  /** Clients of one state share session and pause; each state has an account of its own. */
  readonly state: number;
  readonly concurrency: number;
  /** How requests go out, and so what the referee sees of them. */
  readonly transport: 'default' | 'dispatcher' | 'fetch';
  /** Whether the clock is one that counts timers: one for all clients of a state that have it. */
  readonly countsTimers: boolean;
}

export interface Scenario {
  readonly seed: number;
  readonly clients: readonly ClientPlan[];
  readonly calls: readonly CallPlan[];
  readonly steps: readonly StepPlan[];
  readonly logins: readonly LoginFate[];
  readonly quota?: QuotaPlan;
  readonly session: SessionPlan;
  readonly announcement?: Announcement;
  readonly latency: {
    readonly leastMs: number;
    readonly spreadMs: number;
    readonly tailMs: number;
    readonly tails: number;
  };
  readonly options: {
    readonly waitHeader: 'x-wait' | 'retry-after';
    readonly onLimit: 'wait' | 'reject';
    readonly pacing: 'auto' | 'off';
    readonly jitterMs: number;
    readonly fallbackWaitMs: number;
    readonly maxWaitMs?: number;
    readonly maxTotalWaitMs?: number;
    readonly scoped: boolean;
    readonly retries: number;
    readonly minTimeoutMs: number;
    readonly maxTimeoutMs: number;
    readonly timeoutMs: number;
    readonly loginTimeoutMs: number;
    readonly loginCooldownMs: number;
    readonly freshSessionGraceMs: number;
    readonly cleanup: boolean;
  };
}

/** Names the limit that a path counts against, as both sides of a scoped scenario see it. */
export const scopeOf = (path: string): string => (path.startsWith('/search') ? 'search' : 'core');

/** What a method may have done to it twice (rule G7). */
export const isIdempotent = ({ method, idempotent }: CallPlan): boolean =>
  idempotent ?? (method === 'GET' || method === 'PUT' || method === 'DELETE');
