import { type Clock, checkOptions, count } from '../internal/index.js';
import type { SimulatedRateLimit } from './types.js';

type Options = Required<Pick<SimulatedRateLimit, 'limit' | 'windowMs' | 'window'>>;

/** Counts requests per window, by the clock's monotonic time. */
export class Quota {
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** The times of the requests that still count; a fixed window begins with the first. */
  readonly #made = new Map<string, number[]>();
  #usedUpUntil = 0;

  constructor(options: Options, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** The requests per window, now. @throws TypeError when `limit()` returns no whole number above zero. */
  get limit(): number {
    const { limit } = this.#options;
    if (typeof limit === 'number') return limit;
    return checkOptions(count(1), limit(this.#clock.monotonic() - this.#startedAt), 'rateLimit.limit()');
  }

  /** The milliseconds until a request would be served; 0 when it would be now. */
  waitMs(key: string): number {
    const now = this.#clock.monotonic();
    if (now < this.#usedUpUntil) return this.#usedUpUntil - now;
    const made = this.#stillCounting(key, now);
    // A limit that has fallen: as many as are too many have to drop out.
    const tooMany = made.length - this.limit;
    const last = this.#isSliding ? made[tooMany] : made[0];
    return tooMany < 0 || last === undefined ? 0 : last + this.#options.windowMs - now;
  }

  /** Counts a request. */
  add(key: string): void {
    const now = this.#clock.monotonic();
    this.#stillCounting(key, now).push(now);
  }

  /** What is left, and the milliseconds until there is more (`undefined` while nothing has been used). */
  left(key: string): { left: number; resetMs: number | undefined } {
    const now = this.#clock.monotonic();
    if (now < this.#usedUpUntil) return { left: 0, resetMs: this.#usedUpUntil - now };
    const made = this.#stillCounting(key, now);
    const [first] = made;
    const left = Math.max(0, this.limit - made.length);
    return { left, resetMs: first === undefined ? undefined : first + this.#options.windowMs - now };
  }

  useUp(): void {
    this.#usedUpUntil = this.#clock.monotonic() + this.#options.windowMs;
  }

  get #isSliding(): boolean {
    return this.#options.window === 'sliding';
  }

  #stillCounting(key: string, now: number): number[] {
    const made = this.#made.get(key) ?? [];
    const over = (time: number) => time + this.#options.windowMs <= now;
    if (this.#isSliding) {
      const first = made.findIndex((time) => !over(time));
      made.splice(0, first === -1 ? made.length : first);
    } else if (made.length > 0 && over(made[0] as number)) {
      made.length = 0;
    }
    this.#made.set(key, made);
    return made;
  }
}
