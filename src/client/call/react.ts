import type { AnswerKind } from './release.js';

/** What a call has met so far, of what counts. */
export interface History {
  /** 401s, and logins of this client, since the last long pause or retry: both may outlive a session, so the count starts anew. */
  readonly unauthorized: number;
  readonly logins: number;
  /** How often its session had ended although others, or nobody, had used it up. */
  readonly overtaken: number;
  readonly retries: number;
}

export const noHistory: History = { unauthorized: 0, logins: 0, overtaken: 0, retries: 0 };

/** The session that an attempt was sent with. */
export interface SessionFacts {
  /** How old it was when the attempt went out, by its login, whoever made it. */
  readonly ageMs: number;
  readonly graceMs: number;
  readonly adopted: boolean;
  /** Whether a request got through with it. */
  readonly accepted: boolean;
  /** Whether it is too early for a login in its place. */
  readonly coolsDown: boolean;
  /** Whether somebody tries it once more; or has, in vain: this call or another. */
  readonly trial: 'none' | 'running' | 'lost' | 'lost by this call';
}

/** All that a decision is made of. */
export interface Facts {
  readonly kind: Exclude<AnswerKind, 'success'>;
  readonly status: number | undefined;
  /** Whether the body can be sent once more (rule G8). */
  readonly isResendable: boolean;
  /** Whether sending it twice does no harm (rule G7). */
  readonly isIdempotent: boolean;
  readonly retriesLeft: number;
  /** Missing for a login, which has none. */
  readonly session?: SessionFacts | undefined;
}

/** What becomes of the session when a call fails: it is over, or it never worked. */
type SessionEnd = 'over' | 'fruitless';

export type Reaction =
  | { readonly type: 'fail'; readonly note?: string; readonly session?: SessionEnd }
  /** Send again: as soon as the gate, and whatever else is missing, allows. */
  | { readonly type: 'again' }
  | { readonly type: 'log in' }
  /** One of those whom a session was refused tries it again after a moment; the others wait for the outcome. */
  | { readonly type: 'try session' }
  | { readonly type: 'retry'; readonly number: number };

const transientStatuses = new Set([500, 502, 503, 504]);

/** How many sessions a call may lose to others before its 401s count. */
const mostOvertaken = 5;

/** Ends the message of an error that another login might have saved (rule S5). */
const tooEarly = ' (not logged in again yet: the last session was refused from the beginning)';

/** Ends the message of an error that only a body that can be made anew would have saved (rule G8). */
const usedUp =
  ' (not sent again: `body` is a stream that is used up by now; give a factory `() => body` that makes it anew)';

/**
 * Decides what comes of an attempt that was no success: every rule about going on or giving up is a line of this table.
 *
 * @returns what to do, and what the call has met by now.
 */
export function react(history: History, facts: Facts): { reaction: Reaction; history: History } {
  const { kind, session } = facts;
  if (kind === 'held-back') return { reaction: { type: 'again' }, history };
  if (kind === 'limit') {
    // The pause has begun: whoever comes to the gate waits for its end (rules G1, W2, W3).
    return { reaction: facts.isResendable ? { type: 'again' } : { type: 'fail', note: usedUp }, history };
  }
  if (kind === 'unauthorized' && session !== undefined) return reactToUnauthorized(history, facts, session);
  const isTransient =
    kind === 'timeout' ||
    kind === 'failed' ||
    kind === 'cut' ||
    (kind === 'error' && transientStatuses.has(facts.status as number));
  if (!isTransient || !facts.isIdempotent || facts.retriesLeft <= 0) return { reaction: { type: 'fail' }, history };
  if (!facts.isResendable) return { reaction: { type: 'fail', note: usedUp }, history };
  const number = history.retries + 1;
  return { reaction: { type: 'retry', number }, history: { ...noHistory, retries: number } };
}

/** Rules S4 and S5. */
function reactToUnauthorized(
  before: History,
  { isResendable }: Facts,
  session: SessionFacts,
): { reaction: Reaction; history: History } {
  const { trial, ageMs, graceMs, adopted, coolsDown } = session;
  const isEnded = hasEnded(session) && before.overtaken < mostOvertaken;
  const overtaken = { ...before, overtaken: before.overtaken + 1 };
  const isNews = trial === 'none' || trial === 'running';
  const counts = before.unauthorized === 0 || !isEnded;
  const counted = counts ? { ...before, unauthorized: before.unauthorized + 1 } : overtaken;
  const history = isNews ? counted : before;

  const step = nextStep(history, ageMs, graceMs);
  if (trial === 'lost by this call' || (trial === 'lost' && step === 'try')) {
    // A session of another client may be as young and have ended, and so may one that others used: one login more tells.
    if (adopted) return { reaction: { type: 'log in' }, history };
    return isEnded
      ? { reaction: { type: 'log in' }, history: overtaken }
      : { reaction: { type: 'fail', session: 'fruitless' }, history };
  }
  const isOver = step === 'log in' && trial !== 'running' && !coolsDown;
  const end = isOver ? ({ session: 'over' } as const) : undefined;
  if (!isResendable) return { reaction: { type: 'fail', note: usedUp, ...end }, history };
  if (step === 'give up') return { reaction: { type: 'fail', session: 'fruitless' }, history };
  if (step === 'try' || trial === 'running') return { reaction: { type: 'try session' }, history };
  return { reaction: isOver ? { type: 'log in' } : { type: 'fail', note: tooEarly }, history };
}

/**
 * Whether a 401 says nothing about the call: others got through with that session, or made it some time ago, so it has ended, as
 * sessions do. Only so often: a connector may also refuse this one request with every session.
 */
function hasEnded({ accepted, adopted, ageMs, graceMs }: SessionFacts): boolean {
  return accepted || (adopted && ageMs >= graceMs);
}

/**
 * The first 401 always leads to another session. The second, with a session that was fresh when the request went out, may only be
 * early; with an older one it is one more expiry.
 */
function nextStep({ unauthorized, logins }: History, ageMs: number, graceMs: number): 'log in' | 'try' | 'give up' {
  if (unauthorized === 1) return 'log in';
  if (unauthorized > 2) return 'give up';
  if (ageMs < graceMs) return 'try';
  return logins < 2 ? 'log in' : 'give up';
}
