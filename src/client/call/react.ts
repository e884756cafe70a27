import { randomOf } from '../../internal/index.js';
import type { Settings } from '../settings.js';
import type { OutcomeKind } from './run.js';

export interface History {
  /** 401s and own logins since the last long pause or retry: a session may end during either, so the count restarts. */
  readonly unauthorized: number;
  readonly logins: number;
  /** How often it met a session that had ended, which says nothing about the call. */
  readonly endedSessions: number;
  readonly retries: number;
}

export const noHistory: History = { unauthorized: 0, logins: 0, endedSessions: 0, retries: 0 };

export interface SessionFacts {
  /** How old it was when the attempt started, counted from its login, whoever made it. */
  readonly ageMs: number;
  readonly graceMs: number;
  readonly adopted: boolean;
  /** Whether a request got through with it. */
  readonly accepted: boolean;
  /** Whether it is too early for a login that replaces it. */
  readonly isCoolingDown: boolean;
  /** Whether a call tries it once more, or has done so and failed. */
  readonly recheck: 'none' | 'running' | 'failed' | 'failed by this call';
}

export interface Facts {
  readonly kind: Exclude<OutcomeKind, 'success'>;
  readonly status: number | undefined;
  /** Whether the body can be sent again (rule G8). */
  readonly isResendable: boolean;
  readonly isIdempotent: boolean;
  readonly retriesLeft: number;
  readonly retriedStatuses: readonly number[];
  /** Missing for a login. */
  readonly session?: SessionFacts | undefined;
}

export type Reaction =
  /** `session`: what this says about the session, if anything. */
  | { readonly type: 'fail'; readonly note?: string; readonly session?: 'ended' | 'never accepted' }
  /** As soon as there is a session, a permit and a body. */
  | { readonly type: 'send again' }
  | { readonly type: 'log in' }
  /** One call tries a refused fresh session again after a moment; the others wait for the outcome. */
  | { readonly type: 'recheck session' }
  | { readonly type: 'retry'; readonly number: number };

/** What to do, and the updated history. */
interface Decision {
  readonly reaction: Reaction;
  readonly history: History;
}

/** How many ended sessions a call may meet before it goes first with the next one. */
const endedSessionsBeforeTurn = 5;

/** How many it may meet, of those that others got through with, before its 401s count. */
const maxEndedSessions = 10;

/** Added to the error of a call that another login might have saved (rule S5). */
const tooEarly = ' (no new login yet: the last session never worked)';

/** Added to the error of a call that could be sent again if its body could (rule G8). */
const bodyUsedUp = ' (not sent again: the `body` stream is used up; pass a factory `() => body` that makes a new one)';

/**
 * Decides what follows a failed attempt: every rule about going on or giving up, except those about time, which are in
 * `call-run.ts`, `login-run.ts` and `rate-limit/wait-limits.ts`.
 */
export function react(history: History, facts: Facts): Decision {
  const { kind, session } = facts;
  if (kind === 'held-back') return { reaction: { type: 'send again' }, history };
  if (kind === 'limit') {
    // The pause has begun: the next attempt waits at the gate for its end (rules G1, W2, W3).
    return { reaction: facts.isResendable ? { type: 'send again' } : { type: 'fail', note: bodyUsedUp }, history };
  }
  if (kind === 'unauthorized' && session !== undefined) return reactToUnauthorized(history, facts, session);
  const isTransient =
    kind === 'timeout' ||
    kind === 'failed' ||
    kind === 'truncated' ||
    (kind === 'error' && facts.retriedStatuses.includes(facts.status as number));
  if (!isTransient || !facts.isIdempotent || facts.retriesLeft <= 0) return { reaction: { type: 'fail' }, history };
  if (!facts.isResendable) return { reaction: { type: 'fail', note: bodyUsedUp }, history };
  const number = history.retries + 1;
  return { reaction: { type: 'retry', number }, history: { ...noHistory, retries: number } };
}

