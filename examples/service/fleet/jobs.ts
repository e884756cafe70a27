import { type Job, WaitingChildrenError } from 'bullmq';
import type { Ends } from '../engine/end.js';
import { nextPages, type SyncOptions } from '../engine/engine.js';
import type { Page } from '../engine/page.js';
import { planMirror, type Work } from '../engine/plan.js';
import { silent } from '../engine/progress.js';
import { readIssues } from '../engine/read-issues.js';
import { type SyncResult, Tally } from '../engine/tally.js';
import { type Outcome, writeAll } from '../engine/write.js';
import { type OpenQueue, type PageData, type Pair, type SyncData, stopKey } from './queue.js';

interface JobOptions extends Pick<OpenQueue, 'queue' | 'redis'> {
  connect(pair: Pair): Ends;
  /** The most writes at once. */
  concurrency: number;
}

/** How soon work ends after somebody has stopped the run. */
const stopMs = 1000;
/** A page that fails so often is left to the next reading of both ends. */
const pageOptions = {
  ...{ attempts: 5, backoff: { type: 'exponential', delay: 500 } },
  ...{ ignoreDependencyOnFailure: true, removeOnComplete: { age: 3600 }, removeOnFail: { age: 3600 } },
} as const;

/**
 * A whole run. Goes on wherever a worker before was killed, because all it needs is elsewhere: which pages there are is in
 * Redis, and what is written is at the target. The ids of pages are fixed, so that a page is added once, whoever adds it.
 */
export async function runSync(
  job: Job<SyncData>,
  token: string,
  signal: AbortSignal,
  { queue, redis, connect, concurrency }: JobOptions,
): Promise<SyncResult> {
  const phase = (name: string, total = 0) => void job.updateProgress({ phase: name, total }).catch(() => {});
  const stop = await watchStop(redis, job.id);
  const options: SyncOptions = {
    ...{ concurrency, progress: { ...silent, phase }, signal: AbortSignal.any([signal, stop.signal]) },
    done() {},
  };
  const readOn = (pair: Pair, tally: Tally, round: number) =>
    nextPages(connect(pair), tally, round, options).catch((error: unknown) => {
      if (stop.signal.aborted) return [];
      throw error;
    });
  try {
    for (;;) {
      if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
      const { pair, round } = job.data;
      const tally = new Tally(await outcomesOf(job));
      const pages = stop.signal.aborted ? [] : await readOn(pair, tally, round);
      if (pages.length === 0) return tally.result();
      const parent = { id: job.id as string, queue: job.queueQualifiedName };
      await queue.addBulk(
        pages.map((page) => ({
          name: 'page',
          data: { pair, page },
          opts: { ...pageOptions, parent, jobId: `${job.id}-${round}-${page.id}` },
        })),
      );
      await job.updateData({ pair, round: round + 1 });
    }
  } finally {
    stop.end();
  }
}

/** Says when somebody has stopped the run; call `end` afterwards. */
async function watchStop(redis: OpenQueue['redis'], run: string | undefined) {
  const stop = new AbortController();
  const look = async () => void ((await redis.exists(stopKey(run))) > 0 && stop.abort());
  await look();
  const looking = setInterval(() => look().catch(() => {}), stopMs);
  return { signal: stop.signal, end: () => clearInterval(looking) };
}

/** What the pages of a run have written so far. */
export async function outcomesOf(sync: Job): Promise<Outcome[]> {
  return Object.values(await sync.getChildrenValues<Outcome[]>()).flat();
}

/** One page. What it had written when it was stopped is a result, too. */
export async function runPage(
  job: Job<PageData>,
  signal: AbortSignal,
  { redis, connect, concurrency }: JobOptions,
): Promise<Outcome[]> {
  const { pair, page } = job.data;
  const ends = connect(pair);
  const stop = await watchStop(redis, job.parent?.id);
  const outcomes: Outcome[] = [];
  const options: SyncOptions = {
    ...{ concurrency, progress: silent, signal: AbortSignal.any([signal, stop.signal]) },
    done: (outcome) => void outcomes.push(outcome),
  };
  try {
    const work = job.attemptsStarted > 1 ? await leftOf(page, ends, options) : page.work;
    await writeAll(work, ends.target.client, options);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    stop.end();
  }
  // What one worker created and another one closed is a creation.
  const types = new Map(page.work.map(({ source, type }) => [source.number, type]));
  return outcomes.map((outcome) => ({ ...outcome, type: types.get(outcome.number) ?? outcome.type }));
}

/** Compares a page anew: what a worker wrote before it died is found by its marker, and done. */
async function leftOf({ work }: Page, { source, target }: Ends, options: SyncOptions): Promise<Work[]> {
  const issues = work.map((item) => item.source);
  const left = planMirror(source.repository, issues, await readIssues(target, options)).work;
  const open = new Set(left.map((item) => item.source.number));
  for (const { type, source } of work) {
    if (!open.has(source.number)) options.done({ number: source.number, type, state: 'done' });
  }
  return left;
}
