import type { RequestHandler } from 'msw';
import type { Clock } from '../internal/index.js';
import type { LimitFormat } from './wait-flaws.js';

/** A route's answer: a `Response`, or anything else to send as JSON; `undefined` is a 204. It may throw contract errors. */
export type RouteHandler = (request: Request, context: RouteContext) => unknown;

export interface RouteContext {
  /** What the `:names` of the path stand for. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body as JSON; `undefined` when it is none. */
  readonly json: unknown;
  /** Number of the session that the request came with, 1 for the first. */
  readonly session: number | undefined;
}

/** What goes wrong with a request. Where nothing else is said the request is not processed. */
export type Fault =
  /** An error of the contract. @default for `code` and `message`: those of the status */
  | {
      kind: 'status';
      status: number;
      code?: string;
      message?: string;
      detail?: string;
      headers?: Record<string, string>;
    }
  /** A rate limit, with a wait header written in any way. @default 1000 ms, and the header and format of `rateLimit` */
  | { kind: 'limit'; waitMs?: number; header?: string; format?: LimitFormat; status?: 403 | 429 | 503 }
  /** Ends the request's session and answers 401. */
  | { kind: 'expired' }
  /** Resets the connection; with `processed` only after the request has had its effect. Over fetch: a network error. */
  | { kind: 'reset'; processed?: boolean }
  /** Never answers. */
  | { kind: 'hang' }
  /** Processes the request, and ends the connection in the middle of the body. Over fetch: the body fails. */
  | { kind: 'truncated'; status?: number }
  /** Processes the request, sends half of the body, and no more. */
  | { kind: 'never-ending'; status?: number }
  /** A page as a proxy shows it. @default 502 */
  | { kind: 'html'; status?: number }
  /** Processes the request, and sends the first byte that much later. */
  | { kind: 'slow'; delayMs: number }
  /** A body of so many bytes. @default 200 with 134217728 bytes (128 MiB) */
  | { kind: 'huge'; bytes?: number; status?: number }
  /** Any other answer. @default 200, text/plain */
  | { kind: 'body'; body: string; status?: number; headers?: Record<string, string> };

/** Which requests a fault or a step is for. */
export interface Selection {
  /**
   * `'login'`, `'cleanup'`, or a route such as `'GET /issues/:id'`, `'/issues'`, `'POST'` or `'GET /files/*'`.
   *
   * @default every request but logins and cleanups
   */
  on?: string;
}

/** A fault and when it happens: without `at` and `every` each time. */
export type FaultRule = Fault &
  Selection & {
    /** Which of the selected requests, counted from 1. */
    at?: number | readonly number[];
    /** Every so many of the selected requests. */
    every?: number;
    /** How often at most. */
    times?: number;
  };

/** One planned request, or several that are alike. */
export interface Step extends Selection {
  /** @default 'normal': what the simulator answers by itself */
  reply?: 'normal' | Fault | RouteHandler;
  /** How many requests. @default 1 */
  times?: number;
}

/** A record that the simulator keeps and offers under `/<name>`. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string | number };

/** An item as it is answered: with the time of its last change, ISO 8601. */
export type StoredItem = Item & { readonly updatedAt: string };

/** The simulator's own view of a resource: for setting it up, and for comparing what a synchronisation did. */
export interface SimulatedResource {
  /** All items, in the order of their last change. */
  all(): StoredItem[];
  get(id: string | number): StoredItem | undefined;
  /** Writes an item as if the end system had changed it. */
  set(item: Item): StoredItem;
  delete(id: string | number): boolean;
}

/** One request as it arrived, and what came of it. */
export interface JournalEntry {
  /** 1 for the first. */
  readonly number: number;
  readonly kind: 'login' | 'cleanup' | 'request';
  /** When it arrived: by the calendar, and in milliseconds since the simulator was made. */
  readonly at: Date;
  readonly elapsedMs: number;
  readonly method: string;
  /** Without `basePath` and query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case; session headers and all. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON; `undefined` when it is none. */
  readonly json: unknown;
  /** Number of the session that it came with; of a login that worked, of the one handed out. */
  readonly session: number | undefined;
  /** `undefined` when no answer was sent, or not yet. */
  readonly status: number | undefined;
  /** Why the simulator itself refused it. */
  readonly refused: Refusal | undefined;
  /** How long it was told to wait, in milliseconds. */
  readonly waitMs: number | undefined;
  /** The fault that happened to it; `'answer'` for a scripted function. */
  readonly fault: Fault['kind'] | 'answer' | undefined;
}

