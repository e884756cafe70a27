/** The call that an error answers, on the service's side. */
export interface FailedRequest {
  readonly method: string;
  readonly path: string;
}

/** What a connector answered to a call that failed (rule E9). Secrets that the client knows are taken out (rules E5, S7). */
export interface CallResponse {
  readonly status: number;
  /** Without the values of cookies and of whatever is secret by its name; the `location` of a redirect is its origin only. */
  readonly headers: Headers;
  /** The body, at most 16 KiB of it; empty where it is no text, did not arrive whole, or has more than 1 MiB. */
  readonly text: string;
}
