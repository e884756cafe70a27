import type { FailedRequest } from '../contract/index.js';
import { parseJson, sleep, type Timer } from '../internal/index.js';
import { observeAttempt } from './call-observer.js';
import { InitializeError } from './errors.js';
import type { EventHub } from './events.js';
import { type Exchange, type ExchangeContext, exchange } from './exchange.js';
import { type Gate, loginPriority } from './gate.js';
import { toHeaders, toInitializeError } from './initialize-answer.js';
import { limitRefusal } from './parking.js';
import { credentialSecrets, readErrorContent, toConnectorError } from './read-response.js';
import { toBodySource } from './request-body.js';
import { toHeaderRecord } from './request-headers.js';
import { toTarget, withoutQuery } from './request-target.js';
import { type ConnectorResponse, incompleteBody, readSuccess } from './response.js';
import { isTransient, retryTransient } from './retry.js';
import { AbandonedLogin, type Login } from './session.js';
import type { Settings } from './settings.js';
import { maxErrorBytes, type WireResponse } from './wire.js';

/** A request that a custom login makes: without a session, but with limits and retries like any login (rules S5, G1). */
export type InitializeRequest = (options: LoginRequest) => Promise<ConnectorResponse>;

export interface LoginRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Uint8Array;
}

/** Replaces the login as a whole (rule S1). Answers with the headers that every later request carries. */
export type InitializeFunction = (context: {
  request: InitializeRequest;
  signal: AbortSignal;
}) => Promise<Record<string, string>>;

export interface LoginContext extends ExchangeContext {
  settings: Settings;
  gateFor(request: FailedRequest): Gate;
  events: EventHub;
  /** Aborts, with an `AbandonedLogin`, when the client is closed. */
  closing: AbortSignal;
}

const defaultTimeoutMs = 60_000;

/** Makes the login of a connection: over HTTP as rule S1 says, or by the caller's own function. */
export function createLogin(context: LoginContext): Login {
  const { initialize } = context.settings;
  return async (signal) => {
    const login = new LoginAttempt(context, signal);
    try {
      return await (typeof initialize === 'function' ? login.byFunction(initialize) : login.overHttp(initialize));
    } catch (error) {
      if (context.closing.aborted) throw new AbandonedLogin(); // where the state is shared, another client goes on
      const request = typeof initialize === 'function' ? { method: 'initialize', path: '' } : initialize;
      if (!signal.aborted) {
        context.events.emit('error', { method: request.method, path: withoutQuery(request.path), error });
      }
      throw error;
    }
  };
}

class LoginAttempt {
  readonly #context: LoginContext;
  readonly #signal: AbortSignal;
  #attempts = 0;
  #spentMs = 0;
  #pausedMs = 0;
  #waitingSince: number | undefined;

