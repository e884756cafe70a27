import type { DataSchema } from '../internal/index.js';
import type { ClientChannelEvents, ClientEventListener, ClientEventName, Quota } from './events.js';
import type { ConnectorResponse, DataByType, ResponseType } from './http/read-success.js';
import type { BodyOption } from './http/request-body.js';
import type { HeadersOption } from './http/request-headers.js';
import type { Query } from './http/request-target.js';
import type { ClientSnapshot } from './rate-limit/gates.js';

export interface RequestOptions<Data = unknown> {
  /** Added to the path. Arrays repeat the name; `undefined` and `null` leave it out. */
  query?: Query | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. To be sent again, a stream needs a factory: `() => stream` (rule G8). */
  body?: BodyOption | undefined;
  /** The session's headers override these. */
  headers?: HeadersOption | undefined;
  /**
   * Types and checks `data`: a Standard Schema (zod, valibot, ArkType, …), sync or async, or anything with zod's
   * `safeParse`. A response that does not fit is an `INVALID_DATA` error, with the response attached (rule D3).
   */
  schema?: DataSchema<Data> | undefined;
  /**
   * How the body of a success is read (rule D1). `'auto'` follows the content type: JSON types are parsed; `text/*`,
   * XML, forms and bodies without a type become text, decoded by their charset; everything else becomes a `Uint8Array`.
   * `'json'`, `'text'` and `'bytes'` ignore the type. `'stream'` returns the body as a `ReadableStream` while it
   * arrives, like {@link ConnectorClient.stream}. Without a body (204, 205, 304, HEAD) `data` is `undefined`. A body
   * that cannot be read this way is a `RequestError`: `INVALID_JSON`, `INVALID_TEXT`.
   *
   * @default 'auto'
   * @example
   * const photo = await client.get('/photos/7', { responseType: 'bytes' }) // Uint8Array | undefined
   */
  responseType?: ResponseType | undefined;
  /** Ends the call at once, even while it waits; the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Whether sending the request twice does no harm. @default true for GET, HEAD, OPTIONS, PUT and DELETE (rule G7) */
  idempotent?: boolean | undefined;
  /** Bounds one attempt, body included, in milliseconds. @default the client's */
  timeoutMs?: number | undefined;
  /** Bounds the whole call, in milliseconds. @default the client's */
  totalTimeoutMs?: number | undefined;
  /**
   * The order of calls that wait for their turn, not for a login: higher numbers go first, equal ones in order of
   * arrival.
   *
   * @default 0
   */
  priority?: number | undefined;
}

export interface StreamOptions extends Omit<RequestOptions, 'schema' | 'responseType'> {
  /** @default 'GET' */
  method?: string | undefined;
}

/** The status and headers of a successful response, and its body as it arrives. */
export interface StreamResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface ConnectorRequest<Data = unknown> extends RequestOptions<Data> {
  method: string;
  /** Starts with "/" and is joined to `baseUrl`; or a URL below `baseUrl`. */
  path: string;
}

/**
 * Of a call whose `responseType` says what type its data has.
 *
 * @example
 * const text = await client.get('/export.csv', { responseType: 'text' }) // string | undefined
 */
export interface TypedBy<Type extends keyof DataByType> {
  responseType: Type;
  schema?: undefined;
}

/**
 * Where the next page is: query values that override those of the page before; a URLSearchParams that replaces the
 * query; or a link (a URL below `baseUrl`, or a path). After the last page: `undefined`, `null`, `false` or `''`.
 */
export type NextPage = Query | URL | string | undefined | null | false;

export interface PagesOptions<Data = unknown> extends Omit<RequestOptions<Data>, 'json' | 'body'> {
  /** Returns where the page after this one is. The response has the headers, for connectors that send a `link`. */
  next: (page: Data, response: ConnectorResponse<Data>) => NextPage | Promise<NextPage>;
}

export interface CloseOptions {
  /**
   * How long requests in flight may take to finish, in milliseconds.
   *
   * @default as long as their own timeouts allow, which for a stream that nobody reads is its `timeoutMs`
   */
  graceMs?: number | undefined;
}

export interface ClientCounters {
  /** Calls made by the caller. */
  readonly calls: number;
  /** Requests that have ended, logins included, and those given up before they were written. */
  readonly sent: number;
  /** Requests refused by a rate limit. */
  readonly refused: number;
  readonly logins: number;
  readonly pauses: number;
  readonly retries: number;
  /** Milliseconds paused by rate limits, in total. */
  readonly pausedMs: number;
}

export interface ClientStatus {
  readonly paused: boolean;
  /** When the pause ends; with several scopes, the latest end. */
  readonly resumeAt: Date | undefined;
  readonly session: 'none' | 'active' | 'renewing';
  /**
   * The connector's quota, announced or learned by meeting its limit. `undefined` before that, and once the last limit
   * was long ago. With several scopes, the slowest one.
   */
  readonly quota: Quota | undefined;
  readonly counters: ClientCounters;
}

