/** A clock that stands still until it is set, and whose timers fire when it passes them. */
export class ManualClock {
  #nowMs: number;
  #timers: { dueMs: number; callback: () => void }[] = [];

  constructor(iso: string) {
    this.#nowMs = Date.parse(iso);
  }

  now = (): number => this.#nowMs;
  monotonic = (): number => this.#nowMs;

  setTimer = (delayMs: number, callback: () => void) => {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      },
      hold: () => {},
    };
  };

  /** How many timers have not fired yet. */
  get pending(): number {
    return this.#timers.length;
  }

  set(iso: string): void {
    this.advance(Date.parse(iso) - this.#nowMs);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#nowMs);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { callback } of due) callback();
  }
}
