import type { Clock } from 'concordat/client';
import type { Quota } from './schedule.js';

/** What a connector could say of its quota. */
export interface QuotaLeft {
  limit: number;
  windowMs: number;
  /** How many more requests it takes now. */
  left: number;
  /** How long until it takes more than that. */
  resetMs: number;
}

/** So many requests a window; a refused one does not count. */
export class ModelQuota {
  #quota: Quota | undefined;
  readonly #clock: Clock;
  #taken: number[] = [];

  constructor(quota: Quota | undefined, clock: Clock) {
    this.#quota = quota;
    this.#clock = clock;
  }

  change(limit: number): void {
    if (this.#quota !== undefined) this.#quota = { ...this.#quota, limit };
  }

  /** Takes one request out of the quota. @returns how long it is used up, when it is. */
  take(): number | undefined {
    if (this.#quota === undefined) return undefined;
    const { limit } = this.#quota;
    this.#forget(this.#quota);
    if (this.#taken.length < limit) {
      this.#taken.push(this.#clock.monotonic());
      return undefined;
    }
    return this.#resetMs(this.#quota);
  }

  /** `undefined` where there is no quota. */
  left(): QuotaLeft | undefined {
    if (this.#quota === undefined) return undefined;
    const { limit, windowMs } = this.#quota;
    this.#forget(this.#quota);
    return { limit, windowMs, left: Math.max(0, limit - this.#taken.length), resetMs: this.#resetMs(this.#quota) };
  }

  #forget({ type, windowMs }: Quota): void {
    const now = this.#clock.monotonic();
    if (type === 'sliding') this.#taken = this.#taken.filter((at) => at > now - windowMs);
    else if (now >= this.#startedAt(type, windowMs, now) + windowMs) this.#taken = [];
  }

  #startedAt(type: Quota['type'], windowMs: number, now: number): number {
    const begun = this.#taken[0] ?? now;
    return type === 'fixed' ? Math.floor(begun / windowMs) * windowMs : begun;
  }

  #resetMs({ type, limit, windowMs }: Quota): number {
    const now = this.#clock.monotonic();
    const since =
      type === 'sliding'
        ? (this.#taken[Math.max(0, this.#taken.length - limit)] ?? now)
        : this.#startedAt(type, windowMs, now);
    return since + windowMs - now;
  }
}
