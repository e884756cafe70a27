import type { ClientChannelEvents, ClientEventListener, ClientEventName, Quota } from './events.js';
import type { ResponseType } from './http/read-data.js';
import type { ConnectorResponse } from './http/read-success.js';
import type { BodyOption } from './http/request-body.js';
import type { HeadersOption } from './http/request-headers.js';
import type { Query } from './http/request-target.js';
import type { DataSchema } from './http/schema.js';
import type { ClientSnapshot } from './rate-limit/snapshot.js';

export interface RequestOptions<Data = unknown> {
  /** Added to the path. Arrays repeat the name; `undefined` and `null` leave it out. */
  query?: Query | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. A stream that may have to be sent again needs a factory `() => stream` (rule G8). */
  body?: BodyOption | undefined;
  /** The session's headers win over these. */
  headers?: HeadersOption | undefined;
  /**
   * Types `data` and checks it: a Standard Schema (zod, valibot, ArkType, …), sync or async, or anything with zod's `safeParse`.
   * Looked at before anything is sent; a response that does not fit is `INVALID_DATA` with the response on it (rule D3).
   */
  schema?: DataSchema<Data> | undefined;
  /**
   * What the body of a success is read as (rule D1). `'auto'` goes by its content type: JSON types are parsed; `text/*`, XML, forms
   * and what has no type are text, decoded by their charset; all else is a `Uint8Array`. `'json'`, `'text'` and `'bytes'` do that
   * whatever the type. `'stream'` hands the body on as a `ReadableStream` while it arrives, as {@link ConnectorClient.stream} does.
   * Without a body (204, 205, 304, HEAD) `data` is `undefined`. What cannot be read so is a `RequestError`:
   * `INVALID_JSON`, `INVALID_TEXT`.
   *
   * @default 'auto'
   * @example
   * const photo = await client.get<Uint8Array>('/photos/7', { responseType: 'bytes' })
   */
  responseType?: ResponseType | undefined;
  /** Ends the call at once, waits included; the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Whether sending twice does no harm. @default by the method: GET, HEAD, OPTIONS, PUT and DELETE (rule G7) */
  idempotent?: boolean | undefined;
  /** Bounds one try, body included, in milliseconds. @default the client's */
  timeoutMs?: number | undefined;
  /** Bounds the whole call, in milliseconds. @default the client's */
  totalTimeoutMs?: number | undefined;
  /** Who goes first where calls have to wait: higher numbers do, and within one number whoever came first. @default 0 */
  priority?: number | undefined;
}

export interface StreamOptions extends Omit<RequestOptions, 'schema' | 'responseType'> {
  /** @default 'GET' */
  method?: string | undefined;
}

/** The head of a success, and its body as it arrives. */
export interface StreamResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array>;
}

export interface ConnectorRequest<Data = unknown> extends RequestOptions<Data> {
  method: string;
  /** Joined to `baseUrl`; starts with "/", or a URL below `baseUrl`. */
  path: string;
}

/**
 * Where the following page is: names and values for the query, which are put over those of the page before; a URLSearchParams that
 * replaces it; or a link, which is a URL below `baseUrl` or a path. Nothing (`undefined`, `null`, `false`, `''`) after the last page.
 */
export type NextPage = Query | string | undefined | null | false;

export interface PagesOptions<Data = unknown> extends Omit<RequestOptions<Data>, 'json' | 'body'> {
  /** Says where the page after this one is; the response has the headers, for connectors that send a `link`. */
  next: (page: Data, response: ConnectorResponse<Data>) => NextPage | Promise<NextPage>;
}

export interface CloseOptions {
  /** How long requests in flight may take to finish, in milliseconds. @default as long as their own bounds allow */
  graceMs?: number | undefined;
}

export interface ClientCounters {
  /** Calls made by the caller. */
  readonly calls: number;
  /** Requests sent, logins included. */
  readonly sent: number;
  /** Requests that a rate limit refused. */
  readonly refused: number;
  readonly logins: number;
  readonly pauses: number;
  readonly retries: number;
  /** Milliseconds spent closed by rate limits, in sum. */
  readonly pausedMs: number;
}

