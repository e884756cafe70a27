import type { RequestHandler } from 'msw';
import type { Clock } from '../internal/index.js';
import type { LimitFormat } from './wait-flaws.js';

/** Returns a `Response`, or any value to send as JSON (`undefined` becomes a 204). It may throw the errors of the contract. */
export type RouteHandler = (request: Request, context: RouteContext) => unknown;

export interface RouteContext {
  /** What the `:names` of the path stand for. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed body; `undefined` when it is not JSON. */
  readonly json: unknown;
  /** Number of the session that the request came with, 1 for the first. */
  readonly session: number | undefined;
}

/** What goes wrong with a request. Unless its kind says otherwise, the request is not processed. */
export type Fault =
  /** An error of the contract. @default `code` and `message` of the status */
  | {
      kind: 'status';
      status: number;
      code?: string;
      message?: string;
      detail?: string;
      headers?: Record<string, string>;
    }
  /** A rate limit, with any wait header. @default 1000 ms, in the header and format of `rateLimit` */
  | { kind: 'limit'; waitMs?: number; header?: string; format?: LimitFormat; status?: 403 | 429 | 503 }
  /** Ends the request's session and responds with 401. */
  | { kind: 'expired' }
  /** Resets the connection, with `processed` after processing the request. Over fetch: a network error. */
  | { kind: 'reset'; processed?: boolean }
  /** Never responds. */
  | { kind: 'hang' }
  /** Processes the request, then closes the connection halfway through the body. Over fetch: the body fails. */
  | { kind: 'truncated'; status?: number }
  /** Processes the request, sends half of the body, and stays silent. */
  | { kind: 'never-ending'; status?: number }
  /** An HTML error page, as a proxy sends it. @default 502 */
  | { kind: 'html'; status?: number }
  /** Processes the request, and sends the first byte `delayMs` later. */
  | { kind: 'slow'; delayMs: number }
  /** A body of `bytes` bytes. @default 200 with 134217728 bytes (128 MiB) */
  | { kind: 'huge'; bytes?: number; status?: number }
  /** Any other response. @default 200, text/plain */
  | { kind: 'body'; body: string; status?: number; headers?: Record<string, string> };

/** Which requests a fault or a step applies to. */
export interface Selection {
  /**
   * `'login'`, `'cleanup'`, or a route such as `'GET /issues/:id'`, `'/issues'`, `'POST'` or `'GET /files/*'`.
   *
   * @default every request but logins and cleanups
   */
  on?: string;
}

/** A fault and when it happens: every time, unless `at` or `every` says otherwise. */
export type FaultRule = Fault &
  Selection & {
    /** Which of the selected requests, counted from 1. */
    at?: number | readonly number[];
    /** Every Nth of the selected requests. */
    every?: number;
    /** At most this often. */
    times?: number;
  };

/** One planned request, or several of the same kind. */
export interface Step extends Selection {
  /** @default 'normal': the simulator's usual response */
  reply?: 'normal' | Fault | RouteHandler;
  /** How many requests. @default 1 */
  times?: number;
}

/** A record that the simulator keeps and offers under `/<name>`. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string | number };

/** An item as the simulator returns it, with the time of its last change (ISO 8601). */
export type StoredItem = Item & { readonly updatedAt: string };

/** A resource seen from inside the end system: to set it up, and to check what a synchronisation did. */
export interface SimulatedResource {
  /** All items, in the order of their last change. */
  all(): StoredItem[];
  get(id: string | number): StoredItem | undefined;
  /** Writes an item as if the end system had changed it. */
  set(item: Item): StoredItem;
  delete(id: string | number): boolean;
}

