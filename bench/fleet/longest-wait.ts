import type { Time } from './time.js';

/** How long a process with calls waiting has sent nothing. */
export class LongestWait {
  readonly #time: Time;
  #waiting = 0;
  #since = 0;
  longestMs = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** One more call waits. */
  begins(): void {
    if (this.#waiting++ === 0) this.#since = this.#time.now;
  }

  /** A request is sent. */
  ends(): void {
    this.#note();
    this.#waiting = Math.max(0, this.#waiting - 1);
  }

  /** Counts how long it waits already. */
  finish(): void {
    if (this.#waiting > 0) this.#note();
  }

  #note(): void {
    this.longestMs = Math.max(this.longestMs, this.#time.now - this.#since);
    this.#since = this.#time.now;
  }
}
