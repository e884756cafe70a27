import { abortable } from '../../internal/index.js';
import { readAnswer, readLimit } from '../http/error-response.js';
import { credentialSecrets, type ErrorContent, sessionSecrets } from '../http/read-error.js';
import type { ConnectorResponse } from '../http/read-success.js';
import { BodyFeed } from '../http/request-body.js';
import { isFinal } from '../http/sent-body.js';
import type { WireResponse } from '../http/wire.js';
import type { Permit } from '../rate-limit/permit.js';
import { limitRefusal, mayRefuseLimit } from '../rate-limit/refusal.js';
import type { Waiter } from '../rate-limit/wait-queue.js';
import { isIdempotent, retryDelayMs } from '../retry.js';
import type { Session } from '../session/session.js';
import type { Trial } from '../session/trials.js';
import type { CallAttempt } from './attempt.js';
import type { Call } from './call.js';
import type { CallContext } from './call-context.js';
import { failureOf, isBodyLost, type Setback, statusOf } from './failure.js';
import { type Facts, noHistory, react, type SessionFacts } from './react.js';
import type { Run } from './road.js';

/**
 * One call on its way: logs in, waits out limits and sends again until there is a response that ends it (rules S3, S4, G1, G7).
 * There may be a hundred thousand that wait.
 */
export class CallRun<Data, Result> implements Run<CallAttempt, Result>, Waiter {
  readonly #context: CallContext;
  readonly #call: Call<Data>;
  readonly #toResult: (response: ConnectorResponse<Data>) => Result;
  readonly #feed: BodyFeed;
  #history = noHistory;
  #waitedMs = 0;
  /** What the gate said when the call last came to it. */
  #pausedMs = 0;
  /** `undefined` unless it waits there. */
  #waitingSince: number | undefined;
  permit: Permit | undefined;
  /** Its place in the line, which it keeps through limits and retries. */
  order: number | undefined;
  #limit: ErrorContent | undefined;
  /** Ends the trial of a session that this call makes for others, too. */
  #endTrial: Trial | undefined;
  #tried: Session | undefined;

  constructor(context: CallContext, call: Call<Data>, toResult: (response: ConnectorResponse<Data>) => Result) {
    this.#context = context;
    this.#call = call;
    this.#toResult = toResult;
    this.#feed = new BodyFeed(call.body);
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal;
  }

  get priority(): number {
    return this.#call.priority;
  }

  get watch() {
    return this.#call.observer?.attempt;
  }

