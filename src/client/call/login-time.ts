import type { Clock } from '../../internal/index.js';

/** What a login has used of its time (rule S6), whichever of its requests used it: a login function may make several at once. */
export class LoginTime {
  readonly #clock: Clock;
  #pausedMs = 0;
  #waiting = 0;
  #waitingSince = 0;
  /** Sending, and waiting for retries. */
  spentMs = 0;
  attempts = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long any of the requests has waited at the gate. */
  get pausedMs(): number {
    return this.#pausedMs + (this.#waiting === 0 ? 0 : this.#clock.monotonic() - this.#waitingSince);
  }

  /** @returns called when that wait is over. */
  wait(): () => void {
    if (this.#waiting++ === 0) this.#waitingSince = this.#clock.monotonic();
    return () => {
      const pausedMs = this.pausedMs;
      if (--this.#waiting === 0) this.#pausedMs = pausedMs;
    };
  }
}
