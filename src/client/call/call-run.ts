import { abortable, sleep } from '../../internal/index.js';
import { unreadableError, withResponse } from '../http/error-response.js';
import { type ErrorContent, secretNames } from '../http/read-error.js';
import { readSuccess, toResponse } from '../http/read-success.js';
import type { BodySupply } from '../http/request-body.js';
import type { WireResponse } from '../http/wire.js';
import { describeHoldUp, type HoldUp, readLimit, type WaitsFor, waitLimitError } from '../rate-limit/wait-limits.js';
import { Waiter } from '../rate-limit/wait-queue.js';
import { type Call, type CallAttempt, type CallContext, reportFailure, toAttempt } from './call.js';
import { failureOf, isFinal, secretsOf, statusOf } from './failure.js';
import { type Facts, isIdempotent, needsTurn, noHistory, react, retryDelayMs } from './react.js';
import { Refusals, type Standing } from './refusals.js';
import type { FailedAttempt, Run } from './run.js';

/** One call, from login to response (rules S3, S4, G1, G7). It keeps little: a hundred thousand may wait at once. */
export class CallRun<Data, Result> extends Waiter implements Run<CallAttempt, Result> {
  readonly #context: CallContext;
  readonly #call: Call<Data, Result>;
  #bodies: BodySupply;
  attempts = 0;
  #history = noHistory;
  /** Set once it has met a 401. */
  #refusals: Refusals | undefined;
  #waitedMs = 0;
  /** How long the gate had been paused when this call last arrived at it. */
  #pausedMs = 0;
  #limit: ErrorContent | undefined;
  /** Why it was retried last. */
  #trouble: Error | undefined;
  /** `undefined` while it is on its way. */
  #waitsFor: WaitsFor | undefined;

  constructor(context: CallContext, call: Call<Data, Result>) {
    super();
    this.#context = context;
    this.#call = call;
    this.#bodies = call.body;
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal;
  }

  get priority(): number {
    return this.#call.priority;
  }

  get watch() {
    return this.#call.watch ?? this.#call.observer?.attempt;
  }

