/** The requests of a process, as far as they matter for permits. Times are on one monotonic clock. */
export class Traffic {
  /** In flight, of whatever epoch. */
  inFlight = 0;
  /** Started in this window, and in the last one. */
  used = 0;
  usedBefore = 0;
  /** How many got a response other than a limit since the gate opened. */
  passed = 0;
  #startedAt: number | undefined;
  #latencyMs = 0;
  #sampleSince: number | undefined;
  #lastAt = 0;

  started(now: number): void {
    this.#startedAt ??= now;
    this.#sampleSince ??= now;
    this.inFlight++;
    this.used++;
  }

  ended(now: number): void {
    this.inFlight--;
    if (this.#sampleSince !== undefined) this.#latencyMs = now - this.#sampleSince;
    this.#sampleSince = undefined;
    this.#lastAt = now;
  }

  /** The state has answered; `isNew` if it speaks of another window. */
  answered(now: number, isNew: boolean): void {
    this.#lastAt = Math.max(this.#lastAt, now);
    if (!isNew) return;
    this.usedBefore = this.used;
    this.used = 0;
  }

  /** The gate has opened: what follows belongs to another window. */
  opened(): void {
    this.#startedAt = undefined;
    this.passed = 0;
  }

  /** When whatever other processes have in flight is likely to have arrived. */
  get quietAt(): number {
    return this.#lastAt + 2 * this.#latencyMs;
  }

  /** What a first limit says about the window; nothing if most of the time did not belong to it. */
  learnedFrom(metAt: number, resumesAt: number): { learned: number; learnedMs: number } {
    const startedAt = this.#startedAt ?? metAt;
    if (metAt - startedAt > 4 * (resumesAt - metAt)) return { learned: 0, learnedMs: 0 };
    return { learned: this.passed, learnedMs: resumesAt - startedAt };
  }
}
