import { type Dispatcher, Pool } from 'undici';
import type { Clock, Timer } from '../../internal/index.js';
import { decompress } from './decompress.js';
import { IncomingBody } from './incoming-body.js';
import { bodyFailure, type OutgoingBody, toOutgoingBody } from './request-body.js';
import {
  type ActiveRequest,
  ActiveRequests,
  type BodyEnd,
  bodyLimit,
  isCompressed,
  isRedirect,
  isStreamed,
  type ResponseOutcome,
  type SendOutcome,
  type Transport,
  type WireRequest,
  type WireResponse,
} from './wire.js';

export type { Dispatcher };

export interface TransportOptions {
  origin: string;
  /** The most sockets of the transport's own pool. */
  connections: number;
  dispatcher?: Dispatcher | undefined;
  clock: Clock;
  maxResponseBytes: number;
}

/** @throws TypeError for a dispatcher of undici 6, whose handlers have other names. */
function checkDispatcher(dispatcher: Dispatcher): Dispatcher {
  if ('interceptors' in dispatcher) {
    throw new TypeError(
      '`dispatcher` is from undici 6 or older, such as the one built into Node 20 and 22; create it with undici 7.',
    );
  }
  return dispatcher;
}

/** The transport over undici's dispatch interface: one handler per request, and no stream in between. */
export function createUndiciTransport(options: TransportOptions): Transport {
  const { origin, connections } = options;
  const pool = options.dispatcher === undefined ? new Pool(origin, { connections }) : undefined;
  const dispatcher = options.dispatcher === undefined ? (pool as Pool) : checkDispatcher(options.dispatcher);
  const active = new ActiveRequests();
  return {
    send: (request) =>
      new Promise((resolve) => {
        const outgoing = toOutgoingBody(request.body);
        const exchange = new Exchange(request, options, outgoing, active, resolve);
        try {
          dispatcher.dispatch(
            {
              origin,
              path: request.target,
              method: request.method as Dispatcher.HttpMethod,
              headers: toHeaders(request.headers, outgoing.length, pool !== undefined),
              // undici accepts more kinds of body than its types say.
              body: (outgoing.body ?? null) as Buffer,
              // `timeoutMs` bounds the whole attempt, on the injected clock; undici's timers would duplicate it.
              headersTimeout: 0,
              bodyTimeout: 0,
            },
            exchange,
          );
        } catch (error) {
          exchange.fail(error);
        }
      }),
    // The caller closes a dispatcher that it has passed in.
    close: async () => pool?.close(),
    abort: () => active.abort(),
  };
}

/** The client's own pool does not change the headers, so the shared object can be passed without a copy. */
function toHeaders(
  headers: WireRequest['headers'],
  length: number | undefined,
  isOwnPool: boolean,
): Record<string, string> {
  if (length !== undefined) return { ...headers, 'content-length': String(length) };
  return isOwnPool ? (headers as Record<string, string>) : { ...headers };
}

const noHeaders: WireResponse['headers'] = Object.freeze({});

/** One request and its response, bounded in time and size. Settles exactly once. */
class Exchange implements Dispatcher.DispatchHandler, ActiveRequest {
  readonly #request: WireRequest;
  readonly #settle: (outcome: SendOutcome) => void;
  readonly #outgoing: OutgoingBody;
  /** All requests in flight of the transport. */
  readonly #active: ActiveRequests;
  index = 0;
  #timer: Timer | undefined;
  readonly #clock: Clock;
  readonly #maxResponseBytes: number;
  readonly abort = () => this.#stop({ type: 'aborted' });
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #started = false;
  #status = 0;
  #headers: WireResponse['headers'] = noHeaders;
  #chunks: Buffer[] = [];
  #size = 0;
  #incoming: IncomingBody | undefined;

  constructor(
    request: WireRequest,
    options: TransportOptions,
    outgoing: OutgoingBody,
    active: ActiveRequests,
    settle: (outcome: SendOutcome) => void,
  ) {
    this.#request = request;
    this.#outgoing = outgoing;
    this.#active = active;
    active.add(this);
    this.#settle = settle;
    this.#clock = options.clock;
    this.#maxResponseBytes = request.maxBytes ?? options.maxResponseBytes;
    // The client's own pool has a socket for each request, so all of the time is the connector's.
    if (options.dispatcher === undefined) this.#startTimer();
    request.signal?.addEventListener('abort', this.abort, { once: true });
    if (request.signal?.aborted) this.abort();
  }

  /** undici is about to write the request to a socket: the last chance to hold it back (rule G1). */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('The request is no longer wanted.'));
    else if (!this.#started && !this.#request.mayStart()) this.#stop({ type: 'held-back' });
    else {
      this.#started = true;
      // The caller's dispatcher may have queued it, which is no timeout of the connector (rule D4).
      if (this.#timer === undefined) this.#startTimer();
    }
  }

  #startTimer(): void {
    this.#timer = this.#clock.setTimer(this.#request.timeoutMs, () => this.#stop({ type: 'timeout' }));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: WireResponse['headers']): void {
    if (status < 200) return; // informational: the response is still to come
    this.#status = status;
    this.#headers = headers;
    if (isStreamed(this.#request, status)) this.#stream(controller);
    if (isRedirect(status)) this.#respond('whole', true);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#incoming?.arrived(chunk);
    if (this.#settled) return;
    this.#size += chunk.length;
    if (this.#size > bodyLimit(this.#status, this.#maxResponseBytes)) this.#respond('too-large', true);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#incoming?.finish('whole');
    this.#respond('whole', false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    this.#incoming?.finish({ type: 'failed', error });
    if (this.#status === 0) this.#finish({ type: 'failed', error: bodyFailure(this.#outgoing, error) ?? error });
    else this.#respond('truncated', false, error);
  }

  /** Hands the head on; from here on the body has its own life. */
  #stream(controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.#incoming = new IncomingBody({
      clock: this.#clock,
      silenceMs: this.#request.timeoutMs,
      signal: this.#request.signal,
      connection: {
        pause: () => controller.pause(),
        resume: () => controller.resume(),
        destroy: () => this.#destroy(),
      },
    });
    const head = { type: 'response', status: this.#status, headers: this.#headers } as const;
    this.#finish({ ...head, body: new Uint8Array(), incoming: this.#incoming, end: 'whole' });
  }

  #respond(end: BodyEnd, destroy: boolean, error?: unknown): void {
    const body = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const response: ResponseOutcome = {
      type: 'response',
      status: this.#status,
      headers: this.#headers,
      body,
      end,
      error,
    };
    if (isCompressed(response)) this.#decompress(response);
    else this.#finish(response);
    if (destroy) this.#destroy();
  }

  /** The response has arrived: neither timeout nor abort changes it any more. */
  #decompress(response: ResponseOutcome): void {
    if (this.#settled) return;
    this.#end();
    void decompress(response, bodyLimit(this.#status, this.#maxResponseBytes)).then(this.#settle);
  }

  #stop(outcome: { type: 'aborted' } | { type: 'timeout' } | { type: 'held-back' }): void {
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
    this.#chunks = [];
    this.#controller?.abort(new Error('The rest of the response is not needed.'));
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
    this.#request.signal?.removeEventListener('abort', this.abort);
  }
}
