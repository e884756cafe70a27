import type { Clock, Timer } from '../../../internal/index.js';
import type { Quota } from '../../events.js';

/** What a request says about the limit: it passed, it says nothing (no response, or a 401), or it was never sent. */
export type PermitOutcome = 'passed' | 'unknown' | 'unsent';

/** A request that has ended without meeting a limit. */
export interface EndedRequest {
  readonly outcome: PermitOutcome;
  readonly isLogin: boolean;
  /** Whether it had started before the last limit was met. */
  readonly isLate: boolean;
  /** On the monotonic clock. */
  readonly startedAt: number;
}

/**
 * Advice on how many requests may go. Advice slows and never stops: with nothing in flight, the gate follows it for a
 * minute at most (rule G9).
 *
 * What belongs to one decision is asked with one `now`, on the monotonic clock: a window may end between two readings.
 */
export interface QuotaAdvice {
  readonly known: Quota | undefined;
  /** Whether enough is known that no request has to go first to find out (rule G3). */
  readonly isKnown: boolean;
  /** Ends windows whose time is over and forgets what is too old. Called before {@link mayStart}. */
  advance(now: number): void;
  /** Whether one more request may start with so many in flight. */
  mayStart(inFlight: number, now: number): boolean;
  /** After {@link mayStart} said no: how long until it is worth asking again even if nothing returns. */
  roomInMs(now: number): number;
  started(isLogin: boolean, inFlight: number): void;
  ended(request: EndedRequest): void;
  /**
   * A limit has closed the gate, or keeps it closed for longer.
   *
   * @param startedAt when the request started that met the limit; missing for logins and for limits met elsewhere.
   */
  limited(waitMs: number, startedAt: number | undefined): void;
  /** The pause is over. */
  opened(): void;
  /** Starts from a quota that was learned earlier. What was learned here takes precedence. */
  seed(quota: Quota): void;
}

export interface QuotaWatchOptions {
  clock: Clock;
  quota: QuotaAdvice | undefined;
  /** What is known has changed. */
  onChange(quota: Quota | undefined): void;
  /** There may be room again; `isOverdue` when the advice has held everybody back for as long as it may. */
  onRoom(isOverdue: boolean): void;
}

/** How long advice alone may hold everybody back while nothing is in flight (rule G9). */
const maxHoldMs = 60_000;

/** Reports changes of a quota, and sets the timer that wakes calls waiting for room in it. */
export class QuotaWatch {
  readonly #options: QuotaWatchOptions;
  #reported: Quota | undefined;
  #timer: Timer | undefined;
  #dueAt = 0;
  /** Since when a call waits although nothing is in flight. */
  #heldSince: number | undefined;

  constructor(options: QuotaWatchOptions) {
    this.#options = options;
  }

  get known(): Quota | undefined {
    return rounded(this.#options.quota?.known);
  }

  /** Reports the quota if it differs from the one reported last. */
  emitChange(): void {
    const known = this.#options.quota?.known;
    const reported = this.#reported;
    if (known === reported || (known !== undefined && reported !== undefined && isSame(known, reported))) return;
    this.#reported = known;
    this.#options.onChange(rounded(known));
  }

  /**
   * A call was turned away at `now`, perhaps by the quota: sets a timer in any case. The advice may be wrong, so the wait
   * is bounded (rule G9).
   */
  awaitRoom(inFlight: number, now: number): void {
    const { clock, quota, onRoom } = this.#options;
    if (quota === undefined) return; // a request in flight keeps the gate closed, and its end opens it
    if (inFlight === 0) this.#heldSince ??= now;
    const overdueInMs = (this.#heldSince ?? now) + maxHoldMs - now;
    const dueAt = now + Math.max(1, Math.min(quota.roomInMs(now), overdueInMs));
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    this.#timer?.cancel();
    this.#dueAt = dueAt;
    this.#timer = clock.setTimer(dueAt - now, () => {
      this.#timer = undefined;
      onRoom(this.#heldSince !== undefined && clock.monotonic() - this.#heldSince >= maxHoldMs);
    });
  }

  /** A request has started. */
  started(): void {
    this.#heldSince = undefined;
  }

  /** The timer keeps the process alive only while a call waits (rule G4). */
  hold(isAwaited: boolean): void {
    this.#timer?.hold(isAwaited);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#heldSince = undefined;
  }
}

function rounded(quota: Quota | undefined): Quota | undefined {
  return quota && { limit: quota.limit, windowMs: Math.round(quota.windowMs) };
}

function isSame(a: Quota, b: Quota): boolean {
  return a.limit === b.limit && Math.abs(a.windowMs - b.windowMs) <= b.windowMs / 10;
}
