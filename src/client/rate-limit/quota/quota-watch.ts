import type { Clock, Timer } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import type { QuotaAdvice } from './quota.js';

export interface QuotaWatchOptions {
  clock: Clock;
  quota: QuotaAdvice | undefined;
  /** What is known has changed. */
  onChange(quota: Quota | undefined): void;
  /** Advice alone has held everybody back, for as long as it may. */
  onRoom(): void;
}

/** How long advice alone may hold everybody back while nothing is in flight (rule G9). */
const longestHoldMs = 60_000;

/** Tells what is known of a quota, and sets the timer without which nobody waits for room in it. */
export class QuotaWatch {
  readonly #options: QuotaWatchOptions;
  #told: Quota | undefined;
  #timer: Timer | undefined;

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
    if (quota === undefined || this.#timer !== undefined || quota.mayStart(inFlight)) return;
    this.#timer = clock.setTimer(Math.min(Math.max(1, quota.roomInMs()), longestHoldMs), () => {
      this.#timer = undefined;
      onRoom();
    });
  }

  /** The timer keeps the process alive only while somebody waits (rule G4). */
  hold(isAwaited: boolean): void {
    this.#timer?.hold(isAwaited);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

function rounded(quota: Quota | undefined): Quota | undefined {
  return quota && { limit: quota.limit, windowMs: Math.round(quota.windowMs) };
}

function isSame(one: Quota, other: Quota): boolean {
  return one.limit === other.limit && Math.abs(one.windowMs - other.windowMs) <= other.windowMs / 10;
}
