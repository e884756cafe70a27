import {
  type Clock,
  checkOptions,
  count,
  duration,
  optionsOf,
  type ShapeOf,
  sourceKey,
  systemClock,
  withMethods,
} from '../../internal/index.js';

export interface FailureThrottleOptions {
  /** Failures without a wait. @default 5 */
  readonly freeFailures?: number | undefined;
  /** Wait after the first failure beyond those; doubles with each further one. @default 1000 */
  readonly firstWaitMs?: number | undefined;
  /** @default 60000 */
  readonly maxWaitMs?: number | undefined;
  /** Forgets a source after this long without a failure. @default 900000 */
  readonly forgetAfterMs?: number | undefined;
  /** How many sources to remember; the one that has been quiet longest is dropped first. @default 10000 */
  readonly maxSources?: number | undefined;
  /** @default the system clock */
  readonly clock?: Pick<Clock, 'monotonic'> | undefined;
}

/**
 * Slows down sources that keep failing to authenticate (rule K14). It counts by source, never by key or user, so nobody
 * can lock out somebody else. A success does not reset the count, so a known password does not hide guessing.
 */
export interface FailureThrottle {
  /**
   * Milliseconds to wait, or 0. Call it before you check a password and after you refuse a key, never before you look a
   * key up. Respond with 429 and `Retry-After` when it is more than 0.
   */
  retryAfterMs(source: string): number;
  /** Reports a failed authentication. */
  failed(source: string): void;
}

interface Failures {
  readonly count: number;
  lastAt: number;
  readonly waitMs: number;
}

/**
 * @param options see {@link FailureThrottleOptions}
 * @throws TypeError naming a wrong option
 * @example
 * const throttle = createFailureThrottle()
 * throttle.failed('192.0.2.1')
 * throttle.retryAfterMs('192.0.2.1') // 0: the first five are free
 */
export function createFailureThrottle(options: FailureThrottleOptions = {}): FailureThrottle {
  const { freeFailures, firstWaitMs, maxWaitMs, forgetAfterMs, maxSources, clock } = checkOptions(schema, options);
  // In the order of the last failure: the first has been quiet longest.
  const sources = new Map<string, Failures>();

  const current = (key: string, now: number): Failures | undefined => {
    const failures = sources.get(key);
    if (failures === undefined) return undefined;
    // A host's clock that has only `now` may be set back: the wait then begins anew, and gets no longer.
    failures.lastAt = Math.min(failures.lastAt, now);
    if (now - failures.lastAt < forgetAfterMs) return failures;
    sources.delete(key);
    return undefined;
  };

  return {
    retryAfterMs(source) {
      const now = clock.monotonic();
      const failures = current(sourceKey(source), now);
      return failures === undefined ? 0 : Math.max(0, Math.ceil(failures.lastAt + failures.waitMs - now));
    },
    failed(source) {
      const key = sourceKey(source);
      const now = clock.monotonic();
      const count = (current(key, now)?.count ?? 0) + 1;
      const beyondFree = count - freeFailures;
      const waitMs = beyondFree <= 0 ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(beyondFree - 1, 40));
      sources.delete(key);
      sources.set(key, { count, lastAt: now, waitMs });
      const [oldest] = sources.keys();
      if (sources.size > maxSources && oldest !== undefined) sources.delete(oldest);
    },
  };
}

const schema = optionsOf({
  freeFailures: count(0).default(5),
  firstWaitMs: duration({ least: 1 }).default(1000),
  maxWaitMs: duration().default(60_000),
  forgetAfterMs: duration().default(900_000),
  maxSources: count(1).default(10_000),
  clock: withMethods<Pick<Clock, 'monotonic'>>('monotonic').default(systemClock),
} satisfies ShapeOf<FailureThrottleOptions>)
  .refine(({ firstWaitMs, maxWaitMs }) => maxWaitMs >= firstWaitMs, {
    path: ['maxWaitMs'],
    error: 'must not be less than `firstWaitMs`',
  })
  .refine(({ maxWaitMs, forgetAfterMs }) => forgetAfterMs >= maxWaitMs, {
    path: ['forgetAfterMs'],
    error: 'must not be less than `maxWaitMs`',
  });
