import type { FailedRequest } from '../contract/index.js';
import { sleep } from '../internal/index.js';
import { withBudget } from './budget.js';
import { type Begun, type Call, type CallContext, CallRun, settleTry, unsendable } from './call.js';
import { CallObserver } from './call-observer.js';
import { cleanUp } from './cleanup.js';
import type { ClientStatus, ConnectorClient, ConnectorRequest, RequestOptions } from './client-types.js';
import { RequestError } from './errors.js';
import { type ClientEventListener, type ClientEventName, EventHub } from './events.js';
import { Gates } from './gates.js';
import { createLogin } from './initialize.js';
import { expectManyListeners } from './many-listeners.js';
import { type ConnectorClientOptions, checkOptions, checkPriority, checkTimeout } from './options.js';
import { toBodySource } from './request-body.js';
import { toHeaderRecord } from './request-headers.js';
import { toTarget, withoutQuery } from './request-target.js';
import { type ConnectorResponse, readSuccess } from './response.js';
import { isIdempotent, isTransient, retryTransient } from './retry.js';
import { AbandonedLogin, SessionHolder } from './session.js';
import { type ClientSnapshot, checkSnapshot } from './snapshot.js';
import { createUndiciTransport } from './transport.js';
import { createFetchTransport } from './transport-fetch.js';
import { type Try, tryAtOnce } from './try.js';
import type { SendOutcome } from './wire.js';

/**
 * Makes the client of one connector connection.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const client = createConnectorClient({
 *   baseUrl: 'http://127.0.0.1:4000',
 *   initialize: { parameters: { user: 'ada', password: process.env.PASSWORD } },
 * })
 * const issue = await client.get('/issues/7')
 */
export function createConnectorClient(options: ConnectorClientOptions): ConnectorClient {
  return new Client(options);
}