  constructor(context: LoginContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  async overHttp(initialize: Exclude<Settings['initialize'], InitializeFunction>): Promise<Record<string, string>> {
    const { method, path, parameters, timeoutMs } = initialize;
    const secrets = parameters.filter(({ sensitive }) => sensitive).map(({ value }) => value);
    try {
      const response = await this.#request({ method, path, json: parameters }, timeoutMs, secrets);
      return toHeaders(parseJson(new TextDecoder().decode(response.body)), response.status, withoutQuery(path));
    } catch (error) {
      throw toInitializeError(error, this.#signal);
    }
  }

  async byFunction(initialize: InitializeFunction): Promise<Record<string, string>> {
    const controller = new AbortController();
    const abort = () => controller.abort(this.#signal.reason);
    this.#signal.addEventListener('abort', abort, { once: true });
    const request: InitializeRequest = async (options) =>
      readSuccess(
        await this.#request(options, defaultTimeoutMs, loginSecrets(options)),
        { method: options.method, path: withoutQuery(options.path) },
        undefined,
      );
    const timeout = this.#timeout(controller);
    try {
      const headers = await Promise.race([initialize({ request, signal: controller.signal }), timeout.promise]);
      return toHeaders(headers, undefined, 'the `initialize` function');
    } catch (error) {
      throw toInitializeError(error, this.#signal);
    } finally {
      timeout.cancel();
      this.#signal.removeEventListener('abort', abort);
    }
  }

  /** Ends a login function that hangs; the pauses it waited out do not count (rule S6). */
  #timeout(controller: AbortController): { promise: Promise<never>; cancel(): void } {
    const { clock } = this.#context;
    const startedAt = clock.monotonic();
    let timer: Timer;
    const promise = new Promise<never>((_resolve, reject) => {
      const arm = (delayMs: number) => {
        timer = clock.setTimer(delayMs, () => {
          const waitingMs = this.#waitingSince === undefined ? 0 : clock.monotonic() - this.#waitingSince;
          const leftMs = defaultTimeoutMs - (clock.monotonic() - startedAt - this.#pausedMs - waitingMs);
          if (leftMs > 0) return arm(leftMs);
          const error = new InitializeError(`initialize did not finish within ${defaultTimeoutMs} ms`);
          controller.abort(error);
          reject(error);
        });
      };
      arm(defaultTimeoutMs);
    });
    promise.catch(() => {}); // it may come after the login has failed by itself
    return { promise, cancel: () => timer.cancel() };
  }

  /** Sends until there is a success, through limits and transient failures (rule S5). */
  async #request(options: LoginRequest, timeoutMs: number, secrets: readonly string[]): Promise<WireResponse> {
    const request = { method: options.method, path: withoutQuery(options.path) };
    const isRetryable = (error: unknown) => isTransient(error) && this.#spentMs < timeoutMs;
    const attempt = async () => {
      const { response, kind } = await this.#send(options, timeoutMs, secrets);
      if (kind !== 'success') throw toConnectorError(response, request, readErrorContent(response, secrets));
      if (response.end !== 'whole') throw incompleteBody(response, request, 'the 1 MiB that is read of a login');
      return response;
    };
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      return retryTransient(error, attempt, {
        retry: this.#context.settings.retry,
        isRetryable,
        delay: (failure, number, delayMs) => this.#backOff(request, failure, number, delayMs, timeoutMs),
      });
    }
  }

  /** Sends one try through the gate, waiting out every limit. The session is never part of it (rule S5). */
  async #send(
    options: LoginRequest,
    timeoutMs: number,
    secrets: readonly string[],
  ): Promise<Extract<Exchange, { type: 'answered' }>> {
    const { settings, clock } = this.#context;
    const source = toBodySource({ json: options.json, body: options.body });
    const target = toTarget(settings.basePath, options.path, undefined);
    const headers = toHeaderRecord(options.headers, source.contentType);
    const gate = this.#context.gateFor(options);
    const request = { method: options.method, path: withoutQuery(options.path) };
    for (;;) {
      this.#waitingSince = clock.monotonic();
      const ticket = await gate.enter({
        signal: this.#signal,
        priority: loginPriority,
        refusal: (remainingMs, resumeAt) =>
          limitRefusal({
            remainingMs,
            resumeAt,
            waitedMs: this.#pausedMs,
            limits: settings.rateLimit,
            request,
          }),
      });
      this.#pausedMs += clock.monotonic() - this.#waitingSince;
      this.#waitingSince = undefined;
      const startedAt = clock.monotonic();
      const sending = exchange(
        { ...this.#context, secrets },
        gate,
        ticket,
        {
          method: options.method,
          target,
          headers,
          body: source.fixed,
          timeoutMs: Math.max(1, timeoutMs - this.#spentMs),
          maxBytes: maxErrorBytes,
          signal: this.#context.closing, // else it is left to finish: somebody else may want the session
          mayStart: () => gate.isCurrent(ticket),
        },
        request,
      );
      const sent = await this.#observe(sending, request).finally(() => {
        this.#spentMs += clock.monotonic() - startedAt;
      });
      if (sent.type === 'answered') return sent;
    }
  }

  #observe(sending: Promise<Exchange>, request: FailedRequest): Promise<Exchange> {
    const { events, clock, closing } = this.#context;
    if (!events.watchesCalls) return sending;
    return observeAttempt(sending, clock, closing, (facts) =>
      events.publish('attempt', { ...request, number: ++this.#attempts, ...facts }),
    );
  }

  async #backOff(
    request: FailedRequest,
    error: Error,
    attempt: number,
    delayMs: number,
    timeoutMs: number,
  ): Promise<void> {
    const { clock, events } = this.#context;
    const boundedMs = Math.min(delayMs, Math.max(0, timeoutMs - this.#spentMs));
    events.emit('retry', { ...request, attempt, delayMs: boundedMs, error });
    await sleep(clock, boundedMs, this.#signal);
    this.#spentMs += boundedMs;
    if (this.#spentMs >= timeoutMs) throw error;
  }
}

/** What a login function sends does not say what of it is secret, so all of it is (rule E5). */
function loginSecrets({ headers = {}, json, body }: LoginRequest): string[] {
  const form = typeof body === 'string' ? [...new URLSearchParams(body).values()] : [];
  return [...credentialSecrets(headers), ...stringsIn(json), ...form];
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
