import type { Clock, Timer } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import type { AnnouncedQuota } from './announced.js';

export interface QuotaWatchOptions {
  clock: Clock;
  quota: AnnouncedQuota | undefined;
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

  /** When a call that the quota holds back, with so many requests in flight, is tried again. */
  roomAt(inFlight: number): Date | undefined {
    const { clock, quota } = this.#options;
    const now = clock.monotonic();
    if (quota === undefined || quota.mayStart(inFlight, now)) return undefined;
    return new Date(Math.ceil(clock.now() + this.#roomInMs(quota, now)));
  }

  /** Reports the quota if it differs from the one reported last. */
  emitChange(): void {
    const known = this.#options.quota?.known;
    if (isSame(known, this.#reported)) return;
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
    const dueAt = now + this.#roomInMs(quota, now);
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    this.#timer?.cancel();
    this.#dueAt = dueAt;
    this.#timer = clock.setTimer(dueAt - now, () => {
      this.#timer = undefined;
      onRoom(this.#heldSince !== undefined && clock.monotonic() - this.#heldSince >= maxHoldMs);
    });
  }

  #roomInMs(quota: AnnouncedQuota, now: number): number {
    const overdueInMs = (this.#heldSince ?? now) + maxHoldMs - now;
    return Math.max(1, Math.min(quota.roomInMs(now), overdueInMs));
  }

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
  return quota && { limit: Math.max(1, Math.floor(quota.limit)), windowMs: Math.round(quota.windowMs) };
}

function isSame(a: Quota | undefined, b: Quota | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.limit === b.limit && Math.abs(a.windowMs - b.windowMs) <= b.windowMs / 10;
}
