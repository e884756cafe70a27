import { DelayedError, type Processor } from 'bullmq';

/**
 * Delays a job when one of its calls rejects with a `RateLimitError`, until the rate limit is over. A delayed job holds no worker,
 * counts no attempt, and survives a restart. It then starts again from its beginning.
 *
 * The client must reject instead of waiting: always with `rateLimit.onLimit: 'reject'`, or above `rateLimit.maxWaitMs`. Other jobs of
 * the same connection are delayed as they come up, without sending anything; jobs of other connections continue.
 *
 * @throws TypeError when `processor` is no function.
 * @example
 * const client = createConnectorClient({ ...options, rateLimit: { onLimit: 'reject' } })
 * const worker = new Worker('sync', delayWhenLimited((job) => synchronise(client, job.data)), { connection })
 */
// biome-ignore lint/suspicious/noExplicitAny: BullMQ's own defaults, so that a processor written for them fits
export function delayWhenLimited<Data = any, Result = any, Name extends string = string>(
  processor: Processor<Data, Result, Name>,
): Processor<Data, Result, Name> {
  if (typeof processor !== 'function') throw new TypeError('`processor` must be a function.');
  return async (job, ...rest) => {
    try {
      return await processor(job, ...rest);
    } catch (error) {
      const resumeAt = limitedUntil(error);
      if (resumeAt === undefined) throw error;
      const [token] = rest;
      await job.moveToDelayed(Math.max(resumeAt.getTime(), Date.now()), token);
      throw new DelayedError((error as Error).message);
    }
  };
}

/** The end of the rate limit, if the error is a `RateLimitError` (of any copy of the package) or was caused by one. */
function limitedUntil(error: unknown): Date | undefined {
  for (let depth = 0, current = error; depth < 10 && current instanceof Error; depth++, current = current.cause) {
    const { kind, resumeAt } = current as { kind?: unknown; resumeAt?: unknown };
    if (kind === 'rate-limit' && resumeAt instanceof Date) return resumeAt;
  }
  return undefined;
}
