import { countUpTo } from '../../../internal/index.js';

/** Beyond this many requests, exact tracking is not worth the memory. */
export const maxTimes = 100_000;

/** The latest {@link maxTimes} times, in ascending order. */
export class RecentTimes {
  #times: number[] = [];
  /** Index of the first time that still counts. */
  #head = 0;
  /** How many there were before the first of `#times`. */
  #dropped = 0;

  add(time: number): void {
    this.#times.push(time);
    if (this.#times.length - this.#head > maxTimes) this.#head++;
    // Amortized: at least as many times were dropped as are copied.
    if (this.#head > 1024 && this.#head > this.#times.length / 2) this.#dropHead();
  }

  /** How many there have ever been. */
  get total(): number {
    return this.#dropped + this.#times.length;
  }

  /** How many are later than the given time, without the first `skipped` of all. */
  countSince(time: number, skipped = 0): number {
    return this.#times.length - this.#firstAfter(time, skipped);
  }

  /** The first one later than the given time, without the first `skipped` of all. */
  oldestSince(time: number, skipped = 0): number | undefined {
    return this.#times[this.#firstAfter(time, skipped)];
  }

  forgetBefore(time: number): void {
    this.#head = this.#firstAfter(time);
    this.#dropHead();
  }

  clear(): void {
    this.#head = this.#times.length;
    this.#dropHead();
  }

  #dropHead(): void {
    this.#dropped += this.#head;
    this.#times = this.#times.slice(this.#head);
    this.#head = 0;
  }

  #firstAfter(time: number, skipped = 0): number {
    return Math.max(countUpTo(this.#times, time, this.#head), Math.min(skipped - this.#dropped, this.#times.length));
  }
}
