import { type Job, WaitingChildrenError } from 'bullmq';
import { type Ends, nextPages, readIssues, type SyncProgress, writePage } from '../engine.js';
import { planMirror, type Work } from '../plan.js';
import { Tally } from '../tally.js';
import type { Outcome } from '../write.js';
import { type OpenQueue, type PageData, type Pair, type SyncData, type SyncReturn, stopKey } from './queue.js';

interface JobOptions {
  opened: OpenQueue;
  connect(pair: Pair): Ends;
  /** The most writes at once. */
  concurrency: number;
}

const silent: SyncProgress = { phase() {}, advance() {} };
/** How soon a page ends after somebody has stopped the run. */
const stopMs = 1000;
/** A page that fails so often is left to the next reading of both ends. */
const pageOptions = {
  ...{ attempts: 5, backoff: { type: 'exponential', delay: 500 } },
  ...{ ignoreDependencyOnFailure: true, removeOnComplete: { age: 3600 }, removeOnFail: { age: 3600 } },
} as const;

/** What a worker does with a job. */
export function processJobs(options: JobOptions) {
  return (job: Job, token: string, signal: AbortSignal): Promise<SyncReturn | Outcome[]> =>
    job.name === 'sync' ? runSync(job, token, signal, options) : runPage(job, signal, options);
}

/**
 * Goes on wherever a worker before it was killed, because all it needs is elsewhere: which pages there are is in redis, and
 * what is written is at the target. The ids of pages are fixed, so that a page is added once, whoever adds it.
 */
async function runSync(
  job: Job<SyncData>,
  token: string,
  signal: AbortSignal,
  { opened: { queue, redis }, connect, concurrency }: JobOptions,
): Promise<SyncReturn> {
  for (;;) {
    if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
    const { pair, round } = job.data;
    const tally = new Tally(await outcomesOf(job));
    const stopped = (await redis.exists(stopKey(job.id))) > 0;
    const progress: SyncProgress = {
      ...silent,
      phase: (phase, total = 0) => void job.updateProgress({ phase, total }),
    };
    const options = { concurrency, signal, progress, done: () => {} };
    const pages = stopped ? [] : await nextPages(connect(pair), tally, round, options);
    if (pages.length === 0) return { result: tally.result() };
    await queue.addBulk(
      pages.map((page) => ({
        name: 'page',
        data: { pair, page },
        opts: {
          ...pageOptions,
          jobId: `${job.id}-${round}-${page.id}`,
          parent: { id: job.id as string, queue: job.queueQualifiedName },
        },
      })),
    );
    await job.updateData({ pair, round: round + 1 });
  }
}

/** What the pages of a run have written so far. */
export async function outcomesOf(sync: Job): Promise<Outcome[]> {
  return Object.values(await sync.getChildrenValues<Outcome[]>()).flat();
}

/** A page that is run again is compared anew: what its worker wrote before it died is found by its marker. */
async function runPage(
  job: Job<PageData>,
  signal: AbortSignal,
  { opened: { redis }, connect, concurrency }: JobOptions,
): Promise<Outcome[]> {
  const isStopped = async () => (await redis.exists(stopKey(job.parent?.id))) > 0;
  if (await isStopped()) return [];
  const { pair, page } = job.data;
  const ends = connect(pair);
  const planned = typesOf(planMirror(pair.source, page.issues, page.mirrors).work);
  const outcomes: Outcome[] = [];
  const stop = new AbortController();
  const options = {
    ...{ concurrency, progress: silent, signal: AbortSignal.any([signal, stop.signal]) },
    // What was created before and is only closed now is a creation still.
    done: (outcome: Outcome) => void outcomes.push({ ...outcome, type: planned.get(outcome.number) ?? outcome.type }),
  };
  const watching = setInterval(async () => (await isStopped().catch(() => false)) && stop.abort(), stopMs);
  try {
    if (job.attemptsStarted > 1) {
      page.mirrors = await readIssues(ends.target, options);
      const left = typesOf(planMirror(pair.source, page.issues, page.mirrors).work);
      // The rest is done: the worker before has written it.
      for (const [number, type] of planned) if (!left.has(number)) outcomes.push({ number, type, state: 'done' });
    }
    await writePage(ends, page, options);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearInterval(watching);
  }
  return outcomes;
}

function typesOf(work: readonly Work[]): Map<number, Work['type']> {
  return new Map(work.map(({ type, source }) => [source.number, type]));
}