  /** Called by the gate. @returns the error with which this call gives up instead of waiting (rule W7). */
  waitLimitError(): Error | undefined {
    const { lane, request } = this.#call;
    const limits = this.#context.settings.rateLimit;
    const waitedMs = this.#waitedMs + lane.pausedMs - this.#pausedMs;
    return waitLimitError(lane.gate, { waitedMs, limits, request, content: this.#limit });
  }

  /** Needs a session, a permit and a body at the same moment: waiting for one may have outlived another. */
  acquire(): CallAttempt | Promise<unknown> {
    const { lane, signal } = this.#call;
    const { closing, clock, sessions } = this.#context;
    const { current: session, turns } = sessions;
    this.#recordWait();
    this.#pausedMs = lane.pausedMs;
    if (this.#refusals !== undefined && needsTurn(this.#history)) turns.join(this, clock);
    const turn = turns.size === 0 ? undefined : turns.before(this, session, clock);
    if (turn !== undefined || session === undefined) {
      lane.giveBack(this);
      this.#waitsFor = turn === undefined ? 'a login' : 'its session';
      return turn === undefined ? this.#logIn() : abortable(turn, signal, closing);
    }
    this.#waitsFor = 'a free place';
    const permit = lane.acquire(this);
    if (permit instanceof Promise) return this.#wait(permit);
    if (!this.#bodies.ready) {
      // A factory may take its time, or throw: meanwhile another call gets the permit.
      lane.release(permit, 'unsent');
      this.#waitsFor = 'its body';
      return abortable(this.#bodies.prepare(signal, closing), signal, closing);
    }
    this.#waitsFor = undefined;
    session.use.sent++;
    session.use.unanswered++;
    return toAttempt(this.#call, this.#context, { session, permit, body: this.#bodies.body });
  }

  deliver(attempt: CallAttempt, response: WireResponse): Result | Promise<Result> {
    const { request, responseType, schema, toResult } = this.#call;
    const { parseJson } = this.#context.settings;
    this.attempts++;
    attempt.session.use.unanswered--;
    this.#refusals?.endRecheck(true);
    const secrets = () => secretsOf(attempt, this.#context.secrets);
    const explain = (error: Error) => {
      Object.assign(error, { attempts: this.attempts });
      return withResponse(error, response, secrets(), secretNames(attempt.session.headers));
    };
    if (response.incoming !== undefined) {
      this.#context.arriving(this.#call, response.incoming, explain);
      this.#bodies = this.#bodies.releaseAfter(response.incoming);
    }
    const read = readSuccess(response, { method: request.method, responseType, schema, parseJson }, (problem) =>
      explain(unreadableError(problem, request, response, secrets())),
    );
    const finish = (data: Data) => toResult(data, () => toResponse(response, data));
    return read instanceof Promise ? abortable(read, this.signal, this.#context.cutOff).then(finish) : finish(read);
  }

  async react(failed: FailedAttempt<CallAttempt>): Promise<void> {
    const { kind, attempt, outcome } = failed;
    const { sessions, closing } = this.#context;
    const { session } = attempt;
    session.use.unanswered--;
    if (kind === 'held-back') session.use.sent--;
    else {
      this.attempts++;
      this.#bodies.release(); // what is left is of no use
    }
    if (kind === 'limit') this.#meetLimit(outcome as WireResponse, attempt);
    if (kind === 'unauthorized') this.#refusals ??= new Refusals(sessions);
    const standing = this.#refusals?.meet(kind, session);
    this.#history = this.#refusals?.review(this.#history, kind, session) ?? this.#history;
    for (;;) {
      const { reaction, history } = react(this.#history, this.#facts(failed, standing));
      if (history.unauthorized > this.#history.unauthorized) this.#refusals?.count(session);
      this.#history = history;
      if (reaction.type !== 'log in') sessions.turns.leave(this);
      switch (reaction.type) {
        case 'fail':
          if (reaction.session === 'ended') sessions.expire(session);
          if (reaction.session === 'never accepted' && standing?.recheck !== 'failed') sessions.markUnusable(session);
          throw failureOf(failed, this.#context.secrets, reaction.note);
        case 'send again':
          return;
        case 'log in':
          return sessions.expire(session);
        case 'retry':
          return this.#backOff(failed, reaction.number);
        case 'recheck session':
          this.#waitsFor = 'its session';
          if (session.recheck === undefined) {
            this.#refusals?.beginRecheck(session);
            return sessions.delayRecheck(session, this.signal);
          }
          if (await abortable(session.recheck, this.signal, closing)) return;
          (standing as Standing).recheck = 'failed';
      }
    }
  }

  fail(failure: unknown): unknown {
    return reportFailure(failure, this.#call, this, this.#context);
  }

  holdUp(): HoldUp {
    return describeHoldUp(this.#waitsFor, this.#call, { login: this.#context.login, trouble: this.#trouble });
  }

  end(): void {
    this.#call.lane.giveBack(this);
    // A recheck without an outcome tells the others nothing: they try for themselves.
    this.#refusals?.endRecheck(true);
    if (this.#refusals !== undefined) this.#context.sessions.turns.leave(this);
    this.#bodies.release();
    this.#context.ended();
  }

  /** A login bounds its own waits; what this call waits for all its logins counts in its own sum (rule G5). */
  #logIn(): Promise<unknown> {
    const { sessions, settings } = this.#context;
    if (this.#waitedMs > settings.rateLimit.maxTotalWaitMs) throw this.waitLimitError();
    const login = sessions.acquire(this.signal).then(({ adopted }) => {
      this.#waitedMs += this.#call.lane.pausedMs - this.#pausedMs;
      if (!adopted) this.#history = { ...this.#history, logins: this.#history.logins + 1 };
    });
    return this.#call.observer?.wait(login, () => 'login') ?? login;
  }

  #wait(acquired: Promise<void>): Promise<void> {
    const { lane, observer } = this.#call;
    // Neither its source nor the calls of other scopes may wait so long (rule G8).
    if (lane.gate.pause.on) {
      this.#bodies.discardProduced();
      this.#context.sessions.turns.leave(this);
    }
    return observer?.wait(acquired, () => (lane.pausedMs > this.#pausedMs ? 'rate-limit' : 'queue')) ?? acquired;
  }

  #recordWait(): void {
    if (this.#waitsFor !== 'a free place') return;
    const pausedMs = this.#call.lane.pausedMs - this.#pausedMs;
    if (pausedMs > 0) this.#bodies.discardProduced();
    this.#waitedMs += pausedMs;
    if (pausedMs <= this.#context.settings.freshSessionGraceMs) return;
    this.#history = { ...this.#history, unauthorized: 0, logins: 0 };
    this.#refusals?.endRecheck(true); // the session may have ended meanwhile
  }

  /** @throws with `onLimit: 'reject'`, even if the limit is over by now. */
  #meetLimit(response: WireResponse, attempt: CallAttempt): void {
    const limits = this.#context.settings.rateLimit;
    const secrets = secretsOf(attempt, this.#context.secrets);
    const names = secretNames(attempt.session.headers);
    this.#limit = readLimit(this.#call.lane.gate, response, { limits, secrets, names });
    if (limits.onLimit === 'reject') throw this.waitLimitError();
  }

  async #backOff(failed: FailedAttempt<CallAttempt>, attempt: number): Promise<void> {
    const { settings, clock, counters, events, secrets, closing } = this.#context;
    const delayMs = retryDelayMs(attempt, settings);
    const error = failureOf(failed, secrets) as Error;
    this.#trouble = error;
    this.#waitsFor = 'a retry';
    counters.retries++;
    events.emit('retry', { ...this.#call.request, attempt, delayMs, error });
    const delay = sleep(clock, delayMs, this.signal, closing);
    await (this.#call.observer?.wait(delay, () => 'retry') ?? delay);
  }

  #facts({ kind, outcome, attempt }: FailedAttempt<CallAttempt>, standing: Standing | undefined): Facts {
    const { settings, sessions } = this.#context;
    const { session, permit } = attempt;
    return {
      kind,
      status: statusOf(outcome),
      isResendable: this.attempts === 0 || this.#bodies.replayable,
      isIdempotent: isIdempotent(this.#call.request.method, this.#call.idempotent),
      retriesLeft: isFinal(outcome) ? 0 : settings.retry.retries - this.#history.retries,
      retriedStatuses: settings.retry.statusCodes,
      session: standing && {
        ...standing,
        ageMs: permit.startedAt - session.since,
        graceMs: settings.freshSessionGraceMs,
        accepted: session.use.accepted,
        isCoolingDown: sessions.isCoolingDown(session),
      },
    };
  }
}
