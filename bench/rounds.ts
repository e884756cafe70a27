// Contenders in processes of their own take turns: every one runs a round, then every one the next, so that whatever
// else the machine does meets all of them. Idle ones cost nothing.
import { round } from './table.js';
import type { Worker } from './worker.js';

/** What one round came to. CPU is the time of the measured process, with all its threads. */
export interface Round {
  readonly operations: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

export interface Contender {
  readonly name: string;
  run(): Promise<Round>;
}

export interface Result {
  readonly name: string;
  readonly cpuUs: number;
  readonly perSecond: number;
  /** CPU divided by that of the contender which the others are measured against. */
  readonly cpuRatio: number;
}

/**
 * Medians over the rounds; the first round warms up and is thrown away. Ratios are made within a round and their median
 * is taken, so that a minute in which the machine is busy does not count against whoever ran in it.
 */
export async function takeTurns(contenders: readonly Contender[], rounds: number, against: string): Promise<Result[]> {
  const collected = contenders.map((): Round[] => []);
  for (let turn = 0; turn <= rounds; turn++) {
    for (const [index, contender] of contenders.entries()) {
      const result = await contender.run();
      if (turn > 0) collected[index]?.push(result);
    }
  }
  const base = collected[contenders.findIndex(({ name }) => name === against)] ?? [];
  return contenders.map(({ name }, index) => {
    const own = collected[index] ?? [];
    return {
      name,
      cpuUs: median(own.map(cpuUs)),
      perSecond: median(own.map(({ operations, wallMs }) => operations / (wallMs / 1000))),
      cpuRatio: median(own.map((result, turn) => cpuUs(result) / cpuUs(base[turn] ?? result))),
    };
  });
}

export function workerContender(name: string, worker: Worker, input: unknown): Contender {
  return { name, run: () => worker.call<Round>('run', input) };
}

export function printResults(title: string, results: readonly Result[], perOperation: string): void {
  const rows = results.map(({ name, cpuUs, perSecond, cpuRatio }) => [
    name,
    { [`CPU µs per ${perOperation}`]: round(cpuUs), ratio: round(cpuRatio), 'per second': Math.round(perSecond) },
  ]);
  console.log(`\n${title}`);
  console.table(Object.fromEntries(rows));
}

/** Runs `operation` `count` times, `concurrency` at once, and says what it took of this process. */
export async function runLanes(
  operation: () => Promise<unknown>,
  { count, concurrency }: { count: number; concurrency: number },
): Promise<Round> {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await operation();
    }
  };
  globalThis.gc?.();
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const wallMs = performance.now() - startedAtMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { operations: count, wallMs, cpuMs: (user + system) / 1000 };
}

function cpuUs({ cpuMs, operations }: Round): number {
  return (cpuMs * 1000) / operations;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
