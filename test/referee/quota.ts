import { type QuotaPlan, scopeOf } from './plan.js';

/** The judge's own count of requests against a quota. */
export class Quota {
  readonly #times = new Map<string, number[]>();
  readonly #startedAt = performance.now();

  constructor(readonly plan: QuotaPlan) {}

  /** Takes one, or tells when there will be one again, in milliseconds of `performance.now()`. */
  take(path: string): { readonly freeAt: number } | undefined {
    const { limit, windowMs, kind, byScope } = this.plan;
    const scope = byScope ? scopeOf(path) : 'all';
    const now = performance.now();
    const since = kind === 'sliding' ? now - windowMs : this.#windowStart(now);
    const times = (this.#times.get(scope) ?? []).filter((time) => time > since);
    this.#times.set(scope, times);
    if (times.length >= limit) {
      return { freeAt: kind === 'sliding' ? (times[0] ?? now) + windowMs : since + windowMs };
    }
    times.push(now);
    return undefined;
  }

  left(path: string): number {
    const { limit, windowMs, kind, byScope } = this.plan;
    const scope = byScope ? scopeOf(path) : 'all';
    const now = performance.now();
    const since = kind === 'sliding' ? now - windowMs : this.#windowStart(now);
    return limit - (this.#times.get(scope) ?? []).filter((time) => time > since).length;
  }

  #windowStart(now: number): number {
    return now - ((now - this.#startedAt) % this.plan.windowMs);
  }
}
