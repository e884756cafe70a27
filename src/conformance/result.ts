import type { Problem, Severity } from './case.js';

/** - `known-failure`: violated, and listed in `knownFailures`; `fixed`: listed there, and kept by now. */
export type CaseStatus = 'passed' | 'failed' | 'warning' | 'known-failure' | 'fixed' | 'skipped';

export interface CaseResult {
  id: string;
  rule: string;
  title: string;
  why: string;
  severity: Severity;
  status: CaseStatus;
  durationMs: number;
  /** Why it was skipped, or is known to fail. */
  reason?: string;
  /** What is wrong, with the request and the answer in which it was seen; secrets are masked. */
  problems: Problem[];
}
