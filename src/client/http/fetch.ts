import { isBytes, lowerCaseNames } from '../../internal/index.js';
import { ActiveExchanges, Exchange, type ExchangeOptions } from './exchange.js';
import type { Connection } from './incoming-body.js';
import { type OutgoingBody, toOutgoingBody } from './request-body.js';
import { hasNoBody, isStreamed, type Transport, type WireRequest, type WireResponse } from './wire.js';

export interface FetchTransportOptions extends ExchangeOptions {
  fetch: typeof globalThis.fetch;
}

/** The transport over the caller's `fetch`: for other runtimes, and for connectors called in process. */
export function createFetchTransport(options: FetchTransportOptions): Transport {
  const active = new ActiveExchanges();
  return {
    send: (request) =>
      new Promise((resolve) => {
        const blob = request.body instanceof Blob ? request.body : undefined; // fetch can send those itself
        const outgoing = toOutgoingBody(blob === undefined ? request.body : undefined);
        const exchange = new Exchange(request, options, outgoing, active, resolve);
        void send(request, blob ?? outgoing.body, exchange, options);
      }),
    close: async () => {},
    abort: () => active.abort(),
  };
}

/** Reports to the exchange what comes of a request. Never rejects; a `fetch` that ignores its signal may never resolve. */
async function send(
  request: WireRequest,
  body: Blob | OutgoingBody['body'],
  exchange: Exchange,
  { origin, fetch }: FetchTransportOptions,
): Promise<void> {
  const connection = new FetchConnection();
  exchange.onRequestStart(connection);
  const { signal } = connection;
  if (signal.aborted) return;
  try {
    const response = checkResponse(await fetch(origin + request.target, init(request, body, signal)));
    connection.open(response);
    if (signal.aborted) return;
    exchange.isPacked = isLeftPacked(response, request);
    const headers = toRecord(response.headers);
    // Of a stream that was decompressed already, no range can be requested.
    if (isStreamed(request, response.status) && !exchange.isPacked && headers['content-encoding'] !== undefined) {
      delete headers['content-encoding'];
      delete headers['content-length'];
    }
    exchange.onResponseStart(connection, response.status, headers);
    // As handlers in process return one for a HEAD, perhaps endless.
    if (hasNoBody(request.method, response.status)) connection.leaveBody();
    let chunk = await connection.read();
    while (chunk !== undefined) {
      exchange.onResponseData(connection, chunk);
      chunk = await connection.read();
    }
    if (!signal.aborted) exchange.onResponseEnd();
  } catch (error) {
    exchange.fail(error);
  }
}

/** The body of a response, read while it is wanted. */
class FetchConnection implements Connection {
  readonly #controller = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isPaused = false;
  #wake: (() => void) | undefined;

  /** Aborts the request. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  open(response: Response): void {
    this.#reader = response.body?.getReader();
    if (this.signal.aborted) this.abort();
  }

  /** The next bytes; `undefined` at the end, and once the connection is aborted. */
  async read(): Promise<Uint8Array | undefined> {
    while (this.#isPaused) await new Promise<void>((resolve) => (this.#wake = resolve));
    const { done, value } = (await this.#reader?.read()) ?? { done: true };
    if (done || this.signal.aborted) return undefined;
    if (!ArrayBuffer.isView(value)) {
      this.abort();
      throw new UnusableResponse('the option `fetch` returned a Response whose body does not consist of bytes');
    }
    return value;
  }

  leaveBody(): void {
    this.#reader?.cancel().catch(() => {});
    this.#reader = undefined;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#wake?.();
  }

  abort(): void {
    this.#controller.abort();
    this.#reader?.cancel().catch(() => {});
    this.resume();
  }
}

/** A mistake in the caller's `fetch`, such as a mock: a retry would not mend it. */
export class UnusableResponse extends TypeError {}

/** Judged by its members, because it may be of another copy of fetch. */
function checkResponse(response: Response | undefined): Response {
  const { status, headers, body, bodyUsed } = response ?? ({} as Partial<Response>);
  const isResponse = typeof status === 'number' && status >= 200 && Symbol.iterator in Object(headers);
  if (!isResponse || (body && typeof body.getReader !== 'function')) {
    throw new UnusableResponse('the option `fetch` returned no Response');
  }
  if (bodyUsed || body?.locked) throw new UnusableResponse('the option `fetch` returned a Response already read');
  return response as Response;
}

/**
 * Whether the body has to be decompressed by the client. A response made in process has no URL. `fetch` has decompressed one
 * from the network, except on Deno, whose `fetch` does so only if the request asked for it.
 */
function isLeftPacked({ url }: Response, { headers }: WireRequest): boolean {
  return url === '' || ('Deno' in globalThis && headers['accept-encoding'] === 'identity');
}

function init(request: WireRequest, body: Blob | OutgoingBody['body'], signal: AbortSignal): RequestInit {
  const { method, headers } = request;
  const common = { method, headers: { ...headers }, signal, redirect: 'manual' } as const;
  if (body === undefined) return common;
  if (typeof body === 'string' || isBytes(body) || body instanceof Blob) {
    return { ...common, body: body as BodyInit };
  }
  // Supported by every supported Node, but missing in the types.
  const streams = ReadableStream as unknown as { from(source: typeof body): ReadableStream<Uint8Array> };
  return { ...common, body: streams.from(body), ...({ duplex: 'half' } as object) };
}

/** Of the headers, only cookies are not joined when they repeat. */
function toRecord(headers: Headers): WireResponse['headers'] {
  const cookies = headers.getSetCookie?.() ?? [];
  return { ...lowerCaseNames(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
}
