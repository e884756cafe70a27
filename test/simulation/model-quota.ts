import type { Clock } from 'concordat/client';
import type { Quota } from './schedule.js';

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
    const { type, limit, windowMs } = this.#quota;
    const now = this.#clock.monotonic();
    const startedAt = type === 'fixed' ? Math.floor(now / windowMs) * windowMs : now - windowMs;
    this.#taken = this.#taken.filter((at) => (type === 'fixed' ? at >= startedAt : at > startedAt));
    if (this.#taken.length < limit) {
      this.#taken.push(now);
      return undefined;
    }
    return type === 'fixed'
      ? startedAt + windowMs - now
      : (this.#taken[this.#taken.length - limit] ?? now) + windowMs - now;
  }
}
