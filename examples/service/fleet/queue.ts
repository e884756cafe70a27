import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { Page } from '../engine/page.js';
import type { SyncResult } from '../engine/tally.js';
import type { Outcome } from '../engine/write.js';

/** Which two repositories are kept equal, and how the workers reach them. No secrets: those are in their environment. */
export interface Pair {
  connectorUrl: string;
  apiUrl: string;
  source: string;
  target: string;
}

/** The job that holds a pair: reads both ends, adds the pages that differ, and waits for them. It returns a `SyncResult`. */
export interface SyncData {
  pair: Pair;
  /** Counts from 1. */
  round: number;
}

/** The job that writes one page. It returns an `Outcome[]`. */
export interface PageData {
  pair: Pair;
  page: Page;
}

const name = 'concordat-sync';
const longestRetryMs = 1000;

/**
 * The queue, and a connection for what is no job. Both are opened here and closed together.
 *
 * @param ending from then on a lost connection is given up, so that nothing waits for a Redis that does not come back
 */
export function openQueue(redisUrl: string, onError: (error: Error) => void, ending?: AbortSignal) {
  const retryStrategy = (times: number) => (ending?.aborted ? null : Math.min(times * 50, longestRetryMs));
  const settings = { maxRetriesPerRequest: null, retryStrategy };
  const redis = new Redis(redisUrl, settings);
  const connection = { url: redisUrl, ...settings };
  const queue = new Queue<SyncData | PageData, SyncResult | Outcome[], 'sync' | 'page'>(name, { connection });
  // Each attempt to connect fails with the same error: said once for each time that Redis is away.
  let said: string | undefined;
  const say = (error: Error) => {
    if (error.message !== said) onError(error);
    said = error.message;
  };
  redis.on('ready', () => {
    said = undefined;
  });
  for (const one of [redis, queue]) one.on('error', say);
  return {
    redis,
    connection,
    queue,
    onError: say,
    async close(): Promise<void> {
      await queue.close();
      redis.disconnect();
    },
  };
}

export type OpenQueue = ReturnType<typeof openQueue>;

/** One run of a pair at a time: a second one is not added before the first has ended. */
export const pairId = ({ source, target }: Pick<Pair, 'source' | 'target'>) => `${source} ${target}`.toLowerCase();

/** Set when somebody stops a run. */
export const stopKey = (syncId: string | undefined) => `${name}:stop:${syncId}`;
export const workersKey = `${name}:workers`;
export const workerKey = (id: string) => `${name}:worker:${id}`;
