import { RateLimitError } from 'concordat';

export interface QuotaOptions {
  /** Requests allowed in one window. */
  requests: number;
  windowMs: number;
}

/**
 * Counts requests in fixed windows; a window begins with its first request. Kept by account and not by session, so that
 * logging in again wins nothing.
 */
export class Quota {
  readonly #options: QuotaOptions;
  readonly #windows = new Map<string, { count: number; endsAt: number }>();

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /** @throws RateLimitError saying when the window ends, once its requests are used up. */
  take(account: string): void {
    const { requests, windowMs } = this.#options;
    const now = performance.now();
    let window = this.#windows.get(account);
    if (window === undefined || window.endsAt <= now) {
      for (const [ended, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(ended);
      window = { count: 0, endsAt: now + windowMs };
      this.#windows.set(account, window);
    }
    if (window.count >= requests) {
      throw new RateLimitError(`${requests} requests in ${windowMs / 1000} s are allowed`, {
        code: 'CONNECTOR_QUOTA',
        retryAfterMs: window.endsAt - now,
      });
    }
    window.count++;
  }
}
