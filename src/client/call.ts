import type { FailedRequest } from '../contract/index.js';
import { abortable } from '../internal/index.js';
import type { CallObserver } from './call-observer.js';
import { type Exchange, type ExchangeContext, exchange, settle } from './exchange.js';
import type { Gate, Ticket } from './gate.js';
import { limitRefusal, toRateLimitError } from './parking.js';
import {
  credentialSecrets,
  type ErrorContent,
  readErrorContent,
  sessionSecrets,
  toConnectorError,
} from './read-response.js';
import { BodyFeed, type BodySource } from './request-body.js';
import { decideUnauthorized, type Session, type SessionHolder } from './session.js';
import type { Settings } from './settings.js';
import { Try } from './try.js';
import type { Waiter } from './wait-queue.js';
import type { SendOutcome, WireResponse } from './wire.js';

export interface CallContext extends ExchangeContext {
  settings: Settings;
  sessions: SessionHolder;
}

/** One call as the caller made it, ready to be sent as often as it takes. */
export interface Call {
  request: FailedRequest;
  target: string;
  headers: Readonly<Record<string, string>>;
  body: BodySource;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  gate: Gate;
  priority: number;
  /** There when somebody watches. */
  observer?: CallObserver;
}

/** A try that was answered, by something else than a limit. */
interface Sent {
  response: WireResponse;
  attempt: Try;
}

/** A try that went out before its call had a run, and what came of it. */
export interface Begun {
  attempt: Try;
  outcome: SendOutcome;
}

/** How long to wait before a fresh session that was refused is tried again (rule S4). */
const freshSessionDelayMs = 1000;

/**
 * Gets one call through: logs in, waits out limits and sends again until there is an answer that is neither
 * (rules S3, S4, G1, G7). Sends, logins and waits of this kind do not count as retries (rule G5).
 */
export class CallRun implements Waiter {
  readonly #context: CallContext;
  readonly #call: Call;
  /** 401s, and logins of this client, since the last long pause or retry: both may outlive a session, so the count starts anew. */
  #unauthorized = 0;
  #logins = 0;
  /** How often others had used up the session before this call's turn. */
  #overtaken = 0;
  #waitedMs = 0;
  /** What the gate said when the call last came to it. */
  #pausedMs = 0;
  #cameAt = 0;
  #ticket: Ticket | undefined;
  /** Its place in the line, which it keeps through limits and retries. */
  order: number | undefined;
  readonly #feed: BodyFeed;
  #limit: ErrorContent | undefined;

  constructor(context: CallContext, call: Call) {
    this.#context = context;
    this.#call = call;
    this.#feed = new BodyFeed(call.body);
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal;
  }

  get priority(): number {
    return this.#call.priority;
  }

  /** Asked by the gate: the error with which this call gives up instead of waiting (rule W7). */
  refusal(remainingMs: number, resumeAt: Date): Error | undefined {
    const { gate, request } = this.#call;
    return limitRefusal({
      remainingMs,
      resumeAt,
      waitedMs: this.#waitedMs + gate.pausedMs - this.#pausedMs,
      limits: this.#context.settings.rateLimit,
      request,
      content: this.#limit,
    });
  }

  /** Whether the body can be sent once more; a stream without a factory cannot (rule G8). */
  get mayResend(): boolean {
    return this.#feed.replayable;
  }

  /** Whether the call cannot begin now, and has a session to begin with when it can. */
  get mustWait(): boolean {
    return this.#call.gate.isBusy && this.#context.sessions.current !== undefined;
  }

