import { type CaseDefinition, judge, type Severity } from './case.js';
import { allCases } from './cases/index.js';
import type { SeenExchange } from './exchange.js';
import { type ConformanceOptions, checkOptions, type Feature, type Plan } from './options.js';
import { Prober } from './prober.js';
import type { CaseResult, CaseStatus } from './result.js';

/** One check of a connector. */
export interface Case {
  /** Never changes: `knownFailures` names it. */
  readonly id: string;
  /** The rule in docs/rules.md. */
  readonly rule: string;
  readonly title: string;
  /** What goes wrong in practice when it is broken. */
  readonly why: string;
  readonly severity: Severity;
  /** The feature it belongs to, if it is not asked of every connector. */
  readonly feature?: Feature;
  /**
   * Judges the connector. Warnings and known failures are no reason to reject: `onResult` gets them.
   *
   * @throws ConformanceError saying what was seen when the case failed, could not be judged, or is a known failure that
   *   passes by now.
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
Object.defineProperty(ConformanceError.prototype, 'name', { value: 'ConformanceError', configurable: true });

/**
 * The checks that apply to a connector by its features and probes. Each can be run alone; together they share one login,
 * and each error is provoked once.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * test.each(conformance({ fetch: connector.fetch, probes }))('$id: $title', ({ run }) => run())
 */
export function conformance(options: ConformanceOptions): Case[] {
  const { prober, plan, definitions } = prepare(options);
  return definitions
    .filter((definition) => lacks(definition, prober) === undefined)
    .map((definition) => ({
      id: definition.id,
      rule: definition.rule,
      title: definition.title,
      why: definition.why,
      severity: definition.severity ?? 'error',
      ...(definition.feature === undefined ? {} : { feature: definition.feature }),
      run: async () => {
        const result = await runCase(definition, prober, plan);
        if (['failed', 'fixed', 'skipped'].includes(result.status)) throw new ConformanceError(result);
      },
    }));
}

/** What both ways to run start from. @throws TypeError naming the option that is wrong. */
export function prepare(options: ConformanceOptions) {
  const plan = checkOptions(options);
  const prober = new Prober(plan);
  for (const id of plan.knownFailures.keys()) {
    if (!allCases.some((definition) => definition.id === id)) {
      throw new TypeError(`\`knownFailures\` names "${id}", which is no case.`);
    }
  }
  return { plan, prober, definitions: allCases };
}

/** Why a case does not apply; `undefined` when it does. */
export function lacks(definition: CaseDefinition, prober: Prober): string | undefined {
  const { feature } = definition;
  if (feature !== undefined && !prober.plan.features.has(feature)) return `the feature \`${feature}\` is not declared`;
  return definition.lacks?.(prober);
}

/** Runs a case that applies. */
export async function runCase(definition: CaseDefinition, prober: Prober, plan: Plan): Promise<CaseResult> {
  const startedAt = performance.now();
  const verdict = await judge(definition, prober);
  const known = plan.knownFailures.get(definition.id);
  const reason = verdict.reason ?? known;
  const result: CaseResult = {
    ...describe(definition),
    status: statusOf(definition, verdict.status, known !== undefined),
    durationMs: Math.round(performance.now() - startedAt),
    ...(reason === undefined ? {} : { reason }),
    problems: verdict.problems,
  };
  plan.onResult?.(result);
  return result;
}

export function describe({ id, rule, title, why, severity = 'error' }: CaseDefinition) {
  return { id, rule, title, why, severity };
}

function statusOf(definition: CaseDefinition, verdict: 'passed' | 'violated' | 'unmet', isKnown: boolean): CaseStatus {
  if (verdict === 'unmet') return 'skipped';
  if (verdict === 'passed') return isKnown ? 'fixed' : 'passed';
  if (isKnown) return 'known-failure';
  return definition.severity === 'warning' ? 'warning' : 'failed';
}

/** A result as text: what is wrong, why it matters, what was seen. */
export function explain({ id, rule, title, why, status, reason, problems }: CaseResult): string {
  const head = `${id} (${rule}): ${title}`;
  if (status === 'fixed')
    return `${head}\nThis known failure passes now. Remove it from \`knownFailures\` ("${reason}").`;
  if (status === 'skipped') return `${head}\n${reason}`;
  const lines = problems.flatMap(({ message, seen }) => [message, ...(seen === undefined ? [] : drawExchange(seen))]);
  return [head, ...lines, `Why: ${why}`].join('\n');
}

/** The lines of an exchange: `>` sent, `<` received. */
export function drawExchange({ request, response, failure }: SeenExchange): string[] {
  const draw = (mark: string, first: string, message: { headers: Record<string, string>; body?: string }) => [
    `  ${mark} ${first}`,
    ...Object.entries(message.headers).map(([name, value]) => `  ${mark} ${name}: ${value}`),
    ...(message.body ? message.body.split('\n').map((line) => `  ${mark} ${line}`) : []),
  ];
  return [
    ...draw('>', `${request.method} ${request.path}`, request),
    ...(response === undefined ? [] : draw('<', String(response.status), response)),
    ...(failure === undefined ? [] : [`  ! ${failure}`]),
  ].map(printable);
}

/** What a connector answers must not steer the terminal that shows it. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the very characters to take out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
