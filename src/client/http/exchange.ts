import { Chunks, type Clock, follow, setTimeLimit, type Timer } from '../../internal/index.js';
import { decompress, encodingProblem } from './decompress.js';
import { type Connection, IncomingBody, notNeeded } from './incoming-body.js';
import { bodyFailure, type OutgoingBody } from './request-body.js';
import {
  type BodyEnd,
  hasNoBody,
  isStreamed,
  maxErrorBytes,
  type ResponseOutcome,
  type SendOutcome,
  type WireRequest,
  type WireResponse,
} from './wire.js';

export interface ExchangeOptions {
  origin: string;
  clock: Clock;
  maxResponseBytes: number;
  /** Set if requests may have to wait for a socket. */
  dispatcher?: unknown;
  /** While a response ends: why that end is none. */
  connectionError?: () => Error | undefined;
}

const noHeaders: WireResponse['headers'] = Object.freeze({});

/**
 * One request and its response, bounded in time and size. Settles exactly once, whatever the transport still reports. It is
 * the handler that undici's dispatch interface asks for; other transports call the same methods.
 */
export class Exchange {
  readonly #request: WireRequest;
  readonly #settle: (outcome: SendOutcome) => void;
  readonly #outgoing: OutgoingBody;
  readonly #active: ActiveExchanges;
  /** Its index in that list. */
  index = 0;
  /** Whether the body is as encoded as its head says. */
  isPacked = true;
  #timer: Timer | undefined;
  readonly #options: ExchangeOptions;
  /** Stops listening to the signal. */
  readonly #leave: (() => void) | undefined;
  #connection: Connection | undefined;
  #settled = false;
  #started = false;
  #status = 0;
  #headers: WireResponse['headers'] = noHeaders;
  #chunks = new Chunks();
  #size = 0;
  #incoming: IncomingBody | undefined;

  constructor(
    request: WireRequest,
    options: ExchangeOptions,
    outgoing: OutgoingBody,
    active: ActiveExchanges,
    settle: (outcome: SendOutcome) => void,
  ) {
    this.#request = request;
    this.#outgoing = outgoing;
    this.#active = active;
    active.add(this);
    this.#settle = settle;
    this.#options = options;
    // The client's own pool has a socket for each request, so all of the time is the connector's.
    if (options.dispatcher === undefined) this.#startTimer();
    if (request.signal !== undefined) this.#leave = follow([request.signal], () => this.abort());
  }

  abort(): void {
    this.#stop({ type: 'aborted' });
  }

