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

/**
 * Milliseconds, or a function that computes them from a seeded random: `(random) => 50 + 200 * random()`. `random()` is at
 * least 0 and less than 1.
 */
export type Delay = number | ((random: () => number) => number);

/**
 * What goes wrong with a request. Unless its kind says otherwise, the request is not processed. `delayMs` is how much later
 * it goes wrong.
 */
export type Fault =
  /** An error of the contract, by default with the `code` and `message` of the status. */
  | {
      kind: 'status';
      status: number;
      code?: string | undefined;
      message?: string | undefined;
      detail?: string | undefined;
      headers?: Record<string, string> | undefined;
      delayMs?: Delay | undefined;
    }
  /** A rate limit, with any wait header: by default 1000 ms, in the header and format of `rateLimit`. */
  | {
      kind: 'limit';
      waitMs?: number | undefined;
      header?: string | undefined;
      format?: LimitFormat | undefined;
      status?: 403 | 429 | 503 | undefined;
      delayMs?: Delay | undefined;
    }
  /** Ends the request's session and responds with 401. */
  | { kind: 'expired'; delayMs?: Delay | undefined }
  /** Resets the connection, with `processed` after processing the request. Over fetch: a network error. */
  | { kind: 'reset'; processed?: boolean | undefined; delayMs?: Delay | undefined }
  /** Closes the connection without a response, as a server closes an idle one. Over fetch: a network error. */
  | { kind: 'closed'; processed?: boolean | undefined; delayMs?: Delay | undefined }
  /** Processes the request, then closes the connection in the middle of the headers. Over fetch: a network error. */
  | { kind: 'cut-head'; delayMs?: Delay | undefined }
  /**
   * Nobody listens: a network error with the cause `ECONNREFUSED`. Only over fetch: on a port the connection is there already,
   * so it is reset; close the server instead.
   */
  | { kind: 'refused'; delayMs?: Delay | undefined }
  /** Never responds. */
  | { kind: 'hang' }
  /** Processes the request, then closes the connection halfway through the body. Over fetch: the body fails. */
  | { kind: 'truncated'; status?: number | undefined; delayMs?: Delay | undefined }
  /** Processes the request, sends half of the body, and stays silent. */
  | { kind: 'never-ending'; status?: number | undefined; delayMs?: Delay | undefined }
  /** An HTML error page, as a proxy sends it, by default with a 502. */
  | { kind: 'html'; status?: number | undefined; delayMs?: Delay | undefined }
  /** Processes the request, and sends the first byte `delayMs` later. */
  | { kind: 'slow'; delayMs: Delay }
  /** Processes the request, and compresses the body with gzip, whether the caller accepts it or not. */
  | { kind: 'gzip'; delayMs?: Delay | undefined }
  /** A body of `bytes` bytes, by default a 200 with 134217728 bytes (128 MiB). */
  | { kind: 'huge'; bytes?: number | undefined; status?: number | undefined; delayMs?: Delay | undefined }
  /** Any other response, by default a 200 of text/plain. */
  | {
      kind: 'body';
      body: string;
      status?: number | undefined;
      headers?: Record<string, string> | undefined;
      delayMs?: Delay | undefined;
    };

/** Which requests a fault or a step applies to. */
export interface Selection {
  /**
   * `'login'`, `'cleanup'`, or a route such as `'GET /issues/:id'`, `'/issues'`, `'POST'` or `'GET /files/*'`.
   *
   * @default every request but logins and cleanups
   */
  on?: string | undefined;
}

/** A fault and when it happens: every time, unless `at` or `every` says otherwise. */
export type FaultRule = Fault &
  Selection & {
    /** Which of the selected requests, counted from 1. */
    at?: number | readonly number[] | undefined;
    /** Every Nth of the selected requests. */
    every?: number | undefined;
    /** At most this often. */
    times?: number | undefined;
  };

/** One planned request, or several of the same kind. */
export interface Step extends Selection {
  /** @default 'normal': the simulator's usual response */
  reply?: 'normal' | Fault | RouteHandler | undefined;
  /** How many requests. @default 1 */
  times?: number | undefined;
}
