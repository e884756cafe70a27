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
  /** Failures that cost nothing yet. @default 5 */
  readonly freeFailures?: number | undefined;
  /** Wait after the first failure that is not free; doubles with each one more. @default 1000 */
  readonly firstWaitMs?: number | undefined;
  /** @default 60000 */
  readonly maxWaitMs?: number | undefined;
  /** A source without a failure for so long is forgotten. @default 900000 */
  readonly forgetAfterMs?: number | undefined;
  /** How many sources are kept; the longest quiet one goes first. @default 10000 */
  readonly maxSources?: number | undefined;
  /** @default the machine's */
  readonly clock?: Pick<Clock, 'monotonic'> | undefined;
}

/**
 * Slows down whoever keeps failing to authenticate (rule K14). It counts by source and never by key or user, so that
 * nobody can lock out somebody else; a success does not clear the count, so that a known password covers no guessing.
 */
export interface FailureThrottle {
  /**
   * Ask before a password is checked, and when a key has been refused; never before a key is looked up. More than 0:
   * answer 429 with `Retry-After`.
   */
  retryAfterMs(source: string): number;
  /** Report a failed authentication. */
  failed(source: string): void;
}

interface Failures {
  count: number;
  lastAt: number;
  blockedUntil: number;
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
  // In the order of the last failure, so that the first one is the longest quiet.
  const sources = new Map<string, Failures>();

  const current = (key: string, now: number): Failures | undefined => {
    const failures = sources.get(key);
    if (failures === undefined || now - failures.lastAt < forgetAfterMs) return failures;
    sources.delete(key);
    return undefined;
  };

  return {
    retryAfterMs(source) {
      const now = clock.monotonic();
      const failures = current(sourceKey(source), now);
      return failures === undefined ? 0 : Math.max(0, Math.ceil(failures.blockedUntil - now));
    },
    failed(source) {
      const key = sourceKey(source);
      const now = clock.monotonic();
      const count = (current(key, now)?.count ?? 0) + 1;
      const beyondFree = count - freeFailures;
      const waitMs = beyondFree <= 0 ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(beyondFree - 1, 40));
      sources.delete(key);
      sources.set(key, { count, lastAt: now, blockedUntil: now + waitMs });
      if (sources.size > maxSources) {
        for (const oldest of sources.keys()) {
          sources.delete(oldest);
          break;
        }
      }
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
