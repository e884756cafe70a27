export interface LimitWaitOptions {
  /** Wait for a limit that does not say how long; doubles on repeats (rule W6). */
  fallbackWaitMs: number;
  /** The most that is added at random to the end of a pause; never more than a hundredth of it. */
  jitterMs: number;
}

/** How long to wait: as long as was asked for, and how long with what is added. */
export interface LimitWait {
  readonly waitMs: number;
  readonly totalMs: number;
}

const longestFallbackMs = 15 * 60_000;

/** Chooses the wait for a limit: what the header says, or the fallback (rule W6); remembers what was refused in a row. */
export class LimitWaits {
  readonly #options: LimitWaitOptions;
  #limitsInARow = 0;
  #fallbacksInARow = 0;

  constructor(options: LimitWaitOptions) {
    this.#options = options;
  }

  /** A request got through. */
  reset(): void {
    this.#limitsInARow = 0;
    this.#fallbacksInARow = 0;
  }

  /**
   * @param waitMs missing where the answer does not say how long.
   * @param sameLimit whether it is one more refusal by a limit that was counted already.
   */
  choose(waitMs: number | undefined, sameLimit: boolean): LimitWait {
    const { fallbackWaitMs } = this.#options;
    let chosen = waitMs;
    if (chosen === undefined) {
      // The first that does not say how long counts, even where it is a late answer to what another limit has stopped.
      if (!sameLimit || this.#fallbacksInARow === 0) this.#fallbacksInARow++;
      const repeats = this.#fallbacksInARow - 1;
      chosen = Math.min(fallbackWaitMs * 2 ** Math.min(repeats, 30), Math.max(fallbackWaitMs, longestFallbackMs));
    }
    // A connector that says "now" and refuses again and again must not be asked in a tight loop.
    const repeats = sameLimit ? 0 : this.#limitsInARow++;
    const floorMs = repeats === 0 ? 0 : Math.min(10 * 2 ** (repeats - 1), 1000);
    return { waitMs: chosen, totalMs: Math.max(this.#jittered(chosen), floorMs) };
  }

  /** A wait of which it is known how long it is. */
  known(waitMs: number): LimitWait {
    return { waitMs, totalMs: this.#jittered(waitMs) };
  }

  /** A hundredth at most: it spreads clients that would otherwise wake up in the same millisecond, and costs no throughput. */
  #jittered(waitMs: number): number {
    return waitMs + Math.random() * Math.min(this.#options.jitterMs, waitMs / 100);
  }
}
