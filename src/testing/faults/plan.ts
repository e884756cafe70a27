import * as z from 'zod';
import { checkOptions, count, functionOf, option, optionsOf, readBy, type ShapeOf } from '../../internal/index.js';
import type { Fault, FaultRule, RouteHandler, Step } from '../fault-types.js';
import { anyRequest, parsePattern } from '../routes/pattern.js';
import type { JournalEntry } from '../types.js';
import { faultSchema } from './fault-schema.js';

/** What is planned for a request: the usual response, a fault, or a function that responds. */
export type Planned = 'normal' | Fault | RouteHandler;

type PlannedStep = z.output<typeof stepsSchema>[number] & { used: number };
type PlannedFault = z.output<typeof rulesSchema>[number] & { seen: number; used: number };

/** What was planned and what happened differ; the message is a table of both. */
export class AccountingError extends Error {
  static {
    AccountingError.prototype.name = 'AccountingError';
  }
}

export class Plan {
  readonly #faults: PlannedFault[];
  readonly #steps: PlannedStep[] = [];
  readonly #unplanned: JournalEntry[] = [];

  /** @throws TypeError naming the rule that is wrong. */
  constructor(faults: readonly FaultRule[]) {
    this.#faults = checkOptions(rulesSchema, faults, 'faults').map((rule) => ({ ...rule, seen: 0, used: 0 }));
  }

  /** @throws TypeError naming the step that is wrong; none of them is added then. */
  add(steps: readonly Step[]): void {
    for (const step of checkOptions(stepsSchema, steps, 'steps')) this.#steps.push({ ...step, used: 0 });
  }

  /** What is planned for this request, if anything; `unplanned` when the script has no step left for it. */
  take(entry: JournalEntry): Planned | 'unplanned' | undefined {
    const step = this.#steps.find(({ on, times, used }) => used < times && on.match(entry));
    if (step !== undefined) step.used++;
    else if (this.#isScripted(entry.kind)) {
      this.#unplanned.push(entry);
      return 'unplanned';
    }
    const { reply = 'normal', on } = step ?? {};
    const fault = this.#takeFault(entry, reply === 'normal');
    if (typeof reply !== 'function') return fault ?? step?.reply;
    return (request, context) => reply(request, { ...context, params: on?.match(entry) ?? {} });
  }

  /** The lines of a table of all plans and unplanned requests; none if everything went as planned. */
  differences(): string[] {
    const rows = [...this.#steps.map(stepRow), ...this.#faults.map(faultRow), ...unplannedRows(this.#unplanned)];
    if (rows.every(({ problem }) => problem === '')) return [];
    return toTable([
      ['planned', 'reply', 'times', 'happened', ''],
      ...rows.map(({ cells, problem }) => [...cells, problem]),
    ]);
  }

  /** Logins and cleanups belong to a script only if it has steps for them. */
  #isScripted(kind: JournalEntry['kind']): boolean {
    return kind === 'request' ? this.#steps.length > 0 : this.#steps.some(({ on }) => on.kind === kind);
  }

  /** Every rule counts the request, even when an earlier one or a step applies. */
  #takeFault(entry: JournalEntry, mayHappen: boolean): Fault | undefined {
    let taken: PlannedFault | undefined;
    for (const rule of this.#faults) {
      if (rule.on.match(entry) === undefined) continue;
      rule.seen++;
      if (mayHappen && taken === undefined && applies(rule)) taken = rule;
    }
    if (taken !== undefined) taken.used++;
    return taken;
  }
}

function applies({ at, every = 1, times, seen, used }: PlannedFault): boolean {
  if (used >= times) return false;
  return at === undefined ? seen % every === 0 : [at].flat().includes(seen);
}

/** A route, `'login'` or `'cleanup'`. */
export const routeOption = readBy((text) => parsePattern(text, 'on'));

const on = routeOption.default(anyRequest);

const stepsSchema = z.array(
  optionsOf({
    on,
    times: count(1).default(1),
    reply: z
      .union([z.literal('normal'), functionOf<RouteHandler>(), faultSchema({})], {
        error: "must be 'normal', a function, or an object with `kind`",
      })
      .default('normal'),
  } satisfies ShapeOf<Step>),
  { error: 'must be an array' },
);

const rulesSchema = z.array(
  faultSchema({
    on,
    times: count(1).default(Number.POSITIVE_INFINITY),
    at: option<number | readonly number[]>((value) => {
      const numbers = [value].flat();
      const isEach = numbers.every((item) => Number.isInteger(item) && (item as number) >= 1);
      return isEach && numbers.length > 0 && new Set(numbers).size === numbers.length;
    }, 'must be a whole number, 1 or more, or an array of different such numbers').optional(),
    every: count(1).optional(),
  }).refine(({ at, every }) => at === undefined || every === undefined, 'must have either `at` or `every`, not both'),
);

interface Row {
  cells: string[];
  problem: string;
}

function stepRow({ on, reply, times, used }: PlannedStep): Row {
  const name = typeof reply === 'function' ? 'answer' : reply === 'normal' ? 'normal' : reply.kind;
  return row(on.text, name, times, used);
}

function faultRow({ on, kind, at, times: most, used }: PlannedFault): Row {
  const times =
    at === undefined ? (most === Number.POSITIVE_INFINITY ? undefined : most) : Math.min([at].flat().length, most);
  return row(on.text, kind, times, used);
}

function row(planned: string, reply: string, times: number | undefined, happened: number): Row {
  const missing = (times ?? 1) - happened;
  const problem = missing > 0 ? (happened === 0 ? 'never happened' : `${missing} did not happen`) : '';
  return { cells: [planned, reply, times === undefined ? 'any' : String(times), String(happened)], problem };
}

/** Requests with the same method and path share a row. */
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
