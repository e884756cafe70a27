import type { Queue } from 'bullmq';

/** What is needed of a queue to stop it. */
export type LimitableQueue = Pick<
  Queue,
  'getGlobalRateLimit' | 'setGlobalRateLimit' | 'getRateLimitTtl' | 'rateLimit'
> &
  Partial<Pick<Queue, 'qualifiedName'>>;

/** Workers ask whether a queue is stopped only if it has a limit. This one is never reached. */
const noLimit = { max: Number.MAX_SAFE_INTEGER, durationMs: 60_000 };

/**
 * Stops a whole queue until a time: its workers take up no job, and ask Redis once when the time is over. Jobs that were
 * refused together send the commands once; rejects if Redis does.
 */
export function queueStopper(queue: LimitableQueue): (resumeAt: Date) => Promise<void> {
  let latest = 0;
  let stopping: Promise<void> | undefined;
  const stop = async (until: number) => {
    if ((await queue.getGlobalRateLimit()) === null) await queue.setGlobalRateLimit(noLimit.max, noLimit.durationMs);
    const leftMs = Math.max(1, until - Date.now());
    // Another process may have met a longer limit.
    if ((await queue.getRateLimitTtl()) < leftMs) await queue.rateLimit(leftMs);
  };
  return (resumeAt) => {
    const until = resumeAt.getTime();
    if (stopping !== undefined && until <= latest) return stopping;
    latest = until;
    const mine = stop(until).finally(() => {
      if (stopping === mine) stopping = undefined;
    });
    stopping = mine;
    return mine;
  };
}
