import { type Clock, systemClock, within } from '../../internal/index.js';
import { ApiKeyError, isApiKeyError } from '../api-key-error.js';

/** How long the host's functions may take, and what measures it. */
export interface AnswerTime {
  /** Milliseconds. @default 5000 */
  readonly timeoutMs?: number | undefined;
  /** @default the system clock */
  readonly clock?: Pick<Clock, 'setTimer'> | undefined;
}

/** What a function of the host returns. @throws ApiKeyError `unavailable` when it fails or takes too long (rule K19) */
export async function answerInTime<T>(
  what: string,
  ask: () => T | Promise<T>,
  { timeoutMs = 5000, clock = systemClock }: AnswerTime = {},
): Promise<T> {
  try {
    const answer = ask();
    // Most directories are in memory or in a local database: they answer at once and need no timer.
    return isPromise(answer) ? await within(timeoutMs, what, clock, answer) : answer;
  } catch (cause) {
    if (isApiKeyError(cause)) throw cause;
    throw new ApiKeyError('unavailable', `${what} cannot be read right now. Try again in a few seconds.`, { cause });
  }
}

export function isPromise<T>(answer: T | Promise<T>): answer is Promise<T> {
  return typeof (answer as Promise<T> | null | undefined)?.then === 'function';
}
