import pRetry from 'p-retry';
import { isConnectorError } from '../contract/index.js';
import { RequestError } from './errors.js';

export interface RetryOptions {
  /** How often a transient failure is tried again; 0 switches it off. Logins and waits do not count (rule G5). @default 5 */
  retries: number;
  /** The first delay in milliseconds; it doubles from there, with up to as much again at random. @default 500 */
  minTimeoutMs: number;
  /** The longest delay in milliseconds. @default 30000 */
  maxTimeoutMs: number;
}

const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
const transientStatuses = new Set([500, 502, 503, 504]);

/** Whether sending the request twice does no harm (rule G7). */
export function isIdempotent(method: string, declared: boolean | undefined): boolean {
  return declared ?? idempotentMethods.has(method);
}

/** Whether the same request may succeed if it is sent again a little later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof RequestError) return error.code === 'NETWORK_ERROR' || error.code === 'TIMEOUT';
  return isConnectorError(error) && error.kind === 'other' && transientStatuses.has(error.status);
}

/** The delay before retry number `attempt`, counted from 1. `random` is between 0 and 1. */
export function retryDelayMs(attempt: number, options: RetryOptions, random: number): number {
  return Math.min(options.maxTimeoutMs, Math.round(options.minTimeoutMs * 2 ** (attempt - 1) * (1 + random)));
}

/**
 * Goes on after a first failure: tries again until it works, a failure is final, or the retries are used up. The delays
 * are the caller's to sleep, so that they run on its clock.
 */
export async function retryTransient<T>(
  firstError: unknown,
  attempt: () => Promise<T>,
  options: {
    retry: RetryOptions;
    isRetryable(error: unknown): boolean;
    delay(error: Error, attempt: number, delayMs: number): Promise<void>;
  },
): Promise<T> {
  // p-retry wraps what is no Error; an abort's reason may be anything and must reach the caller as it is.
  const thrown = { error: firstError };
  const run = async (number: number) => {
    if (number === 1) throw asError(thrown);
    try {
      return await attempt();
    } catch (error) {
      thrown.error = error;
      throw asError(thrown);
    }
  };
  try {
    return await pRetry(run, {
      retries: options.retry.retries,
      minTimeout: 0,
      shouldRetry: async ({ attemptNumber }) => {
        if (!options.isRetryable(thrown.error)) return false;
        const delayMs = retryDelayMs(attemptNumber, options.retry, Math.random());
        try {
          await options.delay(thrown.error as Error, attemptNumber, delayMs);
        } catch (error) {
          thrown.error = error;
          return false;
        }
        return true;
      },
    });
  } catch {
    throw thrown.error;
  }
}

class Wrapped extends Error {}

function asError(thrown: { error: unknown }): Error {
  return thrown.error instanceof Error && !(thrown.error instanceof TypeError) ? thrown.error : new Wrapped();
}