  /** The request is about to be written to a socket: the last chance to hold it back (rule G1). */
  onRequestStart(connection: Connection): void {
    this.#connection = connection;
    if (this.#settled) connection.abort(notNeeded());
    else if (!this.#started && !this.#request.mayStart()) this.#stop({ type: 'held-back' });
    else {
      this.#started = true;
      // The caller's dispatcher may have queued it, which is no timeout of the connector (rule D4).
      if (this.#timer === undefined) this.#startTimer();
    }
  }

  #startTimer(): void {
    this.#timer = setTimeLimit(this.#options.clock, this.#request.timeoutMs, () =>
      this.#stop({ type: 'timeout', isSending: this.#outgoing.isSending }),
    );
  }

  onResponseStart(connection: Connection, status: number, headers: WireResponse['headers']): void {
    if (status < 200) return; // informational: the response is still to come
    this.#status = status;
    this.#headers = headers;
    if (status < 300 || status === 304) this.#request.onSuccess?.();
    if (isStreamed(this.#request, status)) this.#stream(connection);
    // The body of a redirect is not used; a 304 has none, and its connection can be reused.
    if (status >= 300 && status < 400 && status !== 304) this.#respond('whole', true);
  }

  onResponseData(_connection: Connection, chunk: Uint8Array): void {
    this.#incoming?.arrived(chunk);
    if (this.#settled) return;
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.#respond('too-large', true);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const error = this.#options.connectionError?.();
    if (error === undefined) {
      this.#incoming?.finish('whole');
      this.#respond('whole', false);
    } else this.fail(error);
  }

  onResponseError(_connection: Connection, error: Error): void {
    this.fail(error);
  }

  fail(thrown: unknown): void {
    // After the head, nothing is missing: undici rejects a 204 that has a body all the same.
    const isWhole = hasNoBody(this.#request.method, this.#status);
    const error = bodyFailure(this.#outgoing, thrown) ?? thrown;
    this.#incoming?.finish({ type: 'failed', error });
    if (this.#status === 0) this.#finish({ type: 'failed', error });
    else this.#respond(isWhole ? 'whole' : 'truncated', false, thrown);
  }

  get #maxBytes(): number {
    return this.#status >= 400 ? maxErrorBytes : (this.#request.maxBytes ?? this.#options.maxResponseBytes);
  }

  /** Hands the head on; from here on the body has its own life. */
  #stream(connection: Connection): void {
    const { timeoutMs: silenceMs } = this.#request;
    const head = { type: 'response', status: this.#status, headers: this.#headers, body: new Uint8Array() } as const;
    const error = encodingProblem(this.#headers);
    if (error !== undefined) {
      this.#finish({ ...head, end: 'undecodable', error });
      this.#destroy();
      return;
    }
    connection.pause();
    this.#incoming = new IncomingBody({ connection, clock: this.#options.clock, silenceMs });
    this.#finish({ ...head, incoming: this.#incoming, end: 'whole' });
  }

  #respond(end: BodyEnd, destroy: boolean, error?: unknown): void {
    const body = this.#chunks.join();
    const headers = this.#headers;
    const url = this.#options.origin + this.#request.target;
    const response: ResponseOutcome = { type: 'response', status: this.#status, url, headers, body, end, error };
    const isPacked = this.isPacked && headers['content-encoding'] !== undefined;
    const hasBody = body.length > 0 && !hasNoBody(this.#request.method, this.#status);
    if (isPacked && hasBody && end === 'whole') this.#decompress(response);
    else this.#finish(response);
    if (destroy) this.#destroy();
  }

  /** The response has arrived: neither timeout nor abort changes it any more. */
  #decompress(response: ResponseOutcome): void {
    if (this.#settled) return;
    this.#end();
    void decompress(response, this.#maxBytes).then(this.#settle);
  }

  #stop(outcome: Exclude<SendOutcome, { type: 'response' | 'failed' }>): void {
    // A timeout in the body of an error does not hide the status, which has arrived (rule E6).
    if (outcome.type !== 'timeout' || this.#status === 0) this.#finish(outcome);
    else if (this.#status >= 400) this.#respond('truncated', false);
    else {
      // The head alone (rule E9).
      const head = { status: this.#status, headers: this.#headers };
      this.#finish({ ...outcome, response: { ...head, body: new Uint8Array(), end: 'truncated' } });
    }
    this.#destroy();
  }

  #destroy(): void {
    this.#chunks = new Chunks();
    this.#connection?.abort(notNeeded());
  }

  #finish(outcome: SendOutcome): void {
    if (this.#settled) return;
    this.#end();
    this.#settle(outcome);
  }

  #end(): void {
    this.#settled = true;
    this.#active.delete(this);
    this.#timer?.cancel();
    this.#leave?.();
  }
}

/**
 * The requests in flight of one transport. In this list the last one fills the gap of one that ends. A `Set` would replace
 * its table every few requests, and such a table in the old generation keeps everything alive that followed it, until a full
 * collection.
 */
export class ActiveExchanges {
  readonly #all: Exchange[] = [];

  add(exchange: Exchange): void {
    exchange.index = this.#all.push(exchange) - 1;
  }

  delete({ index }: Exchange): void {
    const last = this.#all.pop() as Exchange;
    if (last.index === index) return;
    this.#all[index] = last;
    last.index = index;
  }

  abort(): void {
    for (const exchange of [...this.#all]) exchange.abort();
  }
}
