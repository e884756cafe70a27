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
    if (type === 'sliding') {
      this.#taken = this.#taken.filter((at) => at > now - windowMs);
    } else {
      const begun = this.#taken[0] ?? now;
      const startedAt = type === 'fixed' ? Math.floor(begun / windowMs) * windowMs : begun;
      if (now >= startedAt + windowMs) this.#taken = [];
    }
    if (this.#taken.length < limit) {
      this.#taken.push(now);
      return undefined;
    }
    if (type === 'sliding') return (this.#taken[this.#taken.length - limit] ?? now) + windowMs - now;
    const begun = this.#taken[0] as number;
    return (type === 'fixed' ? Math.floor(begun / windowMs) * windowMs : begun) + windowMs - now;
  }
}
