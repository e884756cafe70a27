export type Severity = 'error' | 'warning';

/**
 * - `known-failure`: listed in `knownFailures`, and violated or not judged; `fixed`: listed there, but it passes now.
 * - `unjudged`: it applies, but something else prevented a judgment; `skipped`: it does not apply, or lacks a probe.
 */
export type CaseStatus = 'passed' | 'failed' | 'warning' | 'known-failure' | 'fixed' | 'unjudged' | 'skipped';

export interface CaseResult {
  id: string;
  rule: string;
  title: string;
  why: string;
  severity: Severity;
  status: CaseStatus;
  durationMs: number;
  /** Why it was skipped or not judged, or is known to fail. */
  reason?: string;
  problems: Problem[];
}

/** One thing that is wrong, with the request and the response in which it was seen. Secrets are masked. */
export interface Problem {
  message: string;
  seen?: SeenExchange;
}

/** A request and its response, with secrets masked. */
export interface SeenExchange {
  request: { method: string; path: string; headers: Record<string, string>; body?: string };
  response?: { status: number; headers: Record<string, string>; body: string };
  /** Why there is no response, or no whole body. */
  failure?: string;
}

export interface Report {
  /** No case failed, all that apply were judged, and no known failure passes. Warnings do not count. */
  ok: boolean;
  target: string;
  startedAt: string;
  durationMs: number;
  counts: Record<CaseStatus, number>;
  results: CaseResult[];
}
