import type { Ledger } from './ledger.js';
import { endRules } from './rules/ends.js';
import { Evidence, type Rule } from './rules/evidence.js';
import { gateRules } from './rules/gate.js';
import { outcomeRules } from './rules/outcomes.js';
import { pacingRules } from './rules/pacing.js';
import { repeatRules } from './rules/repeats.js';
import { sessionRules } from './rules/session.js';

export interface Violation {
  /** The rule in docs/rules.md. */
  readonly rule: string;
  readonly says: string;
  readonly what: string;
  readonly dependsOnSpeed: boolean;
}

const allRules: readonly Rule[] = [
  ...gateRules,
  ...sessionRules,
  ...repeatRules,
  ...outcomeRules,
  ...pacingRules,
  ...endRules,
];

/** Looks at what happened, rule by rule. */
export function judge(ledger: Ledger): Violation[] {
  const evidence = new Evidence(ledger);
  return allRules.flatMap((rule) =>
    [...rule.judge(evidence)].map((what) => ({
      rule: rule.id,
      says: rule.says,
      what,
      dependsOnSpeed: rule.dependsOnSpeed ?? false,
    })),
  );
}
