import { judgeSeeds } from './batch.js';
import { seedOf } from './random.js';
import { formatFinding } from './report.js';

/** Judges so many scenarios, some at once, since they mostly wait. @returns what breaks a rule, nothing where nothing does. */
export async function judgeInPool(seed: number, scenarios: number): Promise<string> {
  const findings: string[] = [];
  await judgeSeeds(
    Array.from({ length: scenarios }, (_, index) => seedOf(seed, index)),
    {
      atOnce: 12,
      onDone({ ledger, violations }) {
        const certain = violations.filter(({ dependsOnSpeed }) => !dependsOnSpeed);
        if (certain.length > 0) findings.push(formatFinding(ledger, certain));
      },
    },
  );
  return findings.join('\n\n');
}
