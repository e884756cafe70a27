import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectorClient } from 'concordat/client';
import { type Issue, type IssuePage, issuePageSchema } from './issue.js';
import { planMirror, type Work } from './plan.js';
import type { Tally } from './tally.js';
import { type WriteOptions, writeAll } from './write.js';

/** One end of the synchronisation: a repository behind a connector. */
export interface End {
  client: ConnectorClient;
  /** `owner/name` */
  repository: string;
}

export interface Ends {
  source: End;
  target: End;
}

/** Hears how far the synchronisation is. */
export interface SyncProgress {
  phase(name: string, total?: number): void;
  advance(count: number): void;
}

export interface SyncOptions extends WriteOptions {
  progress: SyncProgress;
}

/** The unit of work: source issues whose numbers are neighbours, and what the target had of them. */
export interface Page {
  /** The same numbers are always on the page with the same id, so two pages never have an issue in common. */
  id: number;
  issues: Issue[];
  mirrors: Issue[];
}

const pageSize = 25;
/** So often is written what differs, before what is left is reported as not equal. */
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
      await writePage(ends, page, options);
      // Something is down: reading both ends again tells.
      if (tally.isUnsure) break;
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

/** Writes what differs on a page. Done again, with the mirrors read anew, it writes nothing twice. */
export async function writePage(ends: Ends, { issues, mirrors }: Page, options: WriteOptions): Promise<void> {
  await writeAll(planMirror(ends.source.repository, issues, mirrors).work, ends.target.client, options);
}

export async function readIssues(
  { client }: End,
  { signal, progress }: Pick<SyncOptions, 'signal' | 'progress'>,
): Promise<Issue[]> {
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

function toPages(work: readonly Work[]): Page[] {
  const pages = new Map<number, Page>();
  for (const { source, mirror } of work) {
    const id = Math.ceil(source.number / pageSize);
    const page = pages.get(id) ?? { id, issues: [], mirrors: [] };
    pages.set(id, page);
    page.issues.push(source);
    if (mirror !== undefined) page.mirrors.push(mirror);
  }
  return [...pages.values()];
}
