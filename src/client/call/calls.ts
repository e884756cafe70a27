import { isConnectorError, type RequestLine } from '../../contract/index.js';
import type { ClientCounters, ConnectorRequest } from '../client-types.js';
import { closedError, RequestError } from '../errors.js';
import type { EventHub } from '../events.js';
import type { IncomingBody } from '../http/incoming-body.js';
import { expectManyListeners } from '../http/many-listeners.js';
import type { ConnectorResponse } from '../http/read-success.js';
import { withoutQuery } from '../http/request-target.js';
import type { Transport } from '../http/wire.js';
import type { Gates } from '../rate-limit/gates.js';
import type { SessionHolder } from '../session/session.js';
import type { Settings } from '../settings.js';
import { type Call, type CallContext, checkRequest, checkTimeout, toCall } from './call.js';
import { CallRun } from './call-run.js';
import { CallObserver } from './observer.js';
import { runToEnd } from './run.js';
import { type Open, toStreamed, toStreamRequest } from './stream.js';

export interface CallsOptions {
  settings: Settings;
  transport: Transport;
  counters: { -readonly [Name in Exclude<keyof ClientCounters, 'pausedMs'>]: number };
  sessions: SessionHolder;
  events: EventHub;
  gates: Gates;
  secrets: readonly string[];
  /** Aborts when the client is closed. */
  closing: AbortSignal;
}

/** The calls of one client, from the caller's options to the caller's result. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #context: CallContext;
  #active = 0;
  readonly #streams = new Map<IncomingBody, RequestLine>();
  #onIdle: (() => void) | undefined;

  constructor(options: CallsOptions) {
    const { settings, transport, counters, sessions, secrets, events } = options;
    this.#options = options;
    this.#context = {
      settings,
      transport,
      counters,
      sessions,
      secrets,
      clock: settings.clock,
      retrying: ({ request }, error, attempt, delayMs) => {
        counters.retries++;
        events.emit('retry', { ...request, attempt, delayMs, error });
      },
      failed: (call, failure, attempts) => this.#failed(call, failure, attempts),
      ended: () => {
        this.#active--;
        if (this.#active === 0) this.#onIdle?.();
      },
    };
  }

  /** Resolves when no call is active. */
  async idle(): Promise<void> {
    if (this.#active > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Makes a call. @throws (rejects) as {@link ConnectorClient.request} does. */
  run<Data, Result>(
    request: ConnectorRequest<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
  ): Promise<Result> {
    return request?.responseType === 'stream' ? this.#stream(request, toResult) : this.#run(request, toResult);
  }

  /** Aborts the bodies that callers are still reading. */
  endStreams(): void {
    for (const [body, request] of this.#streams) body.finish({ type: 'aborted', reason: closedError(request) });
  }

  #run<Data, Result>(
    request: ConnectorRequest<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
  ): Promise<Result> {
    try {
      const { settings, gates, closing, counters, events } = this.#options;
      if (closing.aborted) {
        const { method, path } = checkRequest(request, settings);
        throw closedError({ method, path: withoutQuery(String(path)) });
      }
      const call = toCall(request, settings, gates);
      if (request.signal !== undefined) expectManyListeners(request.signal).throwIfAborted();
      counters.calls++;
      const totalTimeoutMs = request.totalTimeoutMs ?? settings.totalTimeoutMs;
      return events.watchesCalls
        ? this.#observe(call, toResult, totalTimeoutMs)
        : this.#start(call, toResult, totalTimeoutMs);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #start<Data, Result>(
    call: Call<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
    totalTimeoutMs: number | undefined,
  ): Promise<Result> {
    if (totalTimeoutMs !== undefined) return this.#startWithin(totalTimeoutMs, call, toResult);
    this.#active++;
    return runToEnd(this.#context, new CallRun(this.#context, call, toResult));
  }

  /** Bounds a whole call, waits included. @throws (rejects with) `BUDGET_EXCEEDED` once the time is over. */
  async #startWithin<Data, Result>(
    totalTimeoutMs: number,
    call: Call<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
  ): Promise<Result> {
    const controller = new AbortController();
    const delayMs = checkTimeout(totalTimeoutMs, 0, 'totalTimeoutMs');
    const timer = this.#options.settings.clock.setTimer(delayMs, () => {
      const message = `no response within the \`totalTimeoutMs\` of ${totalTimeoutMs} ms`;
      controller.abort(new RequestError(message, { code: 'BUDGET_EXCEEDED', request: call.request }));
    });
    const signal = call.signal === undefined ? controller.signal : AbortSignal.any([call.signal, controller.signal]);
    try {
      return await this.#start({ ...call, signal }, toResult, undefined);
    } finally {
      timer.cancel();
    }
  }

  #observe<Data, Result>(
    call: Call<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
    totalTimeoutMs: number | undefined,
  ): Promise<Result> {
    const { settings, events, secrets } = this.#options;
    // A copy, because a tracer may add headers and calls may share the object.
    const headers = { ...call.headers };
    const observer = new CallObserver({
      request: call.request,
      headers,
      secrets,
      clock: settings.clock,
      publish: events.publish,
    });
    return observer.run(() => this.#start({ ...call, headers, observer }, toResult, totalTimeoutMs));
  }

  /** A call whose body is read while it arrives. Requesting the rest of a broken body is a call of its own. */
  async #stream<Data, Result>(
    request: ConnectorRequest<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
  ): Promise<Result> {
    const { settings } = this.#options;
    const { method, path } = checkRequest(request, settings);
    const streamRequest = toStreamRequest({ ...request, method });
    const requestLine = { method, path: withoutQuery(path) };
    const open: Open = (part) =>
      this.#run(part as ConnectorRequest<IncomingBody>, (response) => this.#keepActive(response, requestLine));
    const response = await open(streamRequest);
    const streamed = toStreamed(response, { request: requestLine, streamRequest, settings, open });
    return toResult(streamed as ConnectorResponse<Data>);
  }

  /** A body that is still arriving counts as an active call. */
  #keepActive(response: ConnectorResponse<IncomingBody>, request: RequestLine): ConnectorResponse<IncomingBody> {
    const { data: body } = response;
    this.#active++;
    this.#streams.set(body, request);
    body.onEnd(() => {
      this.#streams.delete(body);
      this.#context.ended();
    });
    return response;
  }

  /** Reports a call that failed. @returns the error that the caller gets. */
  #failed(call: Call, failure: unknown, attempts: number): unknown {
    const closed = failure instanceof RequestError && failure.code === 'CLIENT_CLOSED';
    const error = closed ? closedError(call.request) : failure;
    if (error instanceof RequestError || isConnectorError(error)) Object.assign(error, { attempts });
    if (!call.signal?.aborted) this.#options.events.failed(call.request, error);
    return error;
  }
}
