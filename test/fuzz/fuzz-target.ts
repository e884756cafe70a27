import { inspect } from 'node:util';
import * as fc from 'fast-check';

/** Something that reads what strangers send: the cases to try it with, and what has to be true of every outcome. */
// biome-ignore lint/suspicious/noExplicitAny: targets of every kind are in one list
export interface FuzzTarget<Case = any, Reader = any> {
  readonly name: string;
  readonly cases: fc.Arbitrary<Case>;
  /** A new reader, as a user has it, with whatever it needs. */
  open(): Promise<{ readonly reader: Reader; close?(): Promise<void> }>;
  /** Says what is wrong with how a case is read; `undefined` when nothing is. */
  judge(reader: Reader, given: Case): string | undefined | Promise<string | undefined>;
  /** Readers with one defect each, which the same judgment has to notice. */
  readonly defects: Readonly<Record<string, (reader: Reader) => Reader>>;
}

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** The name of a defect: the reader then has it. */
  readonly defect?: string | undefined;
  /** Whether a finding is made smaller. @default true */
  readonly shrink?: boolean | undefined;
  /**
   * CPU time that no case may take, in milliseconds. All are 64 KB or so: what needs more reads them in more than linear
   * time. It is not measured by the wall clock, which runs on while other processes have their turn. @default 2000
   */
  readonly budgetMs?: number | undefined;
}

export interface FuzzOutcome {
  readonly cases: number;
  /** CPU time of the slowest case. */
  readonly slowestMs: number;
  readonly finding?: Finding;
}

export interface Finding {
  readonly target: string;
  readonly seed: number;
  /** The number of the case. Those before it are run again with it: a reader may remember them. */
  readonly runs: number;
  readonly complaint: string;
  /** The case, made as small as it goes. */
  readonly shown: string;
}

/** Runs a target with random cases until one is judged wrong, and makes that one as small as it goes. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzOutcome> {
  const { runs, seed, defect, shrink = true, budgetMs = 2000 } = options;
  const { reader, close } = await target.open();
  const subject = defect === undefined ? reader : (target.defects[defect] as (reader: unknown) => unknown)(reader);
  let slowestMs = 0;
  const property = fc.asyncProperty(target.cases, async (given) => {
    if (slowestMs > budgetMs) return; // so that a slow case is not run a hundred times to make it smaller
    const before = process.cpuUsage();
    const complaint = await judgeSafely(target, subject, given);
    const { user, system } = process.cpuUsage(before);
    slowestMs = Math.max(slowestMs, (user + system) / 1000);
    if (complaint !== undefined) throw new Error(complaint);
    if (slowestMs > budgetMs) throw new Error(`It took ${Math.round(slowestMs)} ms of CPU time.`);
    const polluted = pollution();
    if (polluted !== undefined) throw new Error(`A built-in prototype has changed: ${polluted}`);
  });
  try {
    const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: !shrink });
    if (!details.failed) return { cases: details.numRuns, slowestMs };
    return { cases: details.numRuns, slowestMs, finding: toFinding(target, seed, details) };
  } finally {
    await close?.();
  }
}

async function judgeSafely(target: FuzzTarget, reader: unknown, given: unknown): Promise<string | undefined> {
  try {
    return await target.judge(reader, given);
  } catch (error) {
    return `It threw ${inspect(error)}`;
  }
}

function toFinding(target: FuzzTarget, seed: number, details: fc.RunDetails<[unknown]>): Finding {
  const [given] = details.counterexample as [unknown];
  const error = details.errorInstance as Error;
  return {
    target: target.name,
    seed,
    runs: details.numRuns,
    complaint: error.message,
    shown: inspect(given, { depth: 10, maxStringLength: 2000, breakLength: 120 }),
  };
}

/** Says what was found, and how to see it again. */
export function formatFinding({ target, seed, runs, complaint, shown }: Finding): string {
  return [
    `${target}: ${complaint}`,
    '',
    shown,
    '',
    `See it again with: npm run fuzz -- --reader ${target} --again ${seed}:${runs}`,
  ].join('\n');
}

const prototypes = { Object: Object.prototype, Array: Array.prototype, Function: Function.prototype };
const known = Object.entries(prototypes).map(([name, prototype]) => [name, prototype, keysOf(prototype)] as const);

function keysOf(prototype: object): string {
  return Reflect.ownKeys(prototype).map(String).join();
}

function pollution(): string | undefined {
  return known.find(([, prototype, keys]) => keysOf(prototype) !== keys)?.[0];
}
