// A connector that allows so many requests a window. `grid` windows follow the clock, as "per calendar minute" does;
// `first` ones begin with the first request after the last has ended.
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
  readonly windows: 'grid' | 'first';
}

export interface Tally {
  accepted: number;
  refused: number;
}

export class QuotaCounter {
  readonly tally: Tally = { accepted: 0, refused: 0 };
  readonly #quota: Quota;
  #endsAt = 0;
  #used = 0;

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  /** @returns how long to wait, or `undefined` for a request that is let through. */
  take(nowMs: number): number | undefined {
    const { limit, windowMs, windows } = this.#quota;
    if (nowMs >= this.#endsAt) {
      this.#used = 0;
      this.#endsAt = windows === 'first' ? nowMs + windowMs : (Math.floor(nowMs / windowMs) + 1) * windowMs;
    }
    if (this.#used < limit) {
      this.#used += 1;
      this.tally.accepted += 1;
      return undefined;
    }
    this.tally.refused += 1;
    return this.#endsAt - nowMs;
  }

  /** What a connector announces of it (RateLimit header fields for HTTP, a draft of the IETF). */
  announce(nowMs: number): Record<string, string> {
    const { limit, windowMs } = this.#quota;
    const left = limit - this.#used;
    return {
      'ratelimit-policy': `"default";q=${limit};w=${windowMs / 1000}`,
      ratelimit: `"default";r=${left};t=${Math.ceil((this.#endsAt - nowMs) / 1000)}`,
    };
  }
}