export type Refusal =
  | 'wrong-credentials'
  | 'no-session'
  | 'session-ended'
  | 'session-too-fresh'
  | 'rate-limit'
  | 'not-planned';

export interface SimulatedRateLimit {
  /** How many requests a window allows. Refused ones do not count, nor do logins. */
  limit: number;
  windowMs: number;
  /** @default 'Retry-After' */
  header?: string;
  /** Any format of rule W4, or a flaw. @default 'seconds' */
  format?: LimitFormat;
  /** `fixed` starts with the first request in it; `sliding` looks back from each request. @default 'fixed' */
  window?: 'fixed' | 'sliding';
  /** One quota for all, or one for each session. @default 'global' */
  scope?: 'global' | 'session';
  /**
   * What every response tells of the quota beforehand (rule W8), but for a proxy's page: `policy` writes `RateLimit-Policy`,
   * `both` also what is left, in `RateLimit`. Times are in whole seconds, rounded up.
   *
   * @default false
   */
  announce?: 'policy' | 'both' | false;
}

export interface SimulatedSession {
  /** The header that carries it. @default 'x-session' */
  header?: string;
  /** How long a session lives. @default for ever */
  ttlMs?: number;
  /** How many requests a session serves. @default any number */
  maxRequests?: number;
  /** A session younger than this is refused. @default 0 */
  refuseFreshMs?: number;
  /** The first so many requests of each session are refused. @default 0 */
  refuseFreshRequests?: number;
}

export interface SimulateConnectorOptions {
  rateLimit?: SimulatedRateLimit;
  /** `false`: no session is asked for. @default sessions that never end */
  session?: SimulatedSession | false;
  /** What initialize must be given; anything else is answered 401. @default every login works */
  credentials?: Readonly<Record<string, string>>;
  /** @default '/initialize' */
  initializePath?: string;
  /** @default '/cleanup' */
  cleanupPath?: string;
  /** The path in front of all others. @default '' */
  basePath?: string;
  /**
   * Answers by route, `'GET /issues/:id'`, or a fetch handler for everything: a connector of yours, for one.
   *
   * @default without `routes` and `resources` every request is answered 200 with its own method and path
   */
  routes?:
    | Readonly<Record<string, RouteHandler | object>>
    | ((request: Request) => Response | Promise<Response>)
    | { fetch(request: Request): Response | Promise<Response> };
  /**
   * Items to list, read, create, change and delete: `GET /issues?updatedSince=…&limit=…&cursor=…` answers
   * `{ items, nextCursor }`, oldest change first.
   */
  resources?: Readonly<Record<string, readonly Item[]>>;
  /** What goes wrong, by rule or by a function that looks at each request. The first rule that applies counts. */
  faults?: readonly FaultRule[] | ((entry: JournalEntry) => Fault | undefined);
  /** Called when an answer is decided, with the entry that the journal keeps. */
  onEntry?: (entry: JournalEntry) => void;
  /** Where time comes from. @default the machine's clock */
  clock?: Clock;
}

/** A simulated connector that listens on 127.0.0.1. */
export interface ListeningConnector extends AsyncDisposable {
  /** With `basePath`. */
  readonly url: string;
  readonly port: number;
  /** Ends every connection, in the middle of an answer, too. */
  close(): Promise<void>;
}

export interface SimulatedConnector {
  /** Answers as the connector: a fetch for the client, and a handler for servers that speak fetch. */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>;
  /**
   * The connector as handlers for msw.
   *
   * @throws TypeError when `baseUrl` is no URL; Error when msw is not installed.
   */
  handlers(baseUrl: string): RequestHandler[];
  /** The connector on a port of 127.0.0.1. @default a free one */
  listen(port?: number): Promise<ListeningConnector>;
  /** Every request so far, in the order of arrival, credentials and all. */
  readonly journal: readonly JournalEntry[];
  /**
   * Plans requests. Each takes the first unused step that is for it. From then on a request that no step is left for is
   * answered 501 `NOT_PLANNED`; logins and cleanups only where a step is for logins or cleanups.
   */
  script(steps: readonly Step[]): void;
  /**
   * @throws AccountingError with a table of what was planned, by steps or faults, and did not happen, and of what happened
   *   and was not planned.
   */
  assertAllConsumed(): void;
  /** Ends every session; the next request that uses one gets a 401. @returns how many there were */
  expireSessions(): number;
  /** Uses up the quota: for `windowMs` from now everything is refused. @throws Error without `rateLimit` */
  useUpQuota(): void;
  /** @throws Error when `resources` has no such name. */
  resource(name: string): SimulatedResource;
}
