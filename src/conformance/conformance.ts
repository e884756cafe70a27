import { defineError } from '../internal/index.js';
import { type CaseDefinition, judge, type Verdict } from './case.js';
import { allCases } from './cases/index.js';
import { openapiCases } from './cases/openapi.js';
import { type ConformanceOptions, checkOptions, type Feature } from './options.js';
import { lacksFeature } from './probing/lacks.js';
import { Prober } from './probing/prober.js';
import { explain } from './report/explain.js';
import type { CaseResult, CaseStatus, Report, Severity } from './result.js';

/** One check of a connector. */
export interface Case {
  /** Never changes, because `knownFailures` refer to it. */
  readonly id: string;
  /** The rule in docs/rules.md. */
  readonly rule: string;
  readonly title: string;
  /** What goes wrong in practice when a connector breaks the rule. */
  readonly why: string;
  readonly severity: Severity;
  /** The feature it belongs to, unless it applies to every connector. */
  readonly feature?: Feature;
  /**
   * Checks the connector. Does not reject on warnings and known failures; `onResult` gets those.
   *
   * @throws ConformanceError with what was seen, when the case fails, cannot be judged, or is a known failure that passes.
   */
  readonly run: () => Promise<void>;
}

/** What `run` rejects with. */
export class ConformanceError extends Error {
  readonly result: CaseResult;

  constructor(result: CaseResult) {
    super(explain(result));
    this.result = result;
  }
}
defineError(ConformanceError, 'ConformanceError');

/**
 * The cases that apply to a connector, given its features and probes. You can run each alone; together they share one login
 * and provoke each error once.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * test.each(conformance({ fetch: connector.fetch, probes }))('$id: $title', ({ run }) => run())
 */
export function conformance(options: ConformanceOptions): Case[] {
  const { prober, definitions } = prepare(options);
  return definitions
    .filter((definition) => lacks(definition, prober) === undefined)
    .map((definition) => ({
      ...describe(definition),
      ...(definition.feature && { feature: definition.feature }),
      run: async () => {
        const result = await runCase(definition, prober);
        if (!isGood(result)) throw new ConformanceError(result);
      },
    }));
}

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

/** Whether a case lets a connector pass. */
function isGood({ status }: Pick<CaseResult, 'status'>): boolean {
  return status !== 'failed' && status !== 'fixed' && status !== 'unjudged';
}

/** Reads the options. @throws TypeError naming the option that is wrong. */
function prepare(options: ConformanceOptions) {
  const settings = checkOptions(options);
  const prober = new Prober(settings);
  for (const id of settings.knownFailures.keys()) {
    if (!allCases.some((definition) => definition.id === id)) {
      throw new TypeError(`\`knownFailures\` names "${id}", which is not the id of a case.`);
    }
  }
  // Without a document these cases are left out instead of skipped: there is nothing that they could check.
  const definitions = settings.openapi ? allCases : allCases.filter((definition) => !openapiCases.includes(definition));
  return { prober, definitions };
}

/** Why a case does not apply; `undefined` when it does. */
function lacks(definition: CaseDefinition, prober: Prober): string | undefined {
  const { feature } = definition;
  return (feature && lacksFeature(prober, feature)) ?? definition.lacks?.(prober);
}

function skip(definition: CaseDefinition, { settings }: Prober, reason: string): CaseResult {
  const result: CaseResult = { ...describe(definition), status: 'skipped', durationMs: 0, reason, problems: [] };
  settings.onResult?.(result);
  return result;
}

async function runCase(definition: CaseDefinition, prober: Prober): Promise<CaseResult> {
  const { settings } = prober;
  const startedAt = performance.now();
  const verdict = await judge(definition, prober);
  const known = settings.knownFailures.get(definition.id);
  const reason = known ?? verdict.reason;
  const result: CaseResult = {
    ...describe(definition),
    status: statusOf(definition, verdict, known !== undefined),
    durationMs: Math.round(performance.now() - startedAt),
    ...(reason === undefined ? {} : { reason }),
    problems: verdict.problems,
  };
  settings.onResult?.(result);
  return result;
}

function describe({ id, rule, title, why, severity = 'error' }: CaseDefinition) {
  return { id, rule, title, why, severity };
}

function statusOf({ severity }: CaseDefinition, { problems, reason, applies }: Verdict, isKnown: boolean): CaseStatus {
  if (applies === false) return 'skipped';
  if (problems.length === 0 && reason === undefined) return isKnown ? 'fixed' : 'passed';
  if (isKnown) return 'known-failure';
  if (reason !== undefined) return 'unjudged';
  return severity === 'warning' ? 'warning' : 'failed';
}
