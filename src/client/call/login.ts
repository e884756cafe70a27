import { checkNames, decodeLeniently, follow, parseJson, sleep } from '../../internal/index.js';
import { AbandonedLogin, beginCooldown, InitializeError } from '../errors.js';
import { unreadableError } from '../http/error-response.js';
import { readSuccess, toResponse } from '../http/read-success.js';
import { withoutQuery } from '../http/request-target.js';
import { headerValue } from '../http/wire.js';
import {
  type InitializeFunction,
  type InitializeRequest,
  type LoginRequest,
  toInitializeError,
  toSessionHeaders,
} from '../session/initialize.js';
import type { Login } from '../session/renew.js';
import type { Settings } from '../settings.js';
import { toMethod } from './call.js';
import { LoginRun, LoginTime } from './login-run.js';
import { boundSecrets, loginSecrets } from './login-secrets.js';
import { type RunContext, runToEnd } from './run.js';

const defaultTimeoutMs = 60_000;

const loginNames = { method: true, path: true, headers: true, json: true, body: true, idempotent: true } as const;
const loginOptions = Object.keys(loginNames satisfies Record<keyof LoginRequest, true>);

/** The login of a connection: over HTTP (rule S1), or by the caller's function. */
export function createLogin(context: RunContext): Login {
  const { initialize, loginCooldownMs } = context.settings;
  return async (signal) => {
    const login = new LoginProcess(context, signal);
    try {
      return await (typeof initialize === 'function' ? login.byFunction(initialize) : login.overHttp(initialize));
    } catch (error) {
      if (context.closing.aborted) throw new AbandonedLogin(); // with a shared state, another client takes over
      const { method, path } = typeof initialize === 'function' ? { method: 'initialize', path: '' } : initialize;
      if (error instanceof InitializeError && error.refused) beginCooldown(error, context.clock, loginCooldownMs);
      if (!signal.aborted) context.events.failed({ method, path: withoutQuery(path) }, error);
      throw error;
    } finally {
      context.login.trouble = undefined;
    }
  };
}

class LoginProcess {
  readonly #context: RunContext;
  readonly #signal: AbortSignal;
  readonly #time: LoginTime;

  constructor(context: RunContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
    this.#time = new LoginTime(context.clock);
  }

  async overHttp(initialize: Exclude<Settings['initialize'], InitializeFunction>): Promise<Record<string, string>> {
    const { method, path, parameters, timeoutMs } = initialize;
    try {
      const response = await this.#request({ method, path, json: parameters }, timeoutMs, this.#context.secrets);
      const text = decodeLeniently(response.body, headerValue(response.headers, 'content-type') ?? '');
      return toSessionHeaders(parseJson(text), response.status, withoutQuery(path));
    } catch (error) {
      throw toInitializeError(error, this.#signal, '`rateLimit.scope`');
    }
  }

  async byFunction(initialize: InitializeFunction): Promise<Record<string, string>> {
    const controller = new AbortController();
    const leave = follow([this.#signal], (reason) => controller.abort(reason));
    const done = new AbortController();
    /** What its requests have sent so far, the latest first. */
    let secrets: string[] = [];
    const request: InitializeRequest = async <Data>(options: LoginRequest) => {
      checkNames(loginOptions, options);
      const { path } = options;
      const method = toMethod(options.method);
      secrets = boundSecrets([...loginSecrets(options), ...secrets]);
      const own = secrets;
      const response = await this.#request({ ...options, method }, defaultTimeoutMs, own);
      const reading = { method, responseType: 'auto', schema: undefined, parseJson: undefined } as const;
      // Without the response: a successful login holds a session (rule E9).
      const data = await readSuccess(response, reading, (problem) =>
        unreadableError(problem, { method, path: withoutQuery(path) }, response, own),
      );
      return toResponse(response, data as Data);
    };
    const timeout = this.#timeOut(controller, done.signal);
    timeout.catch(() => {}); // it may reject after the login has failed for another reason
    try {
      // Later: if it calls the client, that call must find this login.
      const running = Promise.resolve().then(() => initialize({ request, signal: controller.signal }));
      const headers = await Promise.race([running, timeout]);
      const session = toSessionHeaders(headers, undefined, 'the `initialize` function');
      this.#context.secrets.splice(0, Number.POSITIVE_INFINITY, ...secrets); // in place: everyone has this array
      return session;
    } catch (error) {
      throw toInitializeError(error, this.#signal, 'the `initialize` function');
    } finally {
      done.abort();
      leave();
    }
  }

  /** Ends a login function that hangs; pauses that it waited out do not count (rule S6). On a closed client nobody waits. */
  async #timeOut(controller: AbortController, done: AbortSignal): Promise<never> {
    const { clock, closing } = this.#context;
    for (let leftMs = defaultTimeoutMs; leftMs > 0; leftMs = defaultTimeoutMs - this.#time.spentMs)
      await sleep(clock, leftMs, done, closing);
    const hint = 'it must send with the `request` it gets, as calls of the client wait for this login';
    const error = new InitializeError(`initialize did not finish within ${defaultTimeoutMs} ms (${hint})`);
    controller.abort(error);
    throw error;
  }

  /** Sends until there is a success, through rate limits and transient failures (rule S5). */
  #request(options: LoginRequest, timeoutMs: number, secrets: readonly string[]) {
    return runToEnd(
      this.#context,
      new LoginRun(this.#context, { ...options, timeoutMs, secrets, signal: this.#signal }, this.#time),
    );
  }
}
