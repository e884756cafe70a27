export interface RetryOptions {
  /** How often a transient failure is tried again; 0 switches it off. Logins and waits do not count (rule G5). @default 5 */
  retries: number;
  /** The first delay in milliseconds; it doubles from there, with up to as much again at random. @default 500 */
  minTimeoutMs: number;
  /** The longest delay in milliseconds. @default 30000 */
  maxTimeoutMs: number;
}

const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Whether sending the request twice does no harm (rule G7). */
export function isIdempotent(method: string, declared: boolean | undefined): boolean {
  return declared ?? idempotentMethods.has(method);
}

/** The delay before retry number `attempt`, counted from 1. `random` is between 0 and 1. */
export function retryDelayMs(attempt: number, options: RetryOptions, random: number): number {
  return Math.min(options.maxTimeoutMs, Math.round(options.minTimeoutMs * 2 ** (attempt - 1) * (1 + random)));
}