  /** Waits for the gate before {@link send}. @throws the error with which the call gives up instead. */
  queueUp(): Promise<Ticket> {
    return Promise.resolve(this.#comeToGate());
  }

  /** The wait of {@link queueUp} is over: {@link send} begins with this ticket. */
  resume(ticket: Ticket): void {
    this.#noteWait();
    this.#ticket = ticket;
  }

  /** @returns the answer of a success. @throws the typed error of any other end. */
  async send(begun?: Begun): Promise<WireResponse> {
    this.#unauthorized = 0;
    this.#logins = 0;
    this.#overtaken = 0;
    this.order ??= begun?.attempt.ticket.order;
    try {
      let sent = await this.#sendOnce(begun);
      for (;;) {
        const { response, attempt } = sent;
        if (response.status < 300) {
          this.#context.sessions.accept(attempt.session);
          return response;
        }
        if (response.status !== 401) throw this.#failure(response, attempt.session);
        sent = (await this.#afterUnauthorized(sent)) ?? (await this.#sendOnce());
      }
    } finally {
      this.#feed.release();
    }
  }

  /** Sends until the answer is no rate limit. */
  async #sendOnce(begun?: Begun): Promise<Sent> {
    for (let first = begun; ; first = undefined) {
      const attempt = first?.attempt ?? (await this.#prepare());
      let sent: Exchange;
      try {
        sent = first === undefined ? await this.#exchange(attempt) : settleTry(this.#context, attempt, first.outcome);
      } catch (error) {
        this.#feed.sent();
        throw error;
      }
      if (sent.type !== 'held-back') this.#feed.sent();
      if (sent.type === 'answered') return { response: sent.response, attempt };
      if (sent.type === 'limited') this.#afterLimit(sent.response, attempt.session);
    }
  }

  /** Waits until there is a session, a ticket and a body, all at the same time. */
  async #prepare(): Promise<Try> {
    const { sessions } = this.#context;
    const { gate, signal } = this.#call;
    for (;;) {
      let ticket = this.#ticket;
      this.#ticket = undefined;
      if (ticket === undefined) {
        const login = this.#logIn();
        if (login !== undefined && !(await login).adopted) this.#logins++;
        const entered = this.#comeToGate();
        ticket = entered instanceof Promise ? await this.#wait(entered) : entered;
      }
      // Only now is it certain when this goes out: a wait may have outlived the session.
      const session = sessions.current;
      if (session === undefined || !gate.isCurrent(ticket)) {
        gate.leave(ticket, 'unknown');
        continue;
      }
      if (this.#feed.ready) return new Try(this.#context, this.#call, ticket, session, this.#feed.body);
      // A factory may take its time, or throw: meanwhile the place belongs to somebody else.
      gate.leave(ticket, 'unknown');
      await abortable(this.#feed.prepare(signal), signal);
    }
  }

  #exchange(attempt: Try): Promise<Exchange> {
    const { call, ticket } = attempt;
    const sending = exchange(this.#context, call.gate, ticket, attempt, call.request);
    return call.observer?.attempt(sending) ?? sending;
  }

  /** @returns nothing where there is a session: most requests need no turn of the event loop here. */
  #logIn(): Promise<Session> | undefined {
    const session = this.#context.sessions.acquire(this.#call.signal);
    if (!(session instanceof Promise)) return undefined;
    return this.#call.observer?.wait(session, () => 'login') ?? session;
  }

  async #wait(entered: Promise<Ticket>): Promise<Ticket> {
    const { gate, observer } = this.#call;
    const reason = () => (gate.pausedMs > this.#pausedMs ? 'rate-limit' : 'queue');
    const ticket = await (observer?.wait(entered, reason) ?? entered);
    this.#noteWait();
    return ticket;
  }

  #comeToGate(): Ticket | Promise<Ticket> {
    const { gate } = this.#call;
    this.#pausedMs = gate.pausedMs;
    this.#cameAt = this.#context.clock.monotonic();
    return gate.enter(this);
  }

  #noteWait(): void {
    const { settings, clock } = this.#context;
    const pausedMs = this.#call.gate.pausedMs - this.#pausedMs;
    this.#waitedMs += Math.min(pausedMs, clock.monotonic() - this.#cameAt);
    if (pausedMs <= settings.freshSessionGraceMs) return;
    this.#unauthorized = 0;
    this.#logins = 0;
  }