/** The service's client for one connection to a connector. */
export interface ConnectorClient extends AsyncDisposable {
  /**
   * Calls the connector: logs in when there is no session, logs in again on a 401, waits out rate limits, and retries
   * transient failures of idempotent requests.
   *
   * @throws ConnectorError (the class of its kind) if the connector responds with an error; RateLimitError only for a
   *   wait longer than `rateLimit.maxWaitMs` or `maxTotalWaitMs`, or for any wait with `rateLimit.onLimit: 'reject'`;
   *   InitializeError if the login fails; RequestError if there is no usable response; TypeError for wrong options; the
   *   signal's reason after an abort.
   */
  request<Type extends keyof DataByType, Data = DataByType[Type]>(
    request: ConnectorRequest & TypedBy<Type>,
  ): Promise<ConnectorResponse<Data>>;
  request<Data = unknown>(request: ConnectorRequest<Data>): Promise<ConnectorResponse<Data>>;
  /** Like {@link request}, but returns only the data, as do the next four methods. */
  get<Type extends keyof DataByType, Data = DataByType[Type]>(
    path: string,
    options: RequestOptions & TypedBy<Type>,
  ): Promise<Data>;
  get<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  post<Type extends keyof DataByType, Data = DataByType[Type]>(
    path: string,
    options: RequestOptions & TypedBy<Type>,
  ): Promise<Data>;
  post<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  put<Type extends keyof DataByType, Data = DataByType[Type]>(
    path: string,
    options: RequestOptions & TypedBy<Type>,
  ): Promise<Data>;
  put<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  patch<Type extends keyof DataByType, Data = DataByType[Type]>(
    path: string,
    options: RequestOptions & TypedBy<Type>,
  ): Promise<Data>;
  patch<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  delete<Type extends keyof DataByType, Data = DataByType[Type]>(
    path: string,
    options: RequestOptions & TypedBy<Type>,
  ): Promise<Data>;
  delete<Data = unknown>(path: string, options?: RequestOptions<Data>): Promise<Data>;
  /**
   * Reads a body of any length while it arrives (rule D2): in constant memory, at the reader's pace. Logins, pauses and
   * retries happen before this resolves; from then on, `timeoutMs` bounds each silence of the connection. The stream is
   * complete or it fails: with a `RequestError` (`NETWORK_ERROR`, `TIMEOUT`, `RESPONSE_TOO_LARGE`, `INVALID_ENCODING`)
   * or the signal's reason. If the connection of a GET is lost and the connector had sent `content-length`,
   * `accept-ranges: bytes` and a strong `etag`, the client requests the rest with `range` and `if-range`. Until it ends
   * or is cancelled, a stream counts against `concurrency`.
   *
   * @throws (rejects) as {@link request} does.
   * @example
   * // Copy a file between connectors; the factory allows it to be sent again (rule G8).
   * const file = async () => (await source.stream('/files/7')).body
   * await target.put('/files/7', { body: file })
   */
  stream(path: string, options?: StreamOptions): Promise<StreamResponse>;
  /**
   * Iterates over the pages of a list: `next` returns where the page after a given one is.
   *
   * @throws TypeError without a function `next`. While iterating, a TypeError if `next` returns anything else, RequestError
   *   with code `PAGE_LOOP` if a page leads back to an earlier one, and whatever {@link request} throws.
   * @example
   * for await (const page of client.pages('/issues', { schema: Page, next: ({ cursor }) => cursor && { cursor } })) {
   *   for (const issue of page.items) await store(issue)
   * }
   */
  pages<Data = unknown>(path: string, options: PagesOptions<Data>): AsyncGenerator<Data, void, undefined>;
  /** Adds a listener (rule G6). @returns a function that removes it. */
  on<Name extends ClientEventName>(event: Name, listener: ClientEventListener<Name>): () => void;
  readonly status: ClientStatus;
  /**
   * What the client knows of the connector's limits, to be kept across a restart of the process. It is JSON and
   * contains nothing from the session (rule S7).
   *
   * @example
   * await writeFile('limits.json', JSON.stringify(client.snapshot()))
   */
  snapshot(): ClientSnapshot;
  /**
   * Restores a snapshot of an earlier process. A pause that is over is ignored, and a pause in effect is never
   * shortened (rules G2, W7).
   *
   * @throws TypeError if it is not a snapshot.
   * @example
   * client.restore(JSON.parse(await readFile('limits.json', 'utf8')))
   */
  restore(snapshot: ClientSnapshot): void;
  /**
   * Rejects waiting calls with a RequestError, lets requests in flight finish, cleans up the session and closes the
   * connections. With `graceMs` it takes no longer than that: calls still active then reject with `CLIENT_CLOSED`. A
   * later `close()` may shorten the grace.
   *
   * @throws TypeError if `graceMs` is not a number of milliseconds.
   * @example
   * process.once('SIGTERM', () => void client.close({ graceMs: 5000 }))
   */
  close(options?: CloseOptions): Promise<void>;
}

/** A message on the channel `concordat:client:<event>`: the event, and the client that it comes from. */
export type ClientChannelMessage<Name extends keyof ClientChannelEvents> = ClientChannelEvents[Name] & {
  readonly baseUrl: string;
  readonly client: ConnectorClient;
};
