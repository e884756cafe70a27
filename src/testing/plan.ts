import { checkCount, checkKeys, checkObject } from './check.js';
import { checkFault } from './check-fault.js';
import { anyRequest, type Pattern, parsePattern } from './pattern.js';
import type { Fault, FaultRule, JournalEntry, RouteHandler, Step } from './types.js';

/** What is planned for a request: the simulator's own answer, a fault, or a function's answer. */
export type Planned = 'normal' | Fault | RouteHandler;

interface PlannedStep {
  readonly pattern: Pattern;
  readonly reply: Planned;
  readonly times: number;
  used: number;
}

interface PlannedFault {
  readonly pattern: Pattern;
  readonly fault: Fault;
  readonly at: readonly number[] | undefined;
  readonly every: number;
  readonly most: number;
  seen: number;
  used: number;
}

/** What a test has planned, and the accounts of what came of it. */
export class Plan {
  readonly #faults: PlannedFault[];
  readonly #steps: PlannedStep[] = [];
  readonly #unplanned: JournalEntry[] = [];

  /** @throws TypeError naming the rule that is wrong. */
  constructor(faults: readonly FaultRule[]) {
    this.#faults = faults.map((rule, index) => planFault(rule, `faults[${index}]`));
  }

  /** @throws TypeError naming the step that is wrong; then none of them is taken. */
  add(steps: readonly Step[]): void {
    if (!Array.isArray(steps)) throw new TypeError('`steps` must be an array.');
    this.#steps.push(...steps.map((step, index) => planStep(step, `steps[${index}]`)));
  }

  /** What is planned for this request, if anything; `unplanned` when there is a script and no step is left for it. */
  take(entry: JournalEntry): Planned | 'unplanned' | undefined {
    const step = this.#steps.find(({ pattern, times, used }) => used < times && pattern.match(entry));
    if (step !== undefined) step.used++;
    else if (this.#isScripted(entry.kind)) {
      this.#unplanned.push(entry);
      return 'unplanned';
    }
    const fault = this.#takeFault(entry);
    return step === undefined || (step.reply === 'normal' && fault !== undefined) ? fault : step.reply;
  }

  /** One line for each plan that did not come true, and for each request that nobody had planned; a table with all plans. */
  differences(): string[] {
    const rows = [...this.#steps.map(stepRow), ...this.#faults.map(faultRow), ...unplannedRows(this.#unplanned)];
    if (rows.every(({ problem }) => problem === '')) return [];
    return toTable([
      ['planned', 'reply', 'times', 'happened', ''],
      ...rows.map(({ cells, problem }) => [...cells, problem]),
    ]);
  }

  /** Logins and cleanups belong to a script only when it speaks of them. */
  #isScripted(kind: JournalEntry['kind']): boolean {
    return kind === 'request' ? this.#steps.length > 0 : this.#steps.some(({ pattern }) => pattern.kind === kind);
  }

  /** Every rule counts the request, also where an earlier one decides. */
  #takeFault(entry: JournalEntry): Fault | undefined {
    let taken: PlannedFault | undefined;
    for (const rule of this.#faults) {
      if (rule.pattern.match(entry) === undefined) continue;
      rule.seen++;
      if (taken === undefined && applies(rule)) taken = rule;
    }
    if (taken !== undefined) taken.used++;
    return taken?.fault;
  }
}

function applies({ at, every, most, seen, used }: PlannedFault): boolean {
  if (used >= most) return false;
  return at === undefined ? seen % every === 0 : at.includes(seen);
}

function planStep(step: Step, option: string): PlannedStep {
  checkKeys(checkObject(step, option), ['on', 'reply', 'times'], option);
  const { on, reply = 'normal', times = 1 } = step;
  checkCount(times, 1, `${option}.times`);
  if (reply !== 'normal' && typeof reply !== 'function') checkFault(reply, `${option}.reply`);
  return { pattern: on === undefined ? anyRequest : parsePattern(on, `${option}.on`), reply, times, used: 0 };
}

function planFault(rule: FaultRule, option: string): PlannedFault {
  const { on, at, every, times, ...fault } = checkObject(rule, option) as FaultRule;
  const numbers = at === undefined ? undefined : [at].flat();
  for (const number of numbers ?? []) checkCount(number, 1, `${option}.at`);
  if (every !== undefined) checkCount(every, 1, `${option}.every`);
  if (times !== undefined) checkCount(times, 1, `${option}.times`);
  if (numbers !== undefined && every !== undefined) {
    throw new TypeError(`\`${option}\`: \`at\` and \`every\` exclude each other.`);
  }
  return {
    pattern: on === undefined ? anyRequest : parsePattern(on, `${option}.on`),
    fault: checkFault(fault, option),
    at: numbers,
    every: every ?? 1,
    most: times ?? Number.POSITIVE_INFINITY,
    seen: 0,
    used: 0,
  };
}

interface Row {
  cells: string[];
  problem: string;
}

function stepRow({ pattern, reply, times, used }: PlannedStep): Row {
  const name = typeof reply === 'function' ? 'answer' : reply === 'normal' ? 'normal' : reply.kind;
  return row(pattern.text, name, times, used);
}

function faultRow({ pattern, fault, at, most, used }: PlannedFault): Row {
  const times = at === undefined ? (most === Number.POSITIVE_INFINITY ? undefined : most) : Math.min(at.length, most);
  return row(pattern.text, fault.kind, times, used);
}

function row(planned: string, reply: string, times: number | undefined, happened: number): Row {
  const missing = (times ?? 1) - happened;
  const problem = missing > 0 ? (happened === 0 ? 'never happened' : `${missing} did not happen`) : '';
  return { cells: [planned, reply, times === undefined ? 'any' : String(times), String(happened)], problem };
}

/** Alike requests share a row. */
function unplannedRows(entries: readonly JournalEntry[]): Row[] {
  const byName = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const name = entry.kind === 'request' ? `${entry.method} ${entry.path}` : entry.kind;
    byName.set(name, [...(byName.get(name) ?? []), entry]);
  }
  return [...byName].map(([name, alike]) => ({
    cells: [name, '', '0', String(alike.length)],
    problem: `not planned (request ${alike.map(({ number }) => number).join(', ')})`,
  }));
}

function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
