/** A request as errors and events name it: method and path, without the query. */
export interface RequestLine {
  readonly method: string;
  readonly path: string;
}

/** The connector's response to a failed call (rule E9). Secrets that the client knows are removed (rules E5, S7). */
export interface CallResponse {
  readonly status: number;
  /** Without the values of cookies and other headers that are secret by name; of a redirect's `location`, only the path, or elsewhere the origin. */
  readonly headers: Headers;
  /** The first 16 KiB of the body; empty if it is not text, did not arrive completely, or is larger than 1 MiB. */
  readonly text: string;
}
