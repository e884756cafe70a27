import type { FailedRequest } from '../contract/index.js';
import { parseJson, sleep } from '../internal/index.js';
import { InitializeError } from './errors.js';
import type { Emit } from './events.js';
import { type Exchange, type ExchangeContext, exchange } from './exchange.js';
import type { Gate } from './gate.js';
import { toHeaders, toInitializeError } from './initialize-answer.js';
import type { Settings } from './options.js';
import { limitRefusal } from './parking.js';
import { readErrorContent, toConnectorError } from './read-response.js';
import { toBodySource } from './request-body.js';
import { type ConnectorResponse, incompleteBody, readSuccess } from './response.js';
import { isTransient, retryTransient } from './retry.js';
import type { Login } from './session.js';

/** A request that a custom login makes: no session, no retries, but the gate like everybody (rules S5, G1). */
export type InitializeRequest = (options: {
  method: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Uint8Array;
}) => Promise<ConnectorResponse>;

/** Replaces the login as a whole (rule S1). Answers with the headers that every later request carries. */
export type InitializeFunction = (context: {
  request: InitializeRequest;
  signal: AbortSignal;
}) => Promise<Record<string, string>>;

export interface LoginContext extends ExchangeContext {
  settings: Settings;
  gateFor(request: FailedRequest): Gate;
  emit: Emit;
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
      const request = typeof initialize === 'function' ? { method: 'initialize', path: '' } : initialize;
      if (!signal.aborted) context.emit('error', { method: request.method, path: request.path, error });
      throw error;
    }
  };
}

class LoginAttempt {
  readonly #context: LoginContext;
  readonly #signal: AbortSignal;
  #spentMs = 0;
  #pausedMs = 0;

  constructor(context: LoginContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  async overHttp(initialize: Exclude<Settings['initialize'], InitializeFunction>): Promise<Record<string, string>> {
    const { method, path, parameters, timeoutMs } = initialize;
    const request = { method, path };
    const secrets = parameters.filter(({ sensitive }) => sensitive).map(({ value }) => value);
    const tryOnce = () => this.#send({ ...request, json: parameters }, timeoutMs);
    const isRetryable = (error: unknown) => isTransient(error) && this.#spentMs < timeoutMs;
    const run = async () => {
      const answer = await tryOnce();
      const { response } = answer;
      if (answer.kind === 'success' && response.end === 'cut') throw incompleteBody(response, request);
      if (answer.kind === 'success') return response;
      throw toConnectorError(response, request, readErrorContent(response, secrets));
    };
    try {
      const response = await run().catch((error) => {
        if (!isRetryable(error)) throw error;
        return retryTransient(error, run, {
          retry: this.#context.settings.retry,
          isRetryable,
          delay: (failure, attempt, delayMs) => this.#backOff(request, failure, attempt, delayMs, timeoutMs),
        });
      });
      if (response.end !== 'whole')
        throw new InitializeError(`${path}: the answer is cut off or too large`, { status: response.status });
      return toHeaders(parseJson(new TextDecoder().decode(response.body)), response.status, path);
    } catch (error) {
      throw toInitializeError(error, this.#signal);
    }
  }

  async byFunction(initialize: InitializeFunction): Promise<Record<string, string>> {
    const { clock } = this.#context;
    const controller = new AbortController();
    const abort = () => controller.abort(this.#signal.reason);
    this.#signal.addEventListener('abort', abort, { once: true });
    const request: InitializeRequest = async (options) => {
      const { response, kind } = await this.#send(options, defaultTimeoutMs);
      if (kind === 'success') return readSuccess(response, options, undefined);
      throw toConnectorError(response, options, readErrorContent(response, []));
    };
    let timer: { cancel(): void } | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = clock.setTimer(defaultTimeoutMs, () => {
        controller.abort();
        reject(new InitializeError(`initialize did not finish within ${defaultTimeoutMs} ms`));
      });
    });
    try {
      const headers = await Promise.race([initialize({ request, signal: controller.signal }), timeout]);
      return toHeaders(headers, undefined, 'the `initialize` function');
    } catch (error) {
      throw toInitializeError(error, this.#signal);
    } finally {
      timer?.cancel();
      this.#signal.removeEventListener('abort', abort);
    }
  }

  /** Sends one try through the gate, waiting out every limit. The session is never part of it (rule S5). */
  async #send(
    options: {
      method: string;
      path: string;
      headers?: Record<string, string>;
      json?: unknown;
      body?: string | Uint8Array;
    },
    timeoutMs: number,
  ): Promise<Extract<Exchange, { type: 'answered' }>> {
    const { settings, clock } = this.#context;
    const source = toBodySource({ json: options.json, body: options.body });
    const gate = this.#context.gateFor(options);
    for (;;) {
      const enteredAt = clock.monotonic();
      const ticket = await gate.enter({
        signal: this.#signal,
        priority: true,
        refuse: (remainingMs, resumeAt) =>
          limitRefusal({
            remainingMs,
            resumeAt,
            waitedMs: this.#pausedMs,
            limits: settings.rateLimit,
            request: options,
          }),
      });
      this.#pausedMs += clock.monotonic() - enteredAt;
      const startedAt = clock.monotonic();
      const sent = await exchange(
        this.#context,
        gate,
        ticket,
        {
          method: options.method,
          target: settings.basePath + options.path,
          headers: {
            accept: 'application/json',
            ...(source.contentType === undefined ? {} : { 'content-type': source.contentType }),
            ...options.headers,
          },
          body: await source.next(),
          timeoutMs: Math.max(1, timeoutMs - this.#spentMs),
          signal: undefined, // what is on the wire is left to finish: others may wait for it
          mayStart: () => gate.isCurrent(ticket),
        },
        options,
      ).finally(() => {
        this.#spentMs += clock.monotonic() - startedAt;
      });
      if (sent.type === 'answered') return sent;
    }
  }

  async #backOff(
    request: FailedRequest,
    error: Error,
    attempt: number,
    delayMs: number,
    timeoutMs: number,
  ): Promise<void> {
    const { clock, emit } = this.#context;
    const boundedMs = Math.min(delayMs, Math.max(0, timeoutMs - this.#spentMs));
    emit('retry', { ...request, attempt, delayMs: boundedMs, error });
    await sleep(clock, boundedMs, this.#signal);
    this.#spentMs += boundedMs;
    if (this.#spentMs >= timeoutMs) throw error;
  }
}
