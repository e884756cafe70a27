import * as fc from 'fast-check';
import { arbitrarySchedule, type Theme } from './arbitrary-schedule.js';
import { type Violation, violationsIn } from './invariants/index.js';
import { runSchedule, type Subject } from './run-schedule.js';
import type { Schedule } from './schedule.js';
import { formatTrace, type Trace } from './trace.js';

/** The smallest schedule found that breaks a rule. */
export interface Counterexample {
  theme: Theme;
  seed: number;
  /** How many schedules were run before shrinking began. */
  runs: number;
  schedule: Schedule;
  trace: Trace;
  violations: Violation[];
}

/** Runs schedules of one theme until one breaks a rule, and makes that one as small as it goes. */
export async function explore(
  subject: Subject,
  options: { theme: Theme; seed: number; runs: number },
): Promise<Counterexample | undefined> {
  const { theme, seed, runs } = options;
  const property = fc.asyncProperty(arbitrarySchedule(theme), async (schedule) => {
    return violationsIn(await runSchedule(schedule, subject)).length === 0;
  });
  const details = await fc.check(property, { seed, numRuns: runs });
  if (!details.failed) return undefined;
  const [schedule] = details.counterexample as [Schedule];
  return { theme, seed, runs: details.numRuns, schedule, ...(await examine(schedule, subject)) };
}

/** Whether one of the schedules breaks a given rule (`any`: one of them); stops at the first, and does not make it smaller. */
export async function findRule(
  subject: Subject,
  rule: string,
  { theme, seed, runs }: { theme: Theme; seed: number; runs: number },
): Promise<boolean> {
  const property = fc.asyncProperty(arbitrarySchedule(theme), async (schedule) => {
    const { violations } = await examine(schedule, subject);
    return !violations.some((violation) => rule === 'any' || violation.rule === rule);
  });
  return (await fc.check(property, { seed, numRuns: runs, endOnFailure: true })).failed;
}

/** Runs one schedule and judges it. */
export async function examine(
  schedule: Schedule,
  subject: Subject,
): Promise<{ trace: Trace; violations: Violation[] }> {
  const trace = await runSchedule(schedule, subject);
  return { trace, violations: violationsIn(trace) };
}

/** Says which rules were broken, when, and what was seen. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(({ rule, title, at, seen }) => `  ${rule}: ${title}\n      at ${at} ms: ${seen}`).join('\n');
}

/** Says what was broken, by which schedule, and all that was seen. */
export function formatCounterexample({ theme, seed, runs, schedule, trace, violations }: Counterexample): string {
  return [
    `A rule is broken (theme ${theme}, seed ${seed}, schedule ${runs}, made as small as it goes):`,
    formatViolations(violations),
    '',
    'What happened, in milliseconds:',
    formatTrace(trace),
    '',
    'The schedule; save it and run it again with `npm run simulate -- --schedule <file>`:',
    JSON.stringify(schedule),
  ].join('\n');
}
