import { countUpTo } from '../../../internal/index.js';

/** Beyond this many requests, exact tracking is not worth the memory. */
export const maxTimes = 100_000;

/** The latest {@link maxTimes} times, in ascending order. */
export class RecentTimes {
  #times: number[] = [];
  /** Index of the first time that still counts. */
  #head = 0;

  add(time: number): void {
    this.#times.push(time);
    if (this.#times.length - this.#head > maxTimes) this.#head++;
    // Amortized: at least as many times were dropped as are copied.
    if (this.#head > 1024 && this.#head > this.#times.length / 2) {
      this.#times = this.#times.slice(this.#head);
      this.#head = 0;
    }
  }

  /** How many are later than the given time. */
  countSince(time: number): number {
    return this.#times.length - this.#firstAfter(time);
  }

  /** The first one later than the given time. */
  oldestSince(time: number): number | undefined {
    return this.#times[this.#firstAfter(time)];
  }

  /** The time before the latest `count`. */
  beforeLast(count: number): number {
    const index = this.#times.length - count - 1;
    return (index < this.#head ? undefined : this.#times[index]) ?? Number.NEGATIVE_INFINITY;
  }

  forgetBefore(time: number): void {
    this.#head = this.#firstAfter(time);
    this.#times = this.#times.slice(this.#head);
    this.#head = 0;
  }

  #firstAfter(time: number): number {
    return countUpTo(this.#times, time, this.#head);
  }
}
