import type { FailedRequest } from '../../contract/index.js';
import { sleep } from '../../internal/index.js';
import type { EventHub } from '../events.js';
import { incompleteBody } from '../http/read-success.js';
import { toBodySource } from '../http/request-body.js';
import { toHeaderRecord } from '../http/request-headers.js';
import { toTarget, withoutQuery } from '../http/request-target.js';
import { isFinal } from '../http/sent-body.js';
import { maxErrorBytes, type WireResponse } from '../http/wire.js';
import type { Gates } from '../rate-limit/gates.js';
import type { Lane } from '../rate-limit/lane.js';
import type { Permit } from '../rate-limit/permit.js';
import { limitRefusal } from '../rate-limit/refusal.js';
import { loginPriority, type Waiter } from '../rate-limit/wait-queue.js';
import { retryDelayMs } from '../retry.js';
import type { LoginRequest } from '../session/initialize-function.js';
import type { Settings } from '../settings.js';
import type { Attempt } from './attempt.js';
import { type Answer, failureOf, isBodyLost, type Setback, statusOf } from './failure.js';
import type { LoginTime } from './login-time.js';
import { describeAttempt } from './observer.js';
import { noHistory, react } from './react.js';
import type { RoadContext, Run } from './road.js';

export interface LoginRunContext extends RoadContext {
  settings: Settings;
  gates: Gates;
  events: EventHub;
  closing: AbortSignal;
}

interface LoginAttempt extends Attempt {
  readonly startedAt: number;
}

/** What a login asks for, and what bounds it; `secrets` are not shown. */
type LoginRunOptions = LoginRequest & { timeoutMs: number; secrets: readonly string[]; signal: AbortSignal };

/** One request of a login on its way: it waits for the gate and never carries a session (rule S5). */
export class LoginRun implements Run<LoginAttempt, WireResponse>, Waiter {
  readonly #context: LoginRunContext;
  readonly #options: LoginRunOptions;
  readonly #time: LoginTime;
  readonly #request: FailedRequest;
  readonly #lane: Lane;
  /** What all attempts have in common. */
  readonly #common: Omit<LoginAttempt, 'permit' | 'timeoutMs' | 'startedAt' | 'mayStart'>;
  #history = noHistory;
  #endWait: (() => void) | undefined;
  permit: Permit | undefined;
  order: number | undefined;
  readonly priority = loginPriority;
  readonly watch: ((answer: Answer<LoginAttempt>, startedAt: number) => void) | undefined;

  constructor(context: LoginRunContext, options: LoginRunOptions, time: LoginTime) {
    this.#context = context;
    this.#options = options;
    this.#time = time;
    this.#request = { method: options.method, path: withoutQuery(options.path) };
    this.#lane = context.gates.for(options);
    const body = toBodySource({ json: options.json, body: options.body });
    this.#common = {
      request: this.#request,
      lane: this.#lane,
      method: options.method,
      target: toTarget(context.settings.basePath, options.path, undefined),
      headers: toHeaderRecord(context.settings.headers, options.headers, body),
      body: body.fixed,
      maxBytes: maxErrorBytes,
      signal: context.closing, // else it is left to finish: somebody else may want the session
    };
    if (context.events.watchesCalls) this.watch = (answer, startedAt) => this.#publish(answer, startedAt);
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  refusal(remainingMs: number, resumeAt: Date): Error | undefined {
    const limits = this.#context.settings.rateLimit;
    return limitRefusal({ remainingMs, resumeAt, waitedMs: this.#time.pausedMs, limits, request: this.#request });
  }

  acquire(): LoginAttempt | Promise<void> {
    const { clock } = this.#context;
    this.#endWait?.();
    this.#endWait = undefined;
    const { permit = this.#lane.enter(this) } = this;
    this.permit = undefined;
    if (permit instanceof Promise) {
      this.#endWait = this.#time.wait();
      return permit;
    }
    return {
      ...this.#common,
      permit,
      timeoutMs: Math.max(1, this.#leftMs),
      startedAt: clock.monotonic(),
      mayStart: () => this.#lane.isCurrent(permit),
    };
  }

  deliver({ startedAt }: LoginAttempt, response: WireResponse): WireResponse {
    this.#time.spentMs += this.#context.clock.monotonic() - startedAt;
    return response;
  }

  async react(setback: Setback<LoginAttempt>): Promise<void> {
    const { kind, outcome, attempt } = setback;
    const { settings, clock } = this.#context;
    this.#time.spentMs += clock.monotonic() - attempt.startedAt;
    const { reaction, history } = react(this.#history, {
      kind,
      status: statusOf(outcome),
      isResendable: true,
      isIdempotent: true,
      retriesLeft: this.#leftMs > 0 && !isFinal(outcome) ? settings.retry.retries - this.#history.retries : 0,
    });
    this.#history = history;
    if (reaction.type === 'again') return;
    const error = this.#failureOf(setback);
    if (reaction.type !== 'retry') throw error;
    await this.#backOff(error as Error, reaction.number);
  }

  fail(failure: unknown): unknown {
    return failure;
  }

  end(): void {
    this.#endWait?.();
    if (this.permit !== undefined) this.#lane.leave(this.permit, 'unsent');
  }

  get #leftMs(): number {
    return this.#options.timeoutMs - this.#time.spentMs;
  }

  #failureOf(answer: Answer): unknown {
    // Without the response: a success of a login holds a session (rule E9).
    if (!isBodyLost(answer.kind)) return failureOf(answer, this.#options.secrets);
    return incompleteBody(answer.outcome as WireResponse, this.#request, {
      bound: 'the 1 MiB that is read of a login',
    });
  }

  async #backOff(error: Error, attempt: number): Promise<void> {
    const { clock, events, settings } = this.#context;
    const delayMs = Math.min(retryDelayMs(attempt, settings.retry, Math.random()), Math.max(0, this.#leftMs));
    events.emit('retry', { ...this.#request, attempt, delayMs, error });
    await sleep(clock, delayMs, this.signal);
    this.#time.spentMs += delayMs;
    if (this.#leftMs <= 0) throw error;
  }

  #publish(answer: Answer, startedAt: number): void {
    if (answer.kind === 'held-back') return;
    const { clock, events } = this.#context;
    const facts = describeAttempt(answer, this.#options.secrets, clock.monotonic() - startedAt);
    events.publish('attempt', { ...this.#request, number: ++this.#time.attempts, ...facts });
  }
}