/** Rules S4 and S5. */
function reactToUnauthorized(before: History, { isResendable }: Facts, session: SessionFacts): Decision {
  const { recheck, ageMs, graceMs, adopted, isCoolingDown } = session;
  const mostEnded = session.accepted ? maxEndedSessions : endedSessionsBeforeTurn;
  const isEnded = hasEnded(session) && before.endedSessions < mostEnded;
  const withEndedSession = { ...before, endedSessions: before.endedSessions + 1 };
  const isNew401 = recheck === 'none' || recheck === 'running';
  const counts = before.unauthorized === 0 || !isEnded;
  const counted = counts ? { ...before, unauthorized: before.unauthorized + 1 } : withEndedSession;
  const history = isNew401 ? counted : before;

  const usual = nextStep(history, ageMs, graceMs);
  const step = usual === 'give up' && isNew401 && !counts ? 'log in' : usual;
  if (recheck === 'failed by this call' || (recheck === 'failed' && step === 'recheck')) {
    // An adopted session may be young and still have ended, and so may one that worked for others: so log in once more.
    if (isEnded) return { reaction: { type: 'log in' }, history: withEndedSession };
    return { reaction: adopted ? { type: 'log in' } : { type: 'fail', session: 'never accepted' }, history };
  }
  const mayLogIn = step === 'log in' && recheck !== 'running' && !isCoolingDown;
  const end = mayLogIn ? ({ session: 'ended' } as const) : undefined;
  if (!isResendable) return { reaction: { type: 'fail', note: bodyUsedUp, ...end }, history };
  if (step === 'give up') return { reaction: { type: 'fail', session: 'never accepted' }, history };
  if (step === 'recheck' || recheck === 'running') return { reaction: { type: 'recheck session' }, history };
  return { reaction: mayLogIn ? { type: 'log in' } : { type: 'fail', note: tooEarly }, history };
}

/** Whether a call meets so many ended sessions that it should go first with the next one. */
export function needsTurn({ endedSessions }: History): boolean {
  return endedSessions >= endedSessionsBeforeTurn && endedSessions < maxEndedSessions;
}

/** A new session has refused the call, though nothing else was sent with it: the 401 is about the call. */
export function afterTurn(history: History): History {
  return { ...history, endedSessions: maxEndedSessions };
}

/** Others have got through, after all, with the session of the last 401 that counted: it had only ended. */
export function forgive(history: History): History {
  const mayForgive = history.unauthorized > 1 && history.endedSessions < maxEndedSessions;
  return mayForgive ? { ...history, unauthorized: history.unauthorized - 1 } : history;
}

/**
 * Whether a 401 only says that the session has ended: requests got through with it, or another client made it some time
 * ago. Believed only so often, because a connector may also refuse this one request with every session.
 */
function hasEnded({ accepted, adopted, ageMs, graceMs }: SessionFacts): boolean {
  return accepted || (adopted && ageMs >= graceMs);
}

/**
 * The first 401 always leads to another session. The second, with a session that was fresh when the request started,
 * may just be too early; with an older session it is another expiry.
 */
function nextStep({ unauthorized, logins }: History, ageMs: number, graceMs: number): 'log in' | 'recheck' | 'give up' {
  if (unauthorized === 1) return 'log in';
  if (unauthorized > 2) return 'give up';
  if (ageMs < graceMs) return 'recheck';
  return logins < 2 ? 'log in' : 'give up';
}

const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Whether sending the request twice does no harm (rule G7). */
export function isIdempotent(method: string, declared: boolean | undefined): boolean {
  return declared ?? idempotentMethods.has(method);
}

/** The delay before retry `number`, counted from 1. */
export function retryDelayMs(number: number, { retry, clock }: Pick<Settings, 'retry' | 'clock'>): number {
  const delayMs = retry.minTimeoutMs * 2 ** Math.min(number - 1, 40) * (1 + randomOf(clock));
  return Math.min(retry.maxTimeoutMs, Math.round(delayMs));
}
