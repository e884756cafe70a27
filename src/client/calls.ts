import type { FailedRequest } from '../contract/index.js';
import { sleep } from '../internal/index.js';
import { withBudget } from './budget.js';
import { type Begun, type Call, type CallContext, CallRun, settleTry, unsendable } from './call.js';
import { CallObserver } from './call-observer.js';
import type { ClientCounters, ConnectorRequest } from './client-types.js';
import { RequestError } from './errors.js';
import type { EventHub } from './events.js';
import type { Gates } from './gates.js';
import { expectManyListeners } from './many-listeners.js';
import { type ConnectorResponse, readSuccess } from './response.js';
import { isIdempotent, isTransient, retryTransient } from './retry.js';
import { toCall } from './to-call.js';
import { type Try, tryAtOnce } from './try.js';
import type { SendOutcome } from './wire.js';

export interface CallsContext extends CallContext {
  counters: { -readonly [Name in Exclude<keyof ClientCounters, 'pausedMs'>]: number };
  events: EventHub;
  gates: Gates;
  /** Aborts when the client is closed. */
  closing: AbortSignal;
}

/** The calls of one client, each from what the caller asked for to what the caller gets. */
export class Calls {
  readonly #context: CallsContext;
  #active = 0;
  #onIdle: (() => void) | undefined;

  constructor(context: CallsContext) {
    this.#context = context;
  }

  /** Settles when no call is under way. */
  async idle(): Promise<void> {
    if (this.#active > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** @returns what `toResult` makes of the answer. @throws as {@link ConnectorClient.request} does. */
  async run<Data, Result>(
    request: ConnectorRequest<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
  ): Promise<Result> {
    const { settings } = this.#context;
    const call = toCall(request, settings, this.#context.gates);
    const budgetMs = request.totalTimeoutMs ?? settings.totalTimeoutMs;
    if (request.signal !== undefined) expectManyListeners(request.signal).throwIfAborted();
    if (this.#context.closing.aborted) throw closedError(call.request);
    this.#context.counters.calls++;
    this.#active++;
    try {
      if (this.#context.events.watchesCalls) {
        // A tracer may add headers, and the call's own may be those of every call.
        const headers = { ...call.headers };
        const observer = new CallObserver(
          call.request,
          headers,
          call.signal,
          settings.clock,
          this.#context.events.publish,
        );
        const watched = { ...call, headers, observer };
        return toResult(await observer.run(() => this.#performInTime(watched, request, budgetMs)));
      }
      if (budgetMs !== undefined) return toResult(await this.#performInTime(call, request, budgetMs));
      const attempt = tryAtOnce(this.#context, call);
      if (attempt !== undefined) {
        const response = this.#conclude(attempt, await this.#context.transport.send(attempt), request);
        return toResult(response instanceof Promise ? await response : response);
      }
      const run = new CallRun(this.#context, call);
      // There may be a hundred thousand that wait: here a call has nothing on its stack but this function.
      if (run.mustWait) await this.#park(run, call);
      return toResult(await this.#perform(call, request, run));
    } finally {
      this.#active--;
      if (this.#active === 0) this.#onIdle?.();
    }
  }

  /** @throws (rejects with) what ends the wait, as the caller gets it. */
  #park(run: CallRun, call: Call): Promise<void> {
    const fail = (failure: unknown) => {
      throw this.#failed(call, failure);
    };
    try {
      return run.queueUp().then((ticket) => run.resume(ticket), fail);
    } catch (refusal) {
      return fail(refusal);
    }
  }

  #performInTime<Data>(
    call: Call,
    request: ConnectorRequest<Data>,
    budgetMs: number | undefined,
  ): Promise<ConnectorResponse<Data>> {
    if (budgetMs === undefined) return this.#perform(call, request);
    return withBudget(budgetMs, this.#context.settings.clock, call, (bounded) => this.#perform(bounded, request));
  }

  /** Ends a call that was sent at once: nothing is left to wait for after a success. */
  #conclude<Data>(
    attempt: Try,
    outcome: SendOutcome,
    request: ConnectorRequest<Data>,
  ): ConnectorResponse<Data> | Promise<ConnectorResponse<Data>> {
    const { call, session } = attempt;
    const run = () => new CallRun(this.#context, call);
    if (outcome.type !== 'answered' || outcome.status >= 300) {
      return this.#perform(call, request, run(), { attempt, outcome });
    }
    settleTry(this.#context, attempt, outcome);
    this.#context.sessions.accept(session);
    try {
      return readSuccess(outcome, call.request, request.schema);
    } catch (error) {
      return this.#recover(error, call, request, run());
    }
  }

  async #perform<Data>(
    call: Call,
    request: ConnectorRequest<Data>,
    run = new CallRun(this.#context, call),
    begun?: Begun,
  ): Promise<ConnectorResponse<Data>> {
    try {
      return readSuccess(await run.send(begun), call.request, request.schema);
    } catch (error) {
      return await this.#recover(error, call, request, run);
    }
  }

  /** p-retry only comes in once something has failed: the way of a success stays short. */
  async #recover<Data>(
    error: unknown,
    call: Call,
    request: ConnectorRequest<Data>,
    run: CallRun,
  ): Promise<ConnectorResponse<Data>> {
    try {
      const isRetryable = (failure: unknown) => {
        if (!isIdempotent(call.request.method, request.idempotent) || !isTransient(failure)) return false;
        if (!run.mayResend) (failure as Error).message += unsendable;
        return run.mayResend;
      };
      if (this.#context.settings.retry.retries === 0 || !isRetryable(error)) throw error;
      const attempt = async () => readSuccess(await run.send(), call.request, request.schema);
      const delay = (failure: Error, number: number, delayMs: number) => this.#backOff(call, failure, number, delayMs);
      return await retryTransient(error, attempt, { retry: this.#context.settings.retry, isRetryable, delay });
    } catch (failure) {
      throw this.#failed(call, failure);
    }
  }

  /** Tells of a call that failed. @returns the error as the caller gets it. */
  #failed(call: Call, failure: unknown): unknown {
    const closed = failure instanceof RequestError && failure.code === 'CLIENT_CLOSED';
    const error = closed ? closedError(call.request) : failure;
    if (!call.signal?.aborted) this.#context.events.emit('error', { ...call.request, error });
    return error;
  }

  async #backOff(call: Call, error: Error, attempt: number, delayMs: number): Promise<void> {
    this.#context.counters.retries++;
    this.#context.events.emit('retry', { ...call.request, attempt, delayMs, error });
    const closing = this.#context.closing;
    const signal = call.signal === undefined ? closing : AbortSignal.any([call.signal, closing]);
    try {
      const delay = sleep(this.#context.settings.clock, delayMs, signal);
      await (call.observer?.wait(delay, () => 'retry') ?? delay);
    } catch (reason) {
      throw call.signal?.aborted ? reason : closedError(call.request);
    }
  }
}

/** The error of a call that a closed client does not make, or does not go on with. */
export function closedError(request: FailedRequest): RequestError {
  return new RequestError('the client is closed', { code: 'CLIENT_CLOSED', request });
}
