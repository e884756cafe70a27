/** A standard fetch handler: what `connector.fetch` is, and what Bun, Deno and Workers call. */
export type FetchHandler = (request: Request, ...rest: never[]) => Response | Promise<Response>;

export interface RunningServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /**
   * Closes the server without losing a request. Requests in flight finish, and every response from now on says
   * `connection: close` (in HTTP/2: GOAWAY), so that callers send the next request to another server. With connections open
   * the server accepts requests for another 250 ms, and ends each connection that is idle for that long. What is left
   * after `graceMs` is destroyed. Calling it again returns the same promise.
   *
   * @param options.graceMs milliseconds. @default 10000
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** A certificate with its key, and whatever else `tls.createServer` of Node takes. */
export interface TlsOptions {
  /** PEM: the text or the bytes of the file. */
  key?: unknown;
  /** PEM, with the certificates between it and the root. */
  cert?: unknown;
  [option: string]: unknown;
}