export interface ClientStatus {
  readonly paused: boolean;
  /** When the pause ends; the latest one where there are several scopes. */
  readonly resumeAt: Date | undefined;
  readonly session: 'none' | 'active' | 'renewing';
  /**
   * What the client has learned of the connector's limit by meeting it; `undefined` before, and when it was long ago. Of several
   * scopes the slowest one's.
   */
  readonly quota: Quota | undefined;
  readonly counters: ClientCounters;
}

/** The service's client of one connector connection. */
export interface ConnectorClient extends AsyncDisposable {
  /**
   * Calls the connector: logs in when there is no session, logs in again on a 401, waits out rate limits, retries
   * transient failures of idempotent requests.
   *
   * @throws ConnectorError (the class of its kind) when the connector answered with an error; RateLimitError only for a
   *   wait longer than `rateLimit.maxWaitMs` or `maxTotalWaitMs`, or any with `rateLimit.onLimit: 'reject'`; InitializeError when logging in failed; RequestError
   *   when there was no usable answer; TypeError for wrong options; the signal's reason after an abort.
   */
  request<Data = unknown>(request: ConnectorRequest<Data>): Promise<ConnectorResponse<Data>>;
  /** The data of {@link request}; so are the other four. */
  get<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  post<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  put<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  patch<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  delete<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  /**
   * Reads a body while it arrives, however long it is (rule D2): in constant memory, at the pace of who reads. Logins, pauses and
   * retries are over when the head is handed on. From then on `timeoutMs` bounds every silence of the connection. The stream is whole
   * or it fails: with a `RequestError` (`NETWORK_ERROR`, `TIMEOUT`, `RESPONSE_TOO_LARGE`, `INVALID_ENCODING`), or with the signal's
   * reason. Where the connector says `accept-ranges: bytes` and a strong `etag`, the rest of a GET that broke off is asked for
   * with `range` and `if-range`. Until it is read to its end or cancelled, a stream takes one place of `concurrency`.
   *
   * @throws (rejects) as {@link request} does.
   * @example
   * // A file from one connector to the other; a factory, so that it can be sent again (rule G8).
   * const file = async () => (await source.stream('/files/7')).body
   * await target.put('/files/7', { body: file })
   */
  stream(path: string, options?: StreamOptions): Promise<StreamResponse>;
  /**
   * The pages of a list, one after the other: `next` says from each page where the following one is.
   *
   * @throws TypeError without a function `next`; while it is read, RequestError with code `PAGE_LOOP` when a page leads back to one
   *   that was read before, and whatever {@link request} throws.
   * @example
   * for await (const page of client.pages('/issues', { schema: Page, next: ({ cursor }) => cursor && { cursor } })) {
   *   for (const issue of page.items) await store(issue)
   * }
   */
  pages<Data = unknown>(path: string, options: PagesOptions<Data>): AsyncGenerator<Data, void, undefined>;
  /** Listens to what the client does (rule G6). @returns a function that stops listening. */
  on<Name extends ClientEventName>(event: Name, listener: ClientEventListener<Name>): () => void;
  readonly status: ClientStatus;
  /**
   * What the client knows of the connector's limits, to be kept across a restart of the process: JSON, with nothing of the
   * session in it (rule S7).
   *
   * @example
   * await writeFile('limits.json', JSON.stringify(client.snapshot()))
   */
  snapshot(): ClientSnapshot;
  /**
   * Takes up what a client of an earlier process knew. A pause that is over is ignored, and a wait that is on is never
   * shortened (rules G2, W7).
   *
   * @throws TypeError when it is no snapshot.
   * @example
   * client.restore(JSON.parse(await readFile('limits.json', 'utf8')))
   */
  restore(snapshot: ClientSnapshot): void;
  /**
   * Ends waiting calls with a RequestError, lets requests in flight finish, cleans up, and closes the connections. With `graceMs`
   * it takes no longer than that: what is still under way then rejects with `CLIENT_CLOSED`. A later call may shorten the grace.
   *
   * @throws TypeError when `graceMs` is no number of milliseconds.
   * @example
   * process.once('SIGTERM', () => client.close({ graceMs: 5000 }))
   */
  close(options?: CloseOptions): Promise<void>;
}

/** A message on the channel `concordat:client:<event>`: the event, and which client it comes from. */
export type ClientChannelMessage<Name extends keyof ClientChannelEvents> = ClientChannelEvents[Name] & {
  readonly baseUrl: string;
  readonly client: ConnectorClient;
};
