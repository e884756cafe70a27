import type { Clock } from '../internal/index.js';
import type { SimulatedRateLimit } from './types.js';

/** Counts requests per window, by the clock's monotonic time. */
export class Quota {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #sliding: boolean;
  readonly #clock: Clock;
  /** The times of the requests that still count; a fixed window begins with the first. */
  readonly #made = new Map<string, number[]>();
  #usedUpUntil = 0;

  constructor(options: Required<Pick<SimulatedRateLimit, 'limit' | 'windowMs' | 'window'>>, clock: Clock) {
    this.#limit = options.limit;
    this.#windowMs = options.windowMs;
    this.#sliding = options.window === 'sliding';
    this.#clock = clock;
  }

  /** Counts a request. @returns 0, or the milliseconds to wait if the quota is used up. */
  take(key: string): number {
    const now = this.#clock.monotonic();
    if (now < this.#usedUpUntil) return this.#usedUpUntil - now;
    const made = this.#stillCounting(key, now);
    if (made.length >= this.#limit) return (made[0] as number) + this.#windowMs - now;
    made.push(now);
    return 0;
  }

  /** What is left, and the milliseconds until there is more (`undefined` while nothing has been used). */
  left(key: string): { left: number; resetMs: number | undefined } {
    const now = this.#clock.monotonic();
    if (now < this.#usedUpUntil) return { left: 0, resetMs: this.#usedUpUntil - now };
    const made = this.#stillCounting(key, now);
    const [first] = made;
    return { left: this.#limit - made.length, resetMs: first === undefined ? undefined : first + this.#windowMs - now };
  }

  useUp(): void {
    this.#usedUpUntil = this.#clock.monotonic() + this.#windowMs;
  }

  #stillCounting(key: string, now: number): number[] {
    const made = this.#made.get(key) ?? [];
    const over = (time: number) => time + this.#windowMs <= now;
    if (this.#sliding) {
      const first = made.findIndex((time) => !over(time));
      made.splice(0, first === -1 ? made.length : first);
    } else if (made.length > 0 && over(made[0] as number)) {
      made.length = 0;
    }
    this.#made.set(key, made);
    return made;
  }
}
