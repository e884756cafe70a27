import type { Clock, Timer } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import type { QuotaAdvice } from './quota.js';

export interface QuotaWatchOptions {
  clock: Clock;
  quota: QuotaAdvice | undefined;
  /** What is known has changed. */
  onChange(quota: Quota | undefined): void;
  /** There may be room; `isOverdue` when advice has held everybody back for as long as it may. */
  onRoom(isOverdue: boolean): void;
}

/** How long advice alone may hold everybody back while nothing is in flight (rule G9). */
const longestHoldMs = 60_000;

/** Tells what is known of a quota, and sets the timer without which nobody waits for room in it. */
export class QuotaWatch {
  readonly #options: QuotaWatchOptions;
  #told: Quota | undefined;
  #timer: Timer | undefined;
  /** Since when somebody waits although nothing is in flight. */
  #heldSince: number | undefined;

  constructor(options: QuotaWatchOptions) {
    this.#options = options;
  }

  get known(): Quota | undefined {
    return rounded(this.#options.quota?.known);
  }

  /** Tells of a quota that is not the one that was told. */
  tell(): void {
    const known = this.#options.quota?.known;
    const told = this.#told;
    if (known === told || (known !== undefined && told !== undefined && isSame(known, told))) return;
    this.#told = known;
    this.#options.onChange(rounded(known));
  }

  /** Somebody waits, and may be held back by nothing else: whatever is known may be wrong, so this ends (rule G9). */
  awaitRoom(inFlight: number): void {
    const { clock, quota, onRoom } = this.#options;
    if (quota === undefined || quota.mayStart(inFlight)) return;
    const now = clock.monotonic();
    if (inFlight === 0) this.#heldSince ??= now;
    if (this.#timer !== undefined) return;
    const overdueInMs = (this.#heldSince ?? now) + longestHoldMs - now;
    this.#timer = clock.setTimer(Math.max(1, Math.min(quota.roomInMs(), overdueInMs)), () => {
      this.#timer = undefined;
      onRoom(this.#heldSince !== undefined && clock.monotonic() - this.#heldSince >= longestHoldMs);
    });
  }

  /** Somebody goes. */
  started(): void {
    this.#heldSince = undefined;
  }

  /** The timer keeps the process alive only while somebody waits (rule G4). */
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

function isSame(one: Quota, other: Quota): boolean {
  return one.limit === other.limit && Math.abs(one.windowMs - other.windowMs) <= other.windowMs / 10;
}