class Client implements ConnectorClient {
  readonly #settings;
  readonly #events;
  readonly #transport;
  readonly #gates;
  readonly #sessions;
  readonly #context: CallContext;
  readonly #closing = new AbortController();
  #active = 0;
  #idle: (() => void) | undefined;
  readonly #counters = { calls: 0, sent: 0, refused: 0, logins: 0, pauses: 0, retries: 0 };
  readonly #stopHearingState: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: ConnectorClientOptions) {
    const settings = checkOptions(options);
    const { clock, origin, maxResponseBytes, dispatcher, fetch, concurrency, initialize } = settings;
    this.#settings = settings;
    this.#events = new EventHub({ baseUrl: origin + settings.basePath, client: this });
    this.#transport =
      fetch === undefined
        ? createUndiciTransport({ origin, connections: concurrency, dispatcher, clock, maxResponseBytes })
        : createFetchTransport({ origin, fetch, clock, maxResponseBytes });
    const { emit } = this.#events;
    this.#gates = new Gates(settings, emit);
    const exchange = { settings, transport: this.#transport, clock, counters: this.#counters };
    const closing = expectManyListeners(this.#closing.signal);
    const login = createLogin({
      ...exchange,
      gateFor: (request) => this.#gates.for(request),
      events: this.#events,
      closing,
    });
    this.#sessions = new SessionHolder({
      login,
      state: settings.state,
      clock,
      emit,
      loginCooldownMs: settings.loginCooldownMs,
    });
    const parameters = typeof initialize === 'function' ? [] : initialize.parameters;
    const secrets = parameters.filter(({ sensitive }) => sensitive).map(({ value }) => value);
    this.#context = { ...exchange, sessions: this.#sessions, secrets };
    // In a moment: whoever makes the client has no listener yet.
    this.#stopHearingState = settings.state.onError?.((error) =>
      queueMicrotask(() => emit('error', { method: 'state', path: '', error })),
    );
    this.on('pause', () => this.#counters.pauses++);
    this.on('initialize', () => this.#counters.logins++);
    if (settings.snapshot !== undefined) this.#gates.restore(settings.snapshot);
  }

  request<Data>(request: ConnectorRequest<Data>): Promise<ConnectorResponse<Data>> {
    return this.#call(request, (response) => response);
  }

  get<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('GET', path, options);
  }

  post<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('POST', path, options);
  }

  put<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('PUT', path, options);
  }

  patch<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('PATCH', path, options);
  }

  delete<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('DELETE', path, options);
  }

  on<Name extends ClientEventName>(event: Name, listener: ClientEventListener<Name>): () => void {
    return this.#events.on(event, listener);
  }

  get status(): ClientStatus {
    const { paused, resumeAt, pausedMs, quota } = this.#gates;
    return { paused, resumeAt, session: this.#sessions.status, quota, counters: { ...this.#counters, pausedMs } };
  }

  snapshot(): ClientSnapshot {
    return this.#gates.snapshot();
  }

  restore(snapshot: ClientSnapshot): void {
    this.#gates.restore(checkSnapshot(snapshot));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #data<Data>(method: string, path: string, options: RequestOptions<Data> | undefined): Promise<Data> {
    return this.#call({ ...options, method, path }, dataOf);
  }

  async #call<Data, Result>(
    request: ConnectorRequest<Data>,
    toResult: (response: ConnectorResponse<Data>) => Result,
  ): Promise<Result> {
    const call = this.#toCall(request);
    const budgetMs = request.totalTimeoutMs ?? this.#settings.totalTimeoutMs;
    if (request.signal !== undefined) expectManyListeners(request.signal).throwIfAborted();
    if (this.#closed) throw closedError(call.request);
    this.#counters.calls++;
    this.#active++;
    try {
      if (this.#events.watchesCalls) {
        // A tracer may add headers, and the call's own may be those of every call.
        const headers = { ...call.headers };
        const observer = new CallObserver(
          call.request,
          headers,
          call.signal,
          this.#settings.clock,
          this.#events.publish,
        );
        const watched = { ...call, headers, observer };
        return toResult(await observer.run(() => this.#performInTime(watched, request, budgetMs)));
      }
      if (budgetMs !== undefined) return toResult(await this.#performInTime(call, request, budgetMs));
      const attempt = tryAtOnce(this.#context, call);
      if (attempt !== undefined) {
        const response = this.#conclude(attempt, await this.#transport.send(attempt), request);
        return toResult(response instanceof Promise ? await response : response);
      }
      const run = new CallRun(this.#context, call);
      // There may be a hundred thousand that wait: here a call has nothing on its stack but this function.
      if (run.mustWait) await this.#park(run, call);
      return toResult(await this.#perform(call, request, run));
    } finally {
      this.#active--;
      if (this.#active === 0) this.#idle?.();
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

  #toCall(request: ConnectorRequest): Call {
    const { method, path } = checkRequest(request);
    const body = toBodySource(request);
    return {
      target: toTarget(this.#settings.basePath, path, request.query),
      request: { method, path: withoutQuery(path) },
      headers: toHeaderRecord(request.headers, body.contentType),
      body,
      timeoutMs: checkTimeout(request.timeoutMs, this.#settings.timeoutMs, 'timeoutMs'),
      signal: request.signal,
      gate: this.#gates.for({ method, path }),
      priority: checkPriority(request.priority),
    };
  }

  #performInTime<Data>(
    call: Call,
    request: ConnectorRequest<Data>,
    budgetMs: number | undefined,
  ): Promise<ConnectorResponse<Data>> {
    if (budgetMs === undefined) return this.#perform(call, request);
    return withBudget(budgetMs, this.#settings.clock, call, (bounded) => this.#perform(bounded, request));
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
    session.accepted = true;
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
      if (this.#settings.retry.retries === 0 || !isRetryable(error)) throw error;
      const attempt = async () => readSuccess(await run.send(), call.request, request.schema);
      const delay = (failure: Error, number: number, delayMs: number) => this.#backOff(call, failure, number, delayMs);
      return await retryTransient(error, attempt, { retry: this.#settings.retry, isRetryable, delay });
    } catch (failure) {
      throw this.#failed(call, failure);
    }
  }

  /** Tells of a call that failed. @returns the error as the caller gets it. */
  #failed(call: Call, failure: unknown): unknown {
    const closed = failure instanceof RequestError && failure.code === 'CLIENT_CLOSED';
    const error = closed ? closedError(call.request) : failure;
    if (!call.signal?.aborted) this.#events.emit('error', { ...call.request, error });
    return error;
  }

  async #backOff(call: Call, error: Error, attempt: number, delayMs: number): Promise<void> {
    this.#counters.retries++;
    this.#events.emit('retry', { ...call.request, attempt, delayMs, error });
    const closing = this.#closing.signal;
    const signal = call.signal === undefined ? closing : AbortSignal.any([call.signal, closing]);
    try {
      const delay = sleep(this.#settings.clock, delayMs, signal);
      await (call.observer?.wait(delay, () => 'retry') ?? delay);
    } catch (reason) {
      throw call.signal?.aborted ? reason : closedError(call.request);
    }
  }

  async #close(): Promise<void> {
    const { cleanup, timeoutMs, clock } = this.#settings;
    this.#closing.abort(new AbandonedLogin());
    this.#gates.shutDown();
    this.#stopHearingState?.();
    this.#sessions.shutDown(() => closedError({ method: 'initialize', path: '' }));
    if (this.#active > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    const session = this.#sessions.current;
    const { resumeAt } = this.#gates;
    const paused = resumeAt !== undefined && resumeAt.getTime() > clock.now();
    // During a pause nothing more is sent (rule G1): the session then ends by itself.
    if (cleanup !== undefined && session !== undefined && !paused) {
      await cleanUp({
        transport: this.#transport,
        target: this.#settings.basePath + cleanup.path,
        timeoutMs,
        session,
      }).catch((error) => this.#events.emit('error', { method: 'POST', path: cleanup.path, error }));
    }
    await this.#transport.close();
  }
}

const commonMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function checkRequest(request: ConnectorRequest): FailedRequest {
  if (typeof request !== 'object' || request === null) throw new TypeError('`request` must be an object.');
  if (commonMethods.has(request.method)) return { method: request.method, path: request.path };
  const method = typeof request.method === 'string' ? request.method.toUpperCase() : '';
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT') {
    throw new TypeError(`\`method\` must be an HTTP method, got ${JSON.stringify(request.method)}.`);
  }
  return { method, path: request.path };
}

function dataOf<Data>(response: ConnectorResponse<Data>): Data {
  return response.data;
}

function closedError(request: FailedRequest): RequestError {
  return new RequestError('the client is closed', { code: 'CLIENT_CLOSED', request });
}
