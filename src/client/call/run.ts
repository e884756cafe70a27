import type { RequestLine } from '../../contract/index.js';
import type { Clock } from '../../internal/index.js';
import type { ClientCounters } from '../client-types.js';
import type { EventHub } from '../events.js';
import type { SendOutcome, Transport, WireRequest, WireResponse } from '../http/wire.js';
import type { Gate } from '../rate-limit/gate.js';
import type { Gates } from '../rate-limit/gates.js';
import type { Lane } from '../rate-limit/lane.js';
import { hasWait, readAnnouncement, readRemaining, readWait } from '../rate-limit/limit-headers.js';
import type { Permit } from '../rate-limit/wait-queue.js';
import type { Session } from '../session/session.js';
import type { Settings } from '../settings.js';

/** One HTTP request of a call or of a login, with everything needed to send it. */
export interface Attempt extends WireRequest {
  readonly request: RequestLine;
  readonly lane: Lane;
  readonly permit: Permit;
  /** Missing for a login. */
  readonly session?: Session;
}

/**
 * What an attempt came to. `truncated`, `too-large` and `undecodable` are successes whose body is lost, `unexpected` is
 * a response that HTTP does not allow here, and `held-back` was never sent.
 */
export type OutcomeKind =
  | 'success'
  | 'truncated'
  | 'too-large'
  | 'undecodable'
  | 'redirect'
  | 'unauthorized'
  | 'limit'
  | 'error'
  | 'unexpected'
  | Exclude<SendOutcome['type'], 'response'>;

export interface FinishedAttempt<AnyAttempt extends Attempt = Attempt, Kind extends OutcomeKind = OutcomeKind> {
  readonly attempt: AnyAttempt;
  readonly kind: Kind;
  readonly outcome: SendOutcome;
}

export type FailedAttempt<AnyAttempt extends Attempt = Attempt> = FinishedAttempt<
  AnyAttempt,
  Exclude<OutcomeKind, 'success'>
>;

export type SentAttempt = FinishedAttempt<Attempt, Exclude<OutcomeKind, 'held-back'>>;

/** A call of the service, or a request of a login, as {@link runToEnd} drives it. */
export interface Run<AnyAttempt extends Attempt, Result> {
  /** The next attempt; or, if something is missing, a promise to wait for before calling this again. */
  acquire(): AnyAttempt | Promise<unknown>;
  /** The attempt was a success. */
  deliver(attempt: AnyAttempt, response: WireResponse): Result | Promise<Result>;
  /** The attempt was not: resolves when the run goes on. @throws (rejects with) the error that ends the run. */
  react(failed: FailedAttempt<AnyAttempt>): Promise<void>;
  /** @returns the error that the caller gets. */
  fail(failure: unknown): unknown;
  /** Releases whatever the run still holds. */
  end(): void;
  /** Set if a tracer listens. */
  watch?: ((sent: SentAttempt) => void) | undefined;
}

/** What all calls and logins of a client need. */
export interface RunContext {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly counters: { -readonly [Name in Exclude<keyof ClientCounters, 'pausedMs'>]: number };
  readonly gates: Gates;
  readonly events: EventHub;
  /** What must not be shown, besides the headers of a request (rules E5, S7); a login function replaces it. */
  readonly secrets: string[];
  /** Why the login in progress was retried last, if it was, and where the last login went. */
  readonly login: { trouble?: Error | undefined; gate?: Gate };
  /** Aborts, with an `AbandonedLogin`, when the client is closed. */
  readonly closing: AbortSignal;
  /** Aborts when the grace of `close()` is over. */
  readonly cutOff: AbortSignal;
}

