import type { CaseDefinition } from './case.js';
import { describe, isGood, lacks, prepare, runCase } from './conformance.js';
import type { ConformanceOptions } from './options.js';
import type { Prober } from './probing/prober.js';
import type { CaseResult, Report } from './result.js';

/**
 * Runs all cases one after the other. Cases that do not apply are reported as skipped, with the reason. Never rejects
 * because of what the connector does.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const report = await runConformance({ baseUrl: 'http://127.0.0.1:4000', probes: { readable: '/issues' } })
 * if (!report.ok) throw new Error(formatReport(report, 'pretty'))
 */
export async function runConformance(options: ConformanceOptions): Promise<Report> {
  const { prober, definitions } = prepare(options);
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const results: CaseResult[] = [];
  for (const definition of definitions) {
    const reason = lacks(definition, prober);
    results.push(reason === undefined ? await runCase(definition, prober) : skip(definition, prober, reason));
  }
  const counts = { passed: 0, failed: 0, warning: 0, 'known-failure': 0, fixed: 0, unjudged: 0, skipped: 0 };
  for (const { status } of results) counts[status]++;
  return {
    ok: results.every(isGood),
    target: prober.settings.baseUrl,
    startedAt,
    durationMs: Math.round(performance.now() - started),
    counts,
    results,
  };
}

function skip(definition: CaseDefinition, { settings }: Prober, reason: string): CaseResult {
  const result: CaseResult = { ...describe(definition), status: 'skipped', durationMs: 0, reason, problems: [] };
  settings.onResult?.(result);
  return result;
}
