import type { Clock } from '../internal/index.js';
import type { Delay, Fault, FaultRule, RouteHandler, Selection, Step } from './fault-types.js';
import type { ImportedRecording, Recording } from './recording.js';
import type { LimitFormat } from './wait-flaws.js';

/** A record that the simulator keeps and offers under `/<name>`. */
export type Item = Readonly<Record<string, unknown>> & { readonly id: string | number };

/** An item as it is given to the simulator: an `interface` is no `Record`. */
export type GivenItem = Item | { readonly id: string | number };

/** An item as the simulator returns it, with the time of its last change (ISO 8601). */
export type StoredItem = Item & { readonly updatedAt: string };

/** A resource seen from inside the end system: to set it up, and to check what a synchronization did. */
export interface SimulatedResource {
  /** All items, in the order of their last change. */
  all(): StoredItem[];
  get(id: string | number): StoredItem | undefined;
  /** Writes an item as if the end system had changed it. */
  set(item: GivenItem): StoredItem;
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
  /** Of a parameter that is repeated, the last value; a route's `query` has them all. */
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
  /** The wait that the response asked for, in milliseconds; `undefined` with `format: 'missing'`. */
  readonly waitMs: number | undefined;
  /** The fault that happened to it; `'answer'` when a function in the script responded. */
  readonly fault: Fault['kind'] | 'answer' | undefined;
  /** What a route threw, which the response does not tell (rule E4), or another function of the test, such as `latency`. */
  readonly error: unknown;
}

export type Refusal =
  | 'wrong-credentials'
  | 'no-session'
  | 'session-ended'
  | 'session-too-fresh'
  | 'rate-limit'
  | 'not-planned';

export interface SimulatedRateLimit extends Selection {
  /**
   * Requests per window. Refused requests do not count, and logins only with `on: 'login'`. A function gets the milliseconds
   * since the simulator was created or reset: a quota that changes.
   */
  limit: number | ((elapsedMs: number) => number);
  windowMs: number;
  /** @default 'Retry-After' */
  header?: string | undefined;
  /** Any format of rule W4, or a flaw. @default 'seconds' */
  format?: LimitFormat | undefined;
  /** `fixed` windows start with their first request; `sliding` ones look back from each request. @default 'fixed' */
  window?: 'fixed' | 'sliding' | undefined;
  /** One quota for everybody, or one per session. @default 'global' */
  scope?: 'global' | 'session' | undefined;
  /**
   * What every response announces about the quota (rule W8), HTML faults apart: `policy` writes `RateLimit-Policy`, `both`
   * adds what is left in `RateLimit`. Times are whole seconds, rounded up.
   *
   * @default false
   */
  announce?: 'policy' | 'both' | false | undefined;
}

export interface SimulatedSession {
  /** The header that carries the session. @default 'x-session' */
  header?: string | undefined;
  /** How long a session lives, in milliseconds. @default forever */
  ttlMs?: number | undefined;
  /** How many requests a session serves. @default unlimited */
  maxRequests?: number | undefined;
  /** Refuses a session younger than this, in milliseconds. @default 0 */
  refuseFreshMs?: number | undefined;
  /** Refuses the first requests of each session, this many. @default 0 */
  refuseFreshRequests?: number | undefined;
}

export interface SimulateConnectorOptions {
  /** One quota, or several: those whose `on` selects a request all have to serve it, and the longest wait counts. */
  rateLimit?: SimulatedRateLimit | readonly SimulatedRateLimit[] | undefined;
  /** `false`: requests need no session. @default sessions that never end */
  session?: SimulatedSession | false | undefined;
  /** The parameters that initialize expects; it refuses others with 401. @default every login works */
  credentials?: Readonly<Record<string, string>> | undefined;
  /**
   * Who answers logins and cleanups: the simulator, or the fetch handler in `routes`, such as your own connector. The simulator
   * adds its `session` to what a login returns, so that it can end the sessions of your connector, too.
   *
   * @default 'simulated'
   */
  login?: 'simulated' | 'routes' | undefined;
  /** @default that of the recording, or '/initialize' */
  initializePath?: string | undefined;
  /** @default '/cleanup' */
  cleanupPath?: string | undefined;
  /** The prefix of all paths. @default '' */
  basePath?: string | undefined;
  /**
   * Responses by route (`'GET /issues/:id'`), or a fetch handler for everything, such as your own connector. A route of GET
   * serves HEAD, too, unless that has its own.
   *
   * @default without `routes`, `resources` and `recording`, every request gets a 200 with its own method and path
   */
  routes?:
    | Readonly<Record<string, RouteHandler | object>>
    | ((request: Request) => Response | Promise<Response>)
    | { fetch(request: Request): Response | Promise<Response> }
    | undefined;
  /**
   * Items to list, read, create, change and delete: `GET /issues?updatedSince=…&limit=…&cursor=…` returns
   * `{ items, nextCursor }`, oldest change first.
   */
  resources?: Readonly<Record<string, readonly GivenItem[]>> | undefined;
  /**
   * What `concordat record` has kept of a real connector, as parsed JSON: its responses, where no route or resource has one. A
   * request that was not recorded gets a 501 `NOT_RECORDED`. The path of the login and the session's first header are those of
   * the recording.
   */
  recording?: Recording | ImportedRecording | undefined;
  /** How long the first byte of every response takes. @default 0 */
  latency?: Delay | undefined;
  /** For the `random` that delays are computed with: the same seed, the same numbers. @default 1 */
  seed?: number | undefined;
  /**
   * What goes wrong: rules, of which the first that applies is used, or a function that decides for each request. Where this
   * or another function of the options fails or returns nonsense, the response is a 501 `TEST_MISTAKE` with the reason.
   */
  faults?: readonly FaultRule[] | ((entry: JournalEntry) => Fault | undefined) | undefined;
  /** How many entries the journal keeps, the latest; fewer for a simulator that runs for days. @default all */
  maxJournalEntries?: number | undefined;
  /** Called with the journal's entry of each request, just before its response is sent. */
  onEntry?: ((entry: JournalEntry) => void) | undefined;
  /** The source of time. @default the machine's clock */
  clock?: Clock | undefined;
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
  readonly fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>;
  /**
   * The connector as handlers for msw, below `baseUrl` and, unless that ends with it, `basePath`.
   *
   * @returns msw's `RequestHandler`s.
   * @throws TypeError when `baseUrl` is not a URL; Error when msw is not installed.
   */
  // biome-ignore lint/suspicious/noExplicitAny: with msw's type, TypeScript needs msw for every import of this subpath
  handlers(baseUrl: string): any[];
  /** The connector on a port of 127.0.0.1. @default a free port */
  listen(port?: number): Promise<ListeningConnector>;
  /** Every request so far in the order of arrival, credentials included; the latest `maxJournalEntries`. */
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
  /** Uses up every quota: every request is refused for the next `windowMs`. @throws Error without `rateLimit` */
  useUpQuota(): void;
  /**
   * Starts over, between tests: a new `journal`, no sessions, steps or used quota, every fault and `resources` as at first.
   * Servers and handlers stay.
   */
  reset(): void;
  /** @throws Error when `resources` has no such name. */
  resource(name: string): SimulatedResource;
}
