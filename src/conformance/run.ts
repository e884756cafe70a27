import { type CaseResult, type CaseStatus, describe, lacks, prepare, runCase } from './conformance.js';
import type { ConformanceOptions } from './options.js';

export interface Report {
  /** No case failed, and no known failure has been fixed without being taken off the list. Warnings do not count. */
  ok: boolean;
  target: string;
  startedAt: string;
  durationMs: number;
  counts: Record<CaseStatus, number>;
  results: CaseResult[];
}

/**
 * Runs all cases in their order, one after the other, and those that do not apply are reported as skipped with the
 * reason. Never rejects because of what the connector does.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const report = await runConformance({ baseUrl: 'http://127.0.0.1:4000', probes: { readable: '/issues' } })
 * if (!report.ok) throw new Error(formatReport(report, 'pretty'))
 */
export async function runConformance(
  options: ConformanceOptions & { /** Gets each result when it is there. */ onResult?: (result: CaseResult) => void },
): Promise<Report> {
  const { onResult, ...rest } = options;
  const { plan, prober, definitions } = prepare(rest);
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const results: CaseResult[] = [];
  for (const definition of definitions) {
    const reason = lacks(definition, prober);
    const result: CaseResult =
      reason === undefined
        ? await runCase(definition, prober, plan)
        : { ...describe(definition), status: 'skipped', durationMs: 0, reason, problems: [] };
    results.push(result);
    onResult?.(result);
  }
  const counts = { passed: 0, failed: 0, warning: 0, 'known-failure': 0, fixed: 0, skipped: 0 };
  for (const { status } of results) counts[status]++;
  return {
    ok: counts.failed === 0 && counts.fixed === 0,
    target: plan.baseUrl,
    startedAt,
    durationMs: Math.round(performance.now() - started),
    counts,
    results,
  };
}
