import { type FailedRequest, isConnectorError } from '../../contract/index.js';
import type { ClientCounters, ConnectorRequest } from '../client-types.js';
import { closedError, RequestError } from '../errors.js';
import type { EventHub } from '../events.js';
import type { Incoming } from '../http/incoming.js';
import { expectManyListeners } from '../http/many-listeners.js';
import type { ConnectorResponse } from '../http/read-success.js';
import { withoutQuery } from '../http/request-target.js';
import type { Transport } from '../http/wire.js';
import type { Gates } from '../rate-limit/gates.js';
import type { SessionHolder } from '../session/session.js';
import type { Settings } from '../settings.js';
import { withBudget } from './budget.js';
import { type Call, checkRequest, toCall } from './call.js';
import type { CallContext } from './call-context.js';
import { CallRun } from './call-run.js';
import { CallObserver } from './observer.js';
import { follow } from './road.js';
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

/** The calls of one client, each from what the caller asked for to what the caller gets. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #context: CallContext;
  #active = 0;
  readonly #streams = new Map<Incoming, FailedRequest>();
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

  /** Settles when no call is under way. */
  async idle(): Promise<void> {
    if (this.#active > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** @returns what `toResult` makes of the response. @throws (rejects) as {@link ConnectorClient.request} does. */
  run<Data, Result>(
    request: ConnectorRequest<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
  ): Promise<Result> {
    return request?.responseType === 'stream' ? this.#stream(request, toResult) : this.#run(request, toResult);
  }

  /** A call whose body is read while it arrives; each part of it that has to be asked for anew is a call of its own. */
  async #stream<Data, Result>(
    request: ConnectorRequest<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
  ): Promise<Result> {
    const { settings } = this.#options;
    const { method, path } = checkRequest(request, settings);
    const asked = toStreamRequest({ ...request, method });
    const failed = { method, path: withoutQuery(path) };
    const open: Open = (again) =>
      this.#run(again as ConnectorRequest<Incoming>, (answer) => this.#carry(answer, failed));
    const answer = await open(asked);
    return toResult(toStreamed(answer, { request: failed, asked, settings, open }) as ConnectorResponse<Data>);
  }

  /** A body that is still arriving is under way like a call. */
  #carry(answer: ConnectorResponse<Incoming>, request: FailedRequest): ConnectorResponse<Incoming> {
    const { data: incoming } = answer;
    this.#active++;
    this.#streams.set(incoming, request);
    incoming.whenOver(() => {
      this.#streams.delete(incoming);
      this.#context.ended();
    });
    return answer;
  }

  /** The client does not wait any longer for bodies that are still being read. */
  endStreams(): void {
    for (const [incoming, request] of this.#streams) incoming.finish({ type: 'aborted', reason: closedError(request) });
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
      const budgetMs = request.totalTimeoutMs ?? settings.totalTimeoutMs;
      return events.watchesCalls ? this.#watch(call, toResult, budgetMs) : this.#go(call, toResult, budgetMs);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #go<Data, Result>(
    call: Call<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
    budgetMs: number | undefined,
  ): Promise<Result> {
    const go = (bounded: Call<Data>) => {
      this.#active++;
      return follow(this.#context, new CallRun(this.#context, bounded, toResult));
    };
    return budgetMs === undefined ? go(call) : withBudget(budgetMs, this.#options.settings.clock, call, go);
  }

  #watch<Data, Result>(
    call: Call<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
    budgetMs: number | undefined,
  ): Promise<Result> {
    const { settings, events, secrets } = this.#options;
    // A tracer may add headers, and the call's own may be those of every call.
    const headers = { ...call.headers };
    const observer = new CallObserver({
      request: call.request,
      headers,
      secrets,
      clock: settings.clock,
      publish: events.publish,
    });
    return observer.run(() => this.#go({ ...call, headers, observer }, toResult, budgetMs));
  }

  /** Tells of a call that failed. @returns the error as the caller gets it. */
  #failed(call: Call, failure: unknown, attempts: number): unknown {
    const closed = failure instanceof RequestError && failure.code === 'CLIENT_CLOSED';
    const error = closed ? closedError(call.request) : failure;
    if (error instanceof RequestError || isConnectorError(error)) Object.assign(error, { attempts });
    if (!call.signal?.aborted) this.#options.events.emit('error', { ...call.request, error });
    return error;
  }
}
