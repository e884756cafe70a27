/** A limit that lies further off costs nobody a crowd; remembering it exactly would cost memory. */
export const mostTimes = 100_000;

/** Times in ascending order, the latest so many of them. */
export class RecentTimes {
  readonly #most: number;
  #times: number[] = [];
  /** Index of the first that still counts. */
  #head = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(time: number): void {
    this.#times.push(time);
    if (this.#times.length - this.#head > this.#most) this.#head++;
    // Moving what is left is paid for by as many that were dropped.
    if (this.#head > 1024 && this.#head > this.#times.length / 2) {
      this.#times = this.#times.slice(this.#head);
      this.#head = 0;
    }
  }

  /** How many lie after the given time. */
  countSince(time: number): number {
    return this.#times.length - this.#firstAfter(time);
  }

  /** The first after the given time. */
  oldestSince(time: number): number | undefined {
    return this.#times[this.#firstAfter(time)];
  }

  forgetBefore(time: number): void {
    this.#head = this.#firstAfter(time);
    this.#times = this.#times.slice(this.#head);
    this.#head = 0;
  }

  #firstAfter(time: number): number {
    let low = this.#head;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] as number) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
