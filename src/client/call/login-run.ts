import { type Clock, sleep } from '../../internal/index.js';
import type { ErrorContent } from '../http/read-error.js';
import { toHeaderRecord } from '../http/request-headers.js';
import { toTarget, withoutQuery } from '../http/request-target.js';
import { maxErrorBytes, type WireResponse } from '../http/wire.js';
import { readLimit, waitLimitError } from '../rate-limit/wait-limits.js';
import { loginPriority, Waiter } from '../rate-limit/wait-queue.js';
import type { LoginRequest } from '../session/initialize.js';
import { toSendable } from './call.js';
import { failureOf, isBodyLost, isFinal, lostBodyError, statusOf } from './failure.js';
import { describeAttempt } from './observer.js';
import { noHistory, react, retryDelayMs } from './react.js';
import type { Attempt, FailedAttempt, Run, RunContext, SentAttempt } from './run.js';

/** How much of its time a login has used (rule S6). A login function may make several requests at once. */
export class LoginTime {
  readonly #clock: Clock;
  #pausedMs = 0;
  #waiting = 0;
  #waitingSince = 0;
  readonly #startedAt: number;
  attempts = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** All but that. */
  get spentMs(): number {
    return this.#clock.monotonic() - this.#startedAt - this.pausedMs;
  }

  /** How long any of the requests has waited at the gate. */
  get pausedMs(): number {
    return this.#pausedMs + (this.#waiting === 0 ? 0 : this.#clock.monotonic() - this.#waitingSince);
  }

  /** @returns a function to call when the wait is over. */
  wait(): () => void {
    if (this.#waiting++ === 0) this.#waitingSince = this.#clock.monotonic();
    return () => {
      const pausedMs = this.pausedMs;
      if (--this.#waiting === 0) this.#pausedMs = pausedMs;
    };
  }
}

/** What to request, and its bounds; `secrets` are never shown. */
type LoginRunOptions = LoginRequest & { timeoutMs: number; secrets: readonly string[]; signal: AbortSignal };

/** One request of a login: it waits at the gate and never carries a session (rule S5). */
export class LoginRun extends Waiter implements Run<Attempt, WireResponse> {
  readonly #context: RunContext;
  readonly #options: LoginRunOptions;
  readonly #time: LoginTime;
  readonly #shared: Omit<Attempt, 'permit' | 'timeoutMs' | 'mayStart'>;
  #history = noHistory;
  #limit: ErrorContent | undefined;
  #endWait: (() => void) | undefined;
  readonly priority = loginPriority;
  readonly watch: ((sent: SentAttempt) => void) | undefined;

  constructor(context: RunContext, options: LoginRunOptions, time: LoginTime) {
    super();
    this.#context = context;
    this.#options = options;
    this.#time = time;
    const lane = context.gates.for(options);
    context.login.gate = lane.gate;
    const body = toSendable({ json: options.json, body: options.body }, options.method, context.settings);
    this.#shared = {
      request: { method: options.method, path: withoutQuery(options.path) },
      lane,
      method: options.method,
      target: toTarget(context.settings.basePath, options.path, undefined),
      headers: toHeaderRecord(context.settings.headers, options.headers, body),
      body: body.body,
      maxBytes: maxErrorBytes,
      signal: context.closing, // only this aborts it: another call may want the session
    };
    if (context.events.watchesCalls) this.watch = (sent) => this.#publish(sent);
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  waitLimitError(): Error | undefined {
    const limits = this.#context.settings.rateLimit;
    const { pausedMs: waitedMs } = this.#time;
    return waitLimitError(this.#shared.lane.gate, {
      waitedMs,
      limits,
      request: this.#shared.request,
      content: this.#limit,
    });
  }

  acquire(): Attempt | Promise<void> {
    this.#endWait?.();
    this.#endWait = undefined;
    const permit = this.#shared.lane.acquire(this);
    if (permit instanceof Promise) {
      this.#endWait = this.#time.wait();
      return permit;
    }
    return {
      ...this.#shared,
      permit,
      timeoutMs: Math.max(1, this.#leftMs),
      mayStart: () => this.#shared.lane.isCurrent(permit),
    };
  }

  deliver(_attempt: Attempt, response: WireResponse): WireResponse {
    return response;
  }

  async react(failed: FailedAttempt): Promise<void> {
    const { kind, outcome } = failed;
    const { settings } = this.#context;
    const { reaction, history } = react(this.#history, {
      kind,
      status: statusOf(outcome),
      isResendable: true,
      isIdempotent: this.#options.idempotent ?? true,
      retriesLeft: this.#leftMs > 0 && !isFinal(outcome) ? settings.retry.retries - this.#history.retries : 0,
      retriedStatuses: settings.retry.statusCodes,
    });
    this.#history = history;
    if (kind === 'limit') {
      const facts = { limits: settings.rateLimit, secrets: this.#options.secrets, names: [] };
      this.#limit = readLimit(this.#shared.lane.gate, outcome as WireResponse, facts);
    }
    if (reaction.type === 'send again') return;
    const error = this.#failureOf(failed);
    if (reaction.type !== 'retry') throw error;
    await this.#backOff(error as Error, reaction.number);
  }

  fail(failure: unknown): unknown {
    return failure;
  }

  end(): void {
    this.#endWait?.();
    this.#shared.lane.giveBack(this);
  }

  get #leftMs(): number {
    return this.#options.timeoutMs - this.#time.spentMs;
  }

  #failureOf(failed: FailedAttempt): unknown {
    if (!isBodyLost(failed.kind)) return failureOf(failed, this.#options.secrets);
    // Without the response: a successful login holds a session (rule E9).
    const { secrets } = this.#options;
    const bound = 'the 1 MiB limit of a login';
    return lostBodyError(failed.outcome as WireResponse, this.#shared.request, { bound, secrets });
  }

  async #backOff(error: Error, attempt: number): Promise<void> {
    const { clock, events, settings, login } = this.#context;
    login.trouble = error;
    const delayMs = Math.min(retryDelayMs(attempt, settings), Math.max(0, this.#leftMs));
    events.emit('retry', { ...this.#shared.request, attempt, delayMs, error });
    await sleep(clock, delayMs, this.signal);
    if (this.#leftMs <= 0) throw error;
  }

  #publish(sent: SentAttempt): void {
    const { clock, events } = this.#context;
    const facts = describeAttempt(sent, this.#options.secrets, clock);
    events.publish('attempt', { ...this.#shared.request, number: ++this.#time.attempts, ...facts });
  }
}