/** One request as it arrived, and its outcome. */
export interface JournalEntry {
  /** 1 for the first. */
  readonly number: number;
  readonly kind: 'login' | 'cleanup' | 'request';
  /** When it arrived: the time, and the milliseconds since the simulator was created. */
  readonly at: Date;
  readonly elapsedMs: number;
  readonly method: string;
  /** Without `basePath` and the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** All headers, session headers included; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The parsed body; `undefined` when it is not JSON. */
  readonly json: unknown;
  /** Number of the session that the request carried, or that a successful login created. */
  readonly session: number | undefined;
  /** `undefined` when no response was sent, or not yet. */
  readonly status: number | undefined;
  /** Why the simulator itself refused it. */
  readonly refused: Refusal | undefined;
  /** The wait that the response asked for, in milliseconds. */
  readonly waitMs: number | undefined;
  /** The fault that happened to it; `'answer'` when a function in the script responded. */
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
  /** Requests per window. Refused requests and logins do not count. */
  limit: number;
  windowMs: number;
  /** @default 'Retry-After' */
  header?: string;
  /** Any format of rule W4, or a flaw. @default 'seconds' */
  format?: LimitFormat;
  /** `fixed` windows start with their first request; `sliding` ones look back from each request. @default 'fixed' */
  window?: 'fixed' | 'sliding';
  /** One quota for everybody, or one per session. @default 'global' */
  scope?: 'global' | 'session';
  /**
   * What every response announces about the quota (rule W8), HTML faults apart: `policy` writes `RateLimit-Policy`, `both`
   * adds what is left in `RateLimit`. Times are whole seconds, rounded up.
   *
   * @default false
   */
  announce?: 'policy' | 'both' | false;
}

export interface SimulatedSession {
  /** The header that carries the session. @default 'x-session' */
  header?: string;
  /** How long a session lives, in milliseconds. @default forever */
  ttlMs?: number;
  /** How many requests a session serves. @default unlimited */
  maxRequests?: number;
  /** Refuses a session younger than this, in milliseconds. @default 0 */
  refuseFreshMs?: number;
  /** Refuses the first requests of each session, this many. @default 0 */
  refuseFreshRequests?: number;
}

export interface SimulateConnectorOptions {
  rateLimit?: SimulatedRateLimit;
  /** `false`: requests need no session. @default sessions that never end */
  session?: SimulatedSession | false;
  /** The parameters that initialize expects; it refuses others with 401. @default every login works */
  credentials?: Readonly<Record<string, string>>;
  /** @default '/initialize' */
  initializePath?: string;
  /** @default '/cleanup' */
  cleanupPath?: string;
  /** The prefix of all paths. @default '' */
  basePath?: string;
  /**
   * Responses by route (`'GET /issues/:id'`), or a fetch handler for everything, such as your own connector.
   *
   * @default without `routes` and `resources`, every request gets a 200 with its own method and path
   */
  routes?:
    | Readonly<Record<string, RouteHandler | object>>
    | ((request: Request) => Response | Promise<Response>)
    | { fetch(request: Request): Response | Promise<Response> };
  /**
   * Items to list, read, create, change and delete: `GET /issues?updatedSince=…&limit=…&cursor=…` returns
   * `{ items, nextCursor }`, oldest change first.
   */
  resources?: Readonly<Record<string, readonly Item[]>>;
  /** What goes wrong: rules, of which the first that applies counts, or a function that decides for each request. */
  faults?: readonly FaultRule[] | ((entry: JournalEntry) => Fault | undefined);
  /** Called with the journal's entry of each request, before its response is sent. */
  onEntry?: (entry: JournalEntry) => void;
  /** The source of time. @default the machine's clock */
  clock?: Clock;
}

/** A simulated connector that listens on 127.0.0.1. */
export interface ListeningConnector extends AsyncDisposable {
  /** Includes `basePath`. */
  readonly url: string;
  readonly port: number;
  /** Closes every connection at once, even in the middle of a response. */
  close(): Promise<void>;
}

export interface SimulatedConnector {
  /** The connector as a `fetch`: for the client, or as the handler of a server. */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>;
  /**
   * The connector as handlers for msw.
   *
   * @throws TypeError when `baseUrl` is not a URL; Error when msw is not installed.
   */
  handlers(baseUrl: string): RequestHandler[];
  /** The connector on a port of 127.0.0.1. @default a free port */
  listen(port?: number): Promise<ListeningConnector>;
  /** Every request so far in the order of arrival, credentials included. */
  readonly journal: readonly JournalEntry[];
  /**
   * Plans requests: each one takes the first unused step that applies to it, and gets a 501 `NOT_PLANNED` when none is
   * left. Logins and cleanups need steps only if the script has any for them.
   */
  script(steps: readonly Step[]): void;
  /**
   * @throws AccountingError with a table of the steps and faults that did not happen and the requests that were not planned.
   */
  assertAllConsumed(): void;
  /** Ends every session, so that the next request with one gets a 401. @returns how many sessions ended */
  expireSessions(): number;
  /** Uses up the quota: every request is refused for the next `windowMs`. @throws Error without `rateLimit` */
  useUpQuota(): void;
  /** @throws Error when `resources` has no such name. */
  resource(name: string): SimulatedResource;
}
