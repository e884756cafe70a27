import { describe, expect, it } from 'vitest';
import { judge, type Outcome, printSummary } from '../../../examples/redmine/run/summary.js';

type Sync = Outcome['syncs'][number];

const sync = (changes: Partial<Sync> = {}): Sync => ({
  equal: true,
  rounds: 1,
  issues: 2,
  comments: 1,
  attachments: 0,
  conflicts: 0,
  writes: { 'issue created': 0, 'issue changed': 0, 'comment created': 0, 'comment changed': 0, 'file copied': 0 },
  unknown: 0,
  refused: new Map(),
  duplicates: [],
  orphans: [],
  ...changes,
});

const report = (ok: boolean) => ({ ok, counts: { passed: 36, failed: ok ? 0 : 1 } }) as Outcome['conformance'];

const copies = { syncs: [sync(), sync()], right: 2, all: 2, bytes: 3 };

const passed: Outcome = {
  syncs: [sync({ conflicts: 1 }), sync()],
  verification: { issues: 2, comments: 1, problems: [] },
  files: { right: 1, all: 1 },
  copies,
  mapping: 2,
  resets: 2,
  traffic: { requests: 10, reLogins: 2, pauses: 1, waitedMs: 2000, wastedRequests: 1 },
  bareFailures: 1,
  conformance: report(true),
  durationMs: 60_000,
};

describe('the verdict on a run', () => {
  it('is good when all is equal and everything that was to go wrong went wrong', () => {
    expect(judge(passed)).toEqual([]);
    const lines: string[] = [];
    expect(printSummary(passed, (line) => lines.push(line))).toBe(true);
    expect(lines.at(-1)).toBe('Passed: nothing lost, nothing twice.');
  });

  it.each<[string, Partial<Outcome>]>([
    ['both systems hold the same', { verification: { issues: 2, comments: 1, problems: ['the texts differ'] } }],
    ['there are issues and comments', { verification: { issues: 2, comments: 0, problems: [] } }],
    ['both sides equal', { syncs: [sync({ conflicts: 1, equal: false }), sync()] }],
    ['nothing to write', { syncs: [sync(), sync({ conflicts: 1, writes: { ...sync().writes, 'issue changed': 1 } })] }],
    ['a conflict was settled', { syncs: [sync(), sync()] }],
    ['every pair is remembered', { mapping: 1 }],
    ['every attachment', { files: { right: 0, all: 1 } }],
    ['with the same SHA-256', { copies: { ...copies, right: 1 } }],
    ['both projects equal', { copies: { ...copies, syncs: [sync({ equal: false }), sync()] } }],
    [
      'files found nothing to write',
      { copies: { ...copies, syncs: [sync({ writes: { ...sync().writes, 'file copied': 1 } })] } },
    ],
    ['logged in again', { traffic: { ...passed.traffic, reLogins: 1 } }],
    ['the rate limit was reached', { traffic: { ...passed.traffic, pauses: 0 } }],
    ['bare 503', { bareFailures: 0 }],
    ['keeps the contract', { conformance: report(false) }],
  ])('is bad unless: %s', (condition, changes) => {
    const lines: string[] = [];
    expect(printSummary({ ...passed, ...changes }, (line) => lines.push(line))).toBe(false);
    expect(judge({ ...passed, ...changes })).toEqual([expect.stringContaining(condition)]);
    expect(lines.at(-1)).toBe('Failed.');
  });
});
