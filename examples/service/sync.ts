import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectorClient } from 'concordat/client';
import { type Issue, type IssuePage, issuePageSchema } from './issue.js';
import { type Plan, planMirror } from './plan.js';
import type { Tally } from './tally.js';
import { writeAll } from './write.js';

/** One end of the synchronisation: a repository behind a connector. */
export interface End {
  client: ConnectorClient;
  /** `owner/name` */
  repository: string;
}

/** Hears how far the synchronisation is. */
export interface SyncProgress {
  phase(name: string, total?: number): void;
  advance(count: number): void;
}

export interface SyncOptions {
  source: End;
  target: End;
  /** The most writes at once. */
  concurrency: number;
  signal: AbortSignal;
  progress: SyncProgress;
  /** Filled in as the work goes on, so that an interrupted run can still say what it did. */
  tally: Tally;
}

/** How often both ends are compared before what is left is reported as not equal. */
const maxRounds = 4;
/** What is still on its way in the end system gets this long before both ends are read again. */
const settleMs = 1000;

/**
 * Mirrors all issues of the source into the target: reads both ends, writes the difference, and reads both again,
 * until they are equal. Logging in again and waiting for limits is the client's business and not seen here.
 *
 * @throws what ended the run: an error that every other request would meet too, or the signal's reason.
 */
export async function synchronize(options: SyncOptions): Promise<void> {
  const { progress, signal, tally } = options;
  let previous = Number.POSITIVE_INFINITY;
  let unknown = 0;
  for (let round = 1; ; round++) {
    progress.phase(round === 1 ? 'Reading' : 'Verifying');
    const plan = await compare(options);
    const work = plan.work.filter(({ source }) => !tally.hasFailed(source.number));
    // Without progress, and without hope of any, another round would only write the same again.
    const stuck = work.length >= previous && unknown === 0;
    if (work.length === 0 || stuck || round === maxRounds) return;
    previous = work.length;
    progress.phase('Writing', work.length);
    unknown = await writeAll(work, options);
    if (unknown > 0) await delay(settleMs, undefined, { signal });
  }
}

async function compare(options: SyncOptions): Promise<Plan> {
  const { source, target, tally } = options;
  const [sourceIssues, targetIssues] = await Promise.all([readIssues(source, options), readIssues(target, options)]);
  const plan = planMirror(source.repository, sourceIssues, targetIssues);
  tally.compared(plan, sourceIssues.length);
  return plan;
}

async function readIssues({ client }: End, { signal, progress }: SyncOptions): Promise<Issue[]> {
  // A page can move while the list is read; by number, an issue that is met twice counts once.
  const issues = new Map<number, Issue>();
  let cursor: string | null = null;
  do {
    const page: IssuePage = await client.get('/issues', { query: { cursor }, schema: issuePageSchema, signal });
    for (const issue of page.items) issues.set(issue.number, issue);
    progress.advance(page.items.length);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return [...issues.values()];
}
