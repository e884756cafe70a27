/** A standard fetch handler: what `connector.fetch` is, and what Bun, Deno and Workers call. */
export type FetchHandler = (request: Request, ...rest: never[]) => Response | Promise<Response>;

export interface RunningServer {
  /** Where to reach it, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more connections, ends idle ones at once, and lets requests that are being answered finish: for at most
   * `graceMs`, then their connections are cut. Calling it again returns the same promise.
   *
   * @param options.graceMs milliseconds. @default 10000
   */
  close(options?: { graceMs?: number }): Promise<void>;
}
