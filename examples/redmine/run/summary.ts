import Table from 'cli-table3';
import type { Report } from 'concordat/conformance';
import type { Traffic } from '../../service/summary.js';
import type { SyncResult } from '../sync/synchronize.js';
import type { FilesOutcome } from './files.js';
import type { Verification } from './verify.js';

export interface Outcome {
  syncs: readonly SyncResult[];
  /** What was found past the connectors. */
  verification: Verification;
  /** Attachments that are there once and equal, of all that were made. */
  files: { right: number; all: number };
  /** Files that were copied from project to project, both ways. */
  copies: FilesOutcome;
  /** Pairs of issues that are remembered. */
  mapping: number;
  /** How often the API key was reset. */
  resets: number;
  /** Of the connection to Redmine, the check of the connector aside. */
  traffic: Traffic;
  /** Bare 503s that reached the service. */
  bareFailures: number;
  conformance: Report;
  durationMs: number;
}

/** What has to be so; a run in which nothing went wrong has shown nothing, and does not pass. */
export function judge({
  syncs,
  verification,
  files,
  copies,
  mapping,
  traffic,
  bareFailures,
  conformance,
}: Outcome): string[] {
  const last = syncs.at(-1);
  const conditions: [boolean, string][] = [
    [verification.problems.length === 0, 'both systems hold the same, everything once'],
    [verification.issues > 0 && verification.comments > 0, 'there are issues and comments'],
    [syncs.every(({ equal }) => equal), 'each synchronization ended with both sides equal'],
    [last !== undefined && sum(last.writes) === 0, 'the last synchronization found nothing to write'],
    [syncs.some(({ conflicts }) => conflicts > 0), 'a conflict was settled'],
    [mapping === verification.issues, 'every pair is remembered'],
    [files.all > 0 && files.right === files.all, 'every attachment is there once and unchanged'],
    [copies.all > 0 && copies.right === copies.all, 'every file is in both projects once, with the same SHA-256'],
    [copies.syncs.every(({ equal }) => equal), 'each synchronization of files ended with both projects equal'],
    [sum(copies.syncs.at(-1)?.writes ?? {}) === 0, 'the last synchronization of files found nothing to write'],
    [traffic.reLogins >= 2, 'the service logged in again after each reset of the key'],
    [traffic.pauses > 0, 'the rate limit was reached'],
    [bareFailures > 0, 'nginx answered its bare 503'],
    [conformance.ok, 'the connector keeps the contract'],
  ];
  return conditions.filter(([holds]) => !holds).map(([, condition]) => condition);
}

/** @returns whether the run has passed. */
export function printSummary(outcome: Outcome, line: (text: string) => void): boolean {
  const { syncs, verification, files, copies, mapping, traffic, resets, bareFailures, conformance, durationMs } =
    outcome;
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  const table = new Table({ style: { head: [], border: [] } });
  table.push(
    ['Issues on both sides, equal', verification.issues],
    ['Comments on both sides, equal', verification.comments],
    ['Attachments in Redmine, equal', `${files.right} of ${files.all}`],
    [`Files copied, ${(copies.bytes / 2 ** 20).toFixed(0)} MiB`, `${copies.right} of ${copies.all}`],
    ['Pairs remembered', mapping],
    ...syncs.map((result, index): [string, string] => [`Synchronization ${index + 1}`, describe(result)]),
    ['Resets of the API key', resets],
    ['Re-logins', traffic.reLogins],
    ['Pauses', traffic.pauses],
    ['Time waited', `${seconds(traffic.waitedMs)} of ${seconds(durationMs)}`],
    ['Wasted requests', `${traffic.wastedRequests} of ${traffic.requests}`],
    ['Bare 503s', bareFailures],
    ['Conformance', `${conformance.counts.passed} passed, ${conformance.counts.failed} failed`],
  );
  line(table.toString());
  const { problems } = verification;
  for (const problem of problems.slice(0, 20)) line(`Not equal: ${problem}`);
  if (problems.length > 20) line(`… and ${problems.length - 20} more`);
  for (const { refused } of [...syncs, ...copies.syncs])
    for (const [key, reason] of refused) line(`Refused: ${key}: ${reason}`);
  const failed = judge(outcome);
  for (const condition of failed) line(`Not so: ${condition}`);
  line(failed.length === 0 ? 'Passed: nothing lost, nothing twice.' : 'Failed.');
  return failed.length === 0;
}

function describe({ writes, rounds, unknown, conflicts }: SyncResult): string {
  const parts = Object.entries(writes)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} × ${what}`);
  if (conflicts > 0) parts.push(`${conflicts} × conflict`);
  if (unknown > 0) parts.push(`${unknown} × unknown and looked up`);
  return [...(parts.length > 0 ? parts : ['nothing to write']), `both sides read ${rounds} ×`].join('\n');
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
