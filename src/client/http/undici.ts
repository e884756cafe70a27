import { type Dispatcher, Pool } from 'undici';
import type { Clock, Timer } from '../../internal/index.js';
import { type Active, ActiveRequests } from './active-requests.js';
import { Incoming } from './incoming.js';
import { bodyFailure, type SentBody, toSentBody } from './sent-body.js';
import { isPacked, unpack } from './unpack.js';
import {
  type Answered,
  type BodyEnd,
  bodyLimit,
  isStreamed,
  type SendOutcome,
  type Transport,
  type WireRequest,
  type WireResponse,
} from './wire.js';

export type { Dispatcher };

export interface TransportOptions {
  origin: string;
  /** Sockets of the transport's own pool. */
  connections: number;
  dispatcher?: Dispatcher | undefined;
  clock: Clock;
  maxResponseBytes: number;
}

/** @throws TypeError for a dispatcher of undici 6, which calls its handlers by other names. */
function checkDispatcher(dispatcher: Dispatcher): Dispatcher {
  if ('interceptors' in dispatcher) {
    throw new TypeError(
      '`dispatcher` is of undici 6 or older, as the one in Node 20 and 22 is; install undici 7 and make it by that.',
    );
  }
  return dispatcher;
}

/** The transport over undici: its dispatch interface, with one collector per request and no stream in between. */
export function createUndiciTransport(options: TransportOptions): Transport {
  const own =
    options.dispatcher === undefined ? new Pool(options.origin, { connections: options.connections }) : undefined;
  const dispatcher = options.dispatcher === undefined ? (own as Pool) : checkDispatcher(options.dispatcher);
  const active = new ActiveRequests();
  return {
    send: (request) =>
      new Promise((resolve) => {
        const sent = toSentBody(request.body);
        const collector = new Collector(request, options, sent, active, resolve);
        try {
          dispatcher.dispatch(
            {
              origin: options.origin,
              path: request.target,
              method: request.method as Dispatcher.HttpMethod,
              headers: toHeaders(request.headers, sent.length, own !== undefined),
              // undici's types know fewer kinds of body than undici does.
              body: (sent.body ?? null) as Buffer,
              // `timeoutMs` bounds the whole try, on the injected clock; undici's own timers would only duplicate it.
              headersTimeout: 0,
              bodyTimeout: 0,
            },
            collector,
          );
        } catch (error) {
          collector.fail(error);
        }
      }),
    // A dispatcher that the caller brought is the caller's to close.
    close: async () => own?.close(),
    abort: () => active.abort(),
  };
}

/** The client's own pool changes nothing, so what most requests share may go there as it is. */
function toHeaders(
  headers: WireRequest['headers'],
  length: number | undefined,
  isOwn: boolean,
): Record<string, string> {
  if (length !== undefined) return { ...headers, 'content-length': String(length) };
  return isOwn ? (headers as Record<string, string>) : { ...headers };
}

const noHeaders: WireResponse['headers'] = Object.freeze({});

/** Collects one answer, bounded in time and size, and settles exactly once. */
class Collector implements Dispatcher.DispatchHandler, Active {
  readonly #request: WireRequest;
  readonly #settle: (outcome: SendOutcome) => void;
  readonly #sent: SentBody;
  /** Those that are under way, of the same transport. */
  readonly #active: ActiveRequests;
  place = 0;
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
  #incoming: Incoming | undefined;

  constructor(
    request: WireRequest,
    options: TransportOptions,
    sent: SentBody,
    active: ActiveRequests,
    settle: (outcome: SendOutcome) => void,
  ) {
    this.#request = request;
    this.#sent = sent;
    this.#active = active;
    active.add(this);
    this.#settle = settle;
    this.#clock = options.clock;
    this.#maxResponseBytes = request.maxBytes ?? options.maxResponseBytes;
    // The client's own pool has a socket for each request: what it waits for is the connector's.
    if (options.dispatcher === undefined) this.#startTimer();
    request.signal?.addEventListener('abort', this.abort, { once: true });
    if (request.signal?.aborted) this.abort();
  }

  /** undici is about to write the request to a socket: the last moment to hold it back (rule G1). */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('The request is no longer wanted.'));
    else if (!this.#started && !this.#request.mayStart()) this.#stop({ type: 'held-back' });
    else this.#start();
  }

  #start(): void {
    this.#started = true;
    // Somebody else's dispatcher may have let it wait: that is no time-out of the connector (rule D4).
    if (this.#timer === undefined) this.#startTimer();
  }

  #startTimer(): void {
    this.#timer = this.#clock.setTimer(this.#request.timeoutMs, () => this.#stop({ type: 'timeout' }));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: WireResponse['headers']): void {
    if (status < 200) return; // informational: the answer is still to come
    this.#status = status;
    this.#headers = headers;
    if (isStreamed(this.#request, status)) this.#stream(controller);
    // The body of a redirect says nothing that is used; a 304 has none, and leaves its connection in order.
    if (status >= 300 && status < 400 && status !== 304) this.#answer('whole', true);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#incoming?.arrived(chunk);
    if (this.#settled) return;
    this.#size += chunk.length;
    if (this.#size > bodyLimit(this.#status, this.#maxResponseBytes)) this.#answer('too-large', true);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#incoming?.finish('whole');
    this.#answer('whole', false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    this.#incoming?.finish({ type: 'failed', error });
    if (this.#status === 0) this.#finish({ type: 'failed', error: bodyFailure(this.#sent, error) ?? error });
    else this.#answer('cut', false, error);
  }

  /** From here on the body goes its own way. */
  #stream(controller: Dispatcher.DispatchController): void {
    controller.pause();
    this.#incoming = new Incoming({
      clock: this.#clock,
      silenceMs: this.#request.timeoutMs,
      signal: this.#request.signal,
      tap: {
        pause: () => controller.pause(),
        resume: () => controller.resume(),
        destroy: () => this.#destroy(),
      },
    });
    const head = { type: 'answered', status: this.#status, headers: this.#headers } as const;
    this.#finish({ ...head, body: new Uint8Array(), incoming: this.#incoming, end: 'whole' });
  }

  #answer(end: BodyEnd, destroy: boolean, error?: unknown): void {
    const body = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const answered: Answered = { type: 'answered', status: this.#status, headers: this.#headers, body, end, error };
    if (isPacked(answered)) this.#unpack(answered);
    else this.#finish(answered);
    if (destroy) this.#destroy();
  }

  /** The answer is there: neither time-out nor abort can change it any more. */
  #unpack(answered: Answered): void {
    if (this.#settled) return;
    this.#end();
    void unpack(answered, bodyLimit(this.#status, this.#maxResponseBytes)).then(this.#settle);
  }

  #stop(outcome: { type: 'aborted' } | { type: 'timeout' } | { type: 'held-back' }): void {
    // A time-out in the body of an error does not hide what the connector has already said by its status (rule E6).
    if (outcome.type === 'timeout' && this.#status >= 400) this.#answer('cut', false);
    else this.#finish(outcome);
    this.#destroy();
  }

  #destroy(): void {
    this.#chunks = [];
    this.#controller?.abort(new Error('The rest of the answer is not needed.'));
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
