import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from 'bullmq';
import type { SyncProgress } from '../engine.js';
import type { Tally } from '../tally.js';
import { FleetClient } from './fleet-client.js';
import { outcomesOf } from './jobs.js';
import { type OpenQueue, openQueue, type Pair, pairId, type SyncReturn, stopKey } from './queue.js';
import { readReports, type WorkerReport } from './reports.js';

const pollMs = 500;
const stopSeconds = 86_400;

/** The workers, seen from the service: it adds runs, follows them, and stops them. */
export class Fleet {
  readonly source = new FleetClient('source');
  readonly target = new FleetClient('target');
  readonly #opened: OpenQueue;
  readonly #watching: NodeJS.Timeout;
  #workers: readonly WorkerReport[] = [];

  constructor(redisUrl: string, onError: (error: Error) => void) {
    this.#opened = openQueue(redisUrl, onError);
    this.#watching = setInterval(() => this.#look().catch(() => {}), pollMs).unref();
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
    const added = await queue.add(
      'sync',
      { pair, round: 1 },
      {
        ...{ deduplication: { id: pairId(pair) }, attempts: 3, backoff: { type: 'exponential', delay: 1000 } },
        ...{ removeOnComplete: { count: 100 }, removeOnFail: { count: 100 } },
      },
    );
    const id = added.id as string;
    let seen = { phase: '', outcomes: 0 };
    for (;;) {
      if (stop.aborted && !service.aborted) await redis.set(stopKey(id), 1, 'EX', stopSeconds);
      service.throwIfAborted();
      const job: Job | undefined = await queue.getJob(id);
      if (job === undefined) throw new Error('The run is gone from redis.');
      const state = await job.getState();
      const outcomes = await outcomesOf(job);
      const { phase = '', total = 0 } = job.progress as { phase?: string; total?: number };
      if (phase !== seen.phase) progress.phase(phase, total);
      for (const outcome of outcomes.slice(seen.outcomes)) tally.add(outcome);
      progress.advance(outcomes.length - seen.outcomes);
      seen = { phase, outcomes: outcomes.length };
      if (state === 'failed') throw new Error(job.failedReason);
      if (state === 'completed') {
        tally.found((job.returnvalue as SyncReturn).result);
        stop.throwIfAborted();
        return;
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
    this.source.update(this.#workers);
    this.target.update(this.#workers);
  }
}