  /** The gate is closed by now. @throws RateLimitError when the body cannot be sent again. */
  #afterLimit(response: WireResponse, session: Session): void {
    const { gate, request } = this.#call;
    this.#limit = readErrorContent(response, this.#secrets(session), 'rate-limit');
    if (this.mayResend) return;
    const now = this.#context.clock.now();
    const resumeAt = gate.resumeAt ?? new Date(now);
    const remainingMs = Math.max(0, resumeAt.getTime() - now);
    throw toRateLimitError(this.#limit.message + unsendable, { remainingMs, resumeAt, request, content: this.#limit });
  }

  /** Decides what a 401 means and does it. Without a result the request is to be sent again. */
  async #afterUnauthorized(sent: Sent): Promise<Sent | undefined> {
    const { sessions, settings } = this.#context;
    const { response, attempt } = sent;
    const { session } = attempt;
    if (this.#unauthorized === 0 || !this.#isOvertaken(attempt)) this.#unauthorized++;
    const decision = decideUnauthorized(this.#unauthorized, this.#logins, attempt.ageMs, settings.freshSessionGraceMs);
    const probed = sessions.probing(session);
    if (decision === 'renew' && probed === undefined && !sessions.coolsDown(session)) sessions.expire(session);
    if (!this.mayResend) throw this.#failure(response, session, unsendable);
    if (decision === 'verdict') {
      sessions.condemn(session);
      throw this.#failure(response, session);
    }
    if (decision === 'renew') {
      // Another call is trying this session again already: what comes of it may save a login.
      if (probed !== undefined && (await sessions.outcome(probed, this.#call.signal))) return undefined;
      if (sessions.coolsDown(session)) throw this.#failure(response, session, tooEarly);
      sessions.expire(session);
      return undefined;
    }
    let again: Sent | undefined;
    const works = await sessions.probe(session, freshSessionDelayMs, this.#call.signal, async () => {
      again = await this.#sendOnce();
      if (again.response.status !== 401) return true;
      // Before anybody hears of it: those who wait for the outcome would log in.
      if (!again.attempt.session.adopted) sessions.condemn(again.attempt.session);
      return false;
    });
    if (works) return again;
    // The session may have been replaced meanwhile: what was refused, and must not be shown, is what the answer was sent with.
    const refused = again?.attempt ?? attempt;
    // A session of another client may be as young and have ended: one login more tells.
    if (!refused.session.adopted && !this.#isOvertaken(refused)) {
      throw this.#failure(again?.response ?? response, refused.session);
    }
    sessions.expire(refused.session);
    return undefined;
  }

  /**
   * Whether a 401 says nothing about this call: others got through with that session, or made it some time ago, so it has ended,
   * as sessions do. Only so often: a connector may also refuse this one request with every session.
   */
  #isOvertaken({ session, ageMs }: Try): boolean {
    const isOld = session.adopted && ageMs >= this.#context.settings.freshSessionGraceMs;
    if (!(session.accepted || isOld) || this.#overtaken >= mostOvertaken) return false;
    this.#overtaken++;
    return true;
  }

  #failure(response: WireResponse, session: Session, note = ''): Error {
    return toConnectorError(response, this.#call.request, readErrorContent(response, this.#secrets(session)), note);
  }

  #secrets(session: Session): string[] {
    const ofCaller = credentialSecrets(this.#call.headers);
    return [...sessionSecrets(session.headers), ...ofCaller, ...this.#context.secrets];
  }
}

/** Gives the ticket of a try back by what came of it. @throws as {@link exchange} does. */
export function settleTry(context: ExchangeContext, attempt: Try, outcome: SendOutcome): Exchange {
  const { call, ticket } = attempt;
  return settle(context, call.gate, ticket, attempt, call.request, outcome);
}

/** How many sessions a call may lose to others before its 401s count. */
const mostOvertaken = 5;

/** Ends the message of an error that another login might have saved (rule S5). */
const tooEarly = ' (not logged in again yet: the last session was refused from the beginning)';

/** Ends the message of an error that only a body that can be made anew would have saved (rule G8). */
export const unsendable =
  ' (not sent again: `body` is a stream that is used up by now; give a factory `() => body` that makes it anew)';
