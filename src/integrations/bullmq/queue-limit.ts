import type { Queue } from 'bullmq';

/** What is needed of a queue to stop it. */
export type LimitableQueue = Pick<Queue, 'getGlobalRateLimit' | 'setGlobalRateLimit' | 'getRateLimitTtl' | 'rateLimit'>;

/** Workers ask whether a queue is stopped only if it has a limit. This one is never reached. */
const noLimit = { max: Number.MAX_SAFE_INTEGER, durationMs: 60_000 };

/** Stops a whole queue until a time: its workers take up no job, and ask redis once when the time is over. */
export class QueueLimit {
  readonly #queue: LimitableQueue;
  #until = 0;
  #stopping: Promise<void> | undefined;

  constructor(queue: LimitableQueue) {
    this.#queue = queue;
  }

  /** Jobs that were refused together send the commands once. @throws (rejects) if redis does. */
  stopUntil(resumeAt: Date): Promise<void> {
    const until = resumeAt.getTime();
    if (this.#stopping !== undefined && until <= this.#until) return this.#stopping;
    this.#until = until;
    const stopping = this.#stop(until).finally(() => {
      if (this.#stopping === stopping) this.#stopping = undefined;
    });
    this.#stopping = stopping;
    return stopping;
  }

  async #stop(until: number): Promise<void> {
    const queue = this.#queue;
    if ((await queue.getGlobalRateLimit()) === null) await queue.setGlobalRateLimit(noLimit.max, noLimit.durationMs);
    const leftMs = Math.max(1, until - Date.now());
    // Another process may have met a longer limit.
    if ((await queue.getRateLimitTtl()) < leftMs) await queue.rateLimit(leftMs);
  }
}
