import { setTimeout as delay } from 'node:timers/promises';
import type { Ends } from './end.js';
import { type Page, toPages } from './page.js';
import { planMirror } from './plan.js';
import type { SyncProgress } from './progress.js';
import { readIssues } from './read-issues.js';
import type { Tally } from './tally.js';
import { type WriteOptions, writeAll } from './write.js';

export interface SyncOptions extends WriteOptions {
  progress: SyncProgress;
}

/** What differs is written so often, before the rest is reported as not equal. */
const maxRounds = 3;
/** What is still on its way in the end system gets this long before both ends are read again. */
const settleMs = 1000;

/**
 * Mirrors all issues of the source into the target, page by page, until both ends are equal. Logging in again and waiting
 * for limits is the client's business and not seen here.
 *
 * @throws what ended the run: an error that every other request would meet too, or the signal's reason.
 */
export async function synchronize(ends: Ends, tally: Tally, options: SyncOptions): Promise<void> {
  for (let round = 1; ; round++) {
    const pages = await nextPages(ends, tally, round, options);
    if (pages.length === 0) return;
    for (const page of pages) {
      await writeAll(page.work, ends.target.client, options);
      if (tally.isUnsure) break; // something is down: reading both ends again tells
    }
  }
}

/** Reads both ends. @returns what is to be written next; nothing when the run is over */
export async function nextPages(ends: Ends, tally: Tally, round: number, options: SyncOptions): Promise<Page[]> {
  const { progress, signal } = options;
  if (tally.isUnsure) await delay(settleMs, undefined, { signal });
  progress.phase(round === 1 ? 'Reading' : 'Verifying');
  const [issues, mirrors] = await Promise.all([readIssues(ends.source, options), readIssues(ends.target, options)]);
  const plan = planMirror(ends.source.repository, issues, mirrors);
  tally.compared(plan, issues.length);
  const { refused } = tally;
  const work = plan.work.filter(({ source }) => !refused.has(source.number));
  if (work.length === 0 || round > maxRounds) return [];
  progress.phase('Writing', work.length);
  return toPages(work);
}