/** The loop that every request goes through: acquire, send, release the permit, then deliver or react. */
export async function runToEnd<AnyAttempt extends Attempt, Result>(
  context: RunContext,
  run: Run<AnyAttempt, Result>,
): Promise<Result> {
  try {
    for (;;) {
      let attempt = run.acquire();
      while (attempt instanceof Promise) {
        await attempt;
        attempt = run.acquire();
      }
      const outcome = await context.transport.send(attempt); // never rejects
      const kind = classify(outcome, attempt.headers, context.settings.rateLimit.header);
      release(context, attempt, outcome, kind);
      if (kind !== 'held-back') run.watch?.({ attempt, kind, outcome });
      if (kind === 'success') {
        const result = run.deliver(attempt, outcome as WireResponse);
        return result instanceof Promise ? await result : result; // awaited, so that a rejection is caught here
      }
      if (outcome.type === 'response') outcome.incoming?.destroy(); // nobody reads it, and it would hold its place
      await run.react({ attempt, kind, outcome });
    }
  } catch (failure) {
    throw run.fail(failure);
  } finally {
    run.end();
  }
}

/** Decides by status and headers alone: a body never turns a denial into a limit (rules E2, E7, W2, W3). */
export function classify(outcome: SendOutcome, requested: Attempt['headers'], waitHeader: string): OutcomeKind {
  if (outcome.type !== 'response') return outcome.type;
  const { status, headers, end } = outcome;
  const isConditional = requested['if-none-match'] !== undefined || requested['if-modified-since'] !== undefined;
  // "Not modified" answers a condition of the caller (rule D1).
  if (status === 304 && isConditional) return 'success';
  // Part of a file that nobody asked for must not pass for the whole (rule D1).
  if (status === 206 && !isAskedPart(requested.range, headers['content-range'])) return 'unexpected';
  if (status < 300) return end === 'whole' ? 'success' : end;
  if (status < 400) return 'redirect';
  if (status === 401) return 'unauthorized';
  if (status === 429 || ((status === 403 || status === 503) && hasWait(headers, waitHeader))) return 'limit';
  return status > 599 ? 'unexpected' : 'error';
}

/** What begins elsewhere would be appended to the beginning of a file that the caller has. */
function isAskedPart(range: string | undefined, contentRange: WireResponse['headers'][string]): boolean {
  if (range === undefined || contentRange === undefined) return contentRange === undefined;
  const [, asked] = /^bytes=(\d+)-\d*$/.exec(range) ?? [];
  const [, sent] = /^bytes (\d+)-/.exec(String(contentRange)) ?? [];
  return asked === undefined || sent === undefined || Number(asked) === Number(sent);
}

/** Releases the permit and tells the gate what the attempt says about limits. */
function release(context: RunContext, attempt: Attempt, outcome: SendOutcome, kind: OutcomeKind): void {
  const { lane, permit } = attempt;
  if (outcome.type !== 'held-back') context.counters.sent++;
  if (outcome.type !== 'response') {
    lane.release(permit, outcome.type === 'held-back' ? 'unsent' : 'unknown');
    return;
  }
  announce(context, attempt, outcome.headers);
  if (outcome.incoming !== undefined) lane.countUntilEnd(outcome.incoming);
  if (kind === 'limit') {
    context.counters.refused++;
    const waitMs = readWait(outcome.headers, context.settings.rateLimit, context.clock.now());
    lane.releaseLimited(permit, waitMs, outcome.status);
  } else {
    // A connector may decide on a 401 before it counts the request: it says nothing about limits.
    lane.release(permit, kind === 'unauthorized' ? 'unknown' : 'passed');
  }
}

/**
 * Tells the gate how much of the quota is left, before the next request goes. Headers named in the options are binding:
 * the gate closes when nothing is left. The standard headers are advice (rule W8).
 */
function announce({ settings, clock }: RunContext, { lane, permit }: Attempt, headers: WireResponse['headers']): void {
  const { remaining } = settings.rateLimit;
  if (remaining !== undefined && !permit.isLogin) {
    const left = readRemaining(headers, remaining, clock.now());
    if (left !== undefined) lane.gate.announceBinding(permit, left);
  }
  const announcement = readAnnouncement(headers);
  if (announcement !== undefined) lane.gate.announce(permit, announcement);
}
