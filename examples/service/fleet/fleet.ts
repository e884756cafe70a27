import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from 'bullmq';
import type { SyncProgress } from '../engine/progress.js';
import type { SyncResult, Tally } from '../engine/tally.js';
import { FleetClient } from './fleet-client.js';
import { outcomesOf } from './jobs.js';
import { type OpenQueue, openQueue, type Pair, pairId, stopKey } from './queue.js';
import { readReports, type WorkerReport } from './reports.js';

const pollMs = 500;
const stopSeconds = 86_400;
const runOptions = {
  ...{ attempts: 3, backoff: { type: 'exponential', delay: 1000 } },
  ...{ removeOnComplete: { count: 100 }, removeOnFail: { count: 100 } },
} as const;

/** The workers, seen from the service: it adds runs, follows them, and stops them. */
export class Fleet {
  readonly source = new FleetClient();
  readonly target = new FleetClient();
  readonly #opened: OpenQueue;
  #watching: NodeJS.Timeout | undefined;
  #workers: readonly WorkerReport[] = [];

  private constructor(opened: OpenQueue) {
    this.#opened = opened;
  }

  /** Knows the workers at once, so that what they did before counts for no run. */
  static async open(redisUrl: string, onError: (error: Error) => void, ending?: AbortSignal): Promise<Fleet> {
    const fleet = new Fleet(openQueue(redisUrl, onError, ending));
    await fleet.#look();
    fleet.#watching = setInterval(() => fleet.#look().catch(() => {}), pollMs).unref();
    return fleet;
  }

  /** Those that have been heard of in the last seconds. */
  get workers(): readonly WorkerReport[] {
    return this.#workers;
  }

  /**
   * A run by the workers, until it ends; if one of the pair is going on already, that one.
   *
   * @throws what ended the run, or the signal's reason: the run is then told to stop, and so is not if the service ends.
   */
  async synchronize(
    pair: Pair,
    tally: Tally,
    { progress, stop, service }: { progress: SyncProgress; stop: AbortSignal; service: AbortSignal },
  ): Promise<void> {
    const { queue, redis } = this.#opened;
    const deduplication = { id: pairId(pair) };
    const { id = '' } = await queue.add('sync', { pair, round: 1 }, { ...runOptions, deduplication });
    let shown = { phase: '', outcomes: 0 };
    for (;;) {
      service.throwIfAborted();
      if (stop.aborted) await redis.set(stopKey(id), 1, 'EX', stopSeconds);
      // The state first: what is read after it has the result that belongs to it.
      const state = await queue.getJobState(id);
      const job: Job | undefined = await queue.getJob(id);
      if (job === undefined) throw new Error('The run is gone from redis.');
      const outcomes = await outcomesOf(job);
      const { phase = '', total = 0 } = job.progress as { phase?: string; total?: number };
      if (phase !== shown.phase) progress.phase(phase, total);
      for (const outcome of outcomes.slice(shown.outcomes)) tally.add(outcome);
      progress.advance(outcomes.length - shown.outcomes);
      shown = { phase, outcomes: outcomes.length };
      if (state === 'failed') throw new Error(job.failedReason);
      if (state === 'completed') {
        tally.found(job.returnvalue as SyncResult);
        return stop.throwIfAborted();
      }
      await delay(pollMs);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#watching);
    await this.#opened.close();
  }

  async #look(): Promise<void> {
    this.#workers = await readReports(this.#opened.redis);
    for (const end of ['source', 'target'] as const) {
      this[end].update(new Map(this.#workers.map(({ id, connections }) => [id, connections[end]])));
    }
  }
}
