import { setTimeout as delay } from 'node:timers/promises';
import { type Sides, sides } from './issue.js';
import type { MappingFile } from './mapping.js';
import { type Plan, planSync } from './plan.js';
import { type End, readIssues } from './read.js';
import { settleMs, type WriteKind, writeAll } from './write.js';

export interface SyncOptions {
  ends: Sides<End>;
  mapping: MappingFile;
  signal: AbortSignal;
  /** The most writes at once; halved after each round in which some got no answer, or a 503: that is too much for a system. */
  concurrency: number;
  /** Hears what is being done. */
  progress: { phase(name: string, total?: number): void; advance(count: number): void };
}

export interface SyncResult {
  /** Whether the last reading found nothing to write, nothing twice and nothing lost. */
  equal: boolean;
  /** How often both systems were read. */
  rounds: number;
  /** Pairs of issues, of comments and of attachments that the last reading found. */
  issues: number;
  comments: number;
  attachments: number;
  conflicts: number;
  writes: Record<WriteKind, number>;
  /** Writes of which nobody knew whether they took place, until both systems were read again. */
  unknown: number;
  /** What was refused for good, by issue. */
  refused: Map<string, string>;
  duplicates: Plan['duplicates'];
  orphans: Plan['orphans'];
}

/** After so many rounds without progress, what is left is reported as not equal. */
const maxRoundsInVain = 5;
/**
 * Brings two projects together, both ways: reads both, writes the difference, and reads both again, until there is none.
 * Logging in again and waiting for limits is the client's business and not seen here.
 */
export async function synchronize({ ends, mapping, progress, ...options }: SyncOptions): Promise<SyncResult> {
  const writes = {
    'issue created': 0,
    'issue changed': 0,
    'comment created': 0,
    'comment changed': 0,
    'file copied': 0,
  };
  const refused = new Map<string, string>();
  let conflicts = 0;
  let unknown = 0;
  let concurrency = options.concurrency;
  let least = Number.POSITIVE_INFINITY;
  let inVain = 0;
  const withAttachments = sides.every((side) => ends[side].hasAttachments);
  for (let rounds = 1; ; rounds++) {
    progress.phase('Reading both ends');
    const [left, right] = await Promise.all([
      readIssues(ends.left, withAttachments, options.signal),
      readIssues(ends.right, withAttachments, options.signal),
    ]);
    const plan = planSync({ left: ends.left.name, right: ends.right.name }, { left, right }, await mapping.read());
    await mapping.write(plan.mapping);
    // A conflict that could not be settled at once would be counted again.
    if (rounds === 1) conflicts = plan.conflicts;
    const work = plan.work.filter(({ key }) => !refused.has(key));
    const writesLeft = countWrites(work);
    inVain = writesLeft < least ? 0 : inVain + 1;
    least = Math.min(least, writesLeft);
    if (writesLeft === 0 || inVain === maxRoundsInVain) {
      const { duplicates, orphans, comments, attachments } = plan;
      const equal = plan.work.length + duplicates.length + orphans.length === 0;
      const found = { issues: plan.equal, comments, attachments, duplicates, orphans };
      return { equal, rounds, ...found, conflicts, writes, unknown, refused };
    }
    progress.phase('Writing', work.length);
    const lost = await writeAll(work, {
      ...options,
      concurrency,
      ends,
      written: (what) => writes[what]++,
      done: () => progress.advance(1),
      refused: (key, reason) => refused.set(key, reason),
    });
    unknown += lost;
    if (lost === 0) continue;
    concurrency = Math.max(1, Math.floor(concurrency / 2));
    await delay(settleMs, undefined, { signal: options.signal });
  }
}

/** An issue may need several: each of them is progress. */
function countWrites(work: Plan['work']): number {
  const counts = work.map((item) =>
    item.type === 'create'
      ? 1
      : Math.sign(Object.keys(item.changes).length) +
        item.newComments.length +
        item.changedComments.length +
        item.newAttachments.length,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