  /** Asked by the gate: the error with which this call gives up instead of waiting (rule W7). */
  refusal(remainingMs: number, resumeAt: Date): Error | undefined {
    const { lane, request } = this.#call;
    const limits = this.#context.settings.rateLimit;
    const waitedMs = this.#waitedMs + lane.pausedMs - this.#pausedMs;
    return limitRefusal({ remainingMs, resumeAt, waitedMs, limits, request, content: this.#limit });
  }

  /** A session, a permit and a body, all at the same time: a wait for one may have outlived another. */
  acquire(): CallAttempt | Promise<unknown> {
    const { lane, signal } = this.#call;
    const session = this.#context.sessions.current;
    this.#noteWait();
    let permit = this.#takePermit(session);
    if (session === undefined) return this.#logIn();
    if (permit === undefined) {
      this.#pausedMs = lane.pausedMs;
      const entered = lane.enter(this);
      if (entered instanceof Promise) return this.#wait(entered);
      permit = entered;
    }
    if (!this.#feed.ready) {
      // A factory may take its time, or throw: meanwhile the place belongs to somebody else.
      lane.leave(permit, 'unsent');
      return abortable(this.#feed.prepare(signal), signal);
    }
    return this.#prepare(session, permit);
  }

  deliver({ session }: CallAttempt, response: WireResponse): Result | Promise<Result> {
    this.#feed.sent();
    this.#context.sessions.accept(session);
    this.#endTrial?.(true);
    const read = readAnswer(response, this.#call, () => this.#secrets(session));
    return read instanceof Promise ? read.then(this.#toResult) : this.#toResult(read);
  }

  async react(setback: Setback<CallAttempt>): Promise<void> {
    const { kind, attempt, outcome } = setback;
    const { sessions } = this.#context;
    const { session } = attempt;
    if (kind !== 'held-back') this.#feed.sent();
    if (isBodyLost(kind)) sessions.accept(session);
    if (kind === 'limit') this.#meetLimit(outcome as WireResponse, session);
    let trial: SessionFacts['trial'] = sessions.isOnTrial(session) ? 'running' : 'none';
    let { adopted } = session;
    if (this.#endTrial !== undefined && kind !== 'limit' && kind !== 'held-back') {
      const isRefused = kind === 'unauthorized';
      if (isRefused) trial = 'lost by this call';
      // A newer session was refused as well: one login more would tell nothing.
      if (session !== this.#tried) adopted = false;
      // Before anybody hears of it: those who wait for the outcome would log in.
      if (isRefused && !adopted) sessions.condemn(session);
      this.#endTrial(!isRefused);
      this.#endTrial = undefined;
    }
    for (;;) {
      const { reaction, history } = react(this.#history, this.#facts(setback, trial, adopted));
      this.#history = history;
      switch (reaction.type) {
        case 'fail':
          if (reaction.session === 'over') sessions.expire(session);
          if (reaction.session === 'fruitless' && trial !== 'lost') sessions.condemn(session);
          throw failureOf(setback, this.#secrets(session), reaction.note);
        case 'again':
          return;
        case 'log in':
          return sessions.expire(session);
        case 'retry':
          return this.#backOff(setback, reaction.number);
        case 'try session':
          if (trial === 'none') {
            this.#endTrial = sessions.beginTrial(session);
            this.#tried = session;
            return sessions.delayTrial(session, this.signal);
          }
          if (await sessions.outcome(session, this.signal)) return;
          trial = 'lost';
      }
    }
  }

  fail(failure: unknown): unknown {
    return this.#context.failed(this.#call, failure, this.#feed.sends);
  }

  end(): void {
    if (this.permit !== undefined) this.#call.lane.leave(this.permit, 'unsent');
    // The others learn nothing from a trial that ends on the way: they try for themselves.
    this.#endTrial?.(true);
    this.#feed.release();
    this.#context.ended();
  }

  /** The permit that it has waited for, where that is still good. */
  #takePermit(session: Session | undefined): Permit | undefined {
    const { permit } = this;
    this.permit = undefined;
    if (permit === undefined || (session !== undefined && this.#call.lane.isCurrent(permit))) return permit;
    this.#call.lane.leave(permit, 'unsent');
    return undefined;
  }

  #prepare(session: Session, permit: Permit): CallAttempt {
    const { request, lane, target, headers, timeoutMs, signal } = this.#call;
    const { sessions, settings } = this.#context;
    return {
      request,
      lane,
      permit,
      session,
      method: request.method,
      target,
      headers: headers === settings.headers ? session.withDefaults : { ...headers, ...session.headers },
      body: this.#feed.body,
      timeoutMs,
      streams: this.#call.reading.responseType === 'stream',
      signal,
      mayStart: () => lane.isCurrent(permit) && sessions.current?.generation === session.generation,
    };
  }

  /** A login bounds what it waits by itself; what this call waits for several logins is in its own sum (rule G5). */
  #logIn(): Promise<unknown> {
    const { sessions, settings, clock } = this.#context;
    const { lane } = this.#call;
    this.#pausedMs = lane.pausedMs;
    const { askedMs, resumeAt = new Date(clock.now()) } = lane.gate.pause;
    if (this.#waitedMs > settings.rateLimit.maxTotalWaitMs) throw this.refusal(askedMs, resumeAt);
    const since = clock.monotonic();
    const login = Promise.resolve(sessions.acquire(this.signal)).then(({ adopted }) => {
      this.#waitedMs += Math.min(lane.pausedMs - this.#pausedMs, clock.monotonic() - since);
      if (!adopted) this.#history = { ...this.#history, logins: this.#history.logins + 1 };
    });
    return this.#call.observer?.wait(login, () => 'login') ?? login;
  }

  #wait(entered: Promise<void>): Promise<void> {
    const { lane, observer } = this.#call;
    this.#waitingSince = this.#context.clock.monotonic();
    const reason = () => (lane.pausedMs > this.#pausedMs ? 'rate-limit' : 'queue');
    return observer?.wait(entered, reason) ?? entered;
  }

  #noteWait(): void {
    if (this.#waitingSince === undefined) return;
    const { settings, clock } = this.#context;
    const pausedMs = this.#call.lane.pausedMs - this.#pausedMs;
    this.#waitedMs += Math.min(pausedMs, clock.monotonic() - this.#waitingSince);
    this.#waitingSince = undefined;
    if (pausedMs > settings.freshSessionGraceMs) this.#history = { ...this.#history, unauthorized: 0, logins: 0 };
  }

  /** @throws where this call parks at any limit: also at one that is over by now. */
  #meetLimit(response: WireResponse, session: Session): void {
    const { settings, clock } = this.#context;
    const { askedMs, resumeAt = new Date(clock.now()) } = this.#call.lane.gate.pause;
    this.#limit = readLimit(response, this.#secrets(session), mayRefuseLimit(askedMs, settings.rateLimit));
    if (settings.rateLimit.onLimit === 'reject') throw this.refusal(askedMs, resumeAt);
  }

  async #backOff(setback: Setback<CallAttempt>, attempt: number): Promise<void> {
    const { settings, retrying, sessions } = this.#context;
    const delayMs = retryDelayMs(attempt, settings.retry, Math.random());
    retrying(this.#call, failureOf(setback, this.#secrets(setback.attempt.session)) as Error, attempt, delayMs);
    const delay = sessions.sleep(delayMs, this.signal);
    await (this.#call.observer?.wait(delay, () => 'retry') ?? delay);
  }

  #facts({ kind, attempt, outcome }: Setback<CallAttempt>, trial: SessionFacts['trial'], adopted: boolean): Facts {
    const { settings, sessions } = this.#context;
    const { retry, freshSessionGraceMs: graceMs } = settings;
    const { session, permit } = attempt;
    const ageMs = permit.startedAt - session.since;
    return {
      kind,
      status: statusOf(outcome),
      isResendable: this.#feed.replayable,
      isIdempotent: isIdempotent(this.#call.request.method, this.#call.idempotent),
      retriesLeft: isFinal(outcome) ? 0 : retry.retries - this.#history.retries,
      session: { ageMs, graceMs, adopted, accepted: session.accepted, coolsDown: sessions.coolsDown(session), trial },
    };
  }

  #secrets(session: Session): string[] {
    return [...sessionSecrets(session.headers), ...credentialSecrets(this.#call.headers), ...this.#context.secrets];
  }
}
