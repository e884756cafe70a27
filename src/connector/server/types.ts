/** A standard fetch handler: what `connector.fetch` is, and what Bun, Deno and Workers call. */
export type FetchHandler = (request: Request, ...rest: never[]) => Response | Promise<Response>;

export interface RunningServer {
  /** Where to reach it, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /**
   * Lets callers go without losing one of their requests. Those that are being answered finish, and every answer from now
   * on says `connection: close` (in HTTP/2: GOAWAY), so that the next request of its caller goes to another server. Where there
   * are connections, new requests are answered for another quarter of a second; connections that are silent for that long
   * are ended. What is left after `graceMs` is cut. Calling it again returns the same promise.
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
