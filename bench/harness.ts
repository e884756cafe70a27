// Measures operations that take turns: every arm runs a round, then every arm the next one, so that whatever else the
// machine does meets all of them.
import { setImmediate as letTimersRun } from 'node:timers/promises';
import { round } from './table.js';

export interface Arm {
  readonly name: string;
  readonly operationsPerRound: number;
  /** How many run at once. @default 1 */
  readonly lanes?: number;
  /** Before each round, not measured. */
  prepare?(): void | Promise<void>;
  run(): Promise<void>;
}

export interface Figure {
  readonly name: string;
  readonly operations: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
  readonly perSecond: number;
  /** Of this process, with all its threads; a database server's is not in it. */
  readonly cpuUs: number;
}

// A server comes back to its event loop between requests; a loop over a synchronous database never would, and nothing
// that waits for a timer (writing `lastAccessed`) would be in the figures.
const operationsPerTurn = 20;

export async function measure(arms: readonly Arm[], rounds: number): Promise<Figure[]> {
  const collected = arms.map(() => ({ latenciesUs: [] as number[], wallUs: 0, cpuUs: 0 }));
  // The first round warms up and is thrown away.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, arm] of arms.entries()) {
      await arm.prepare?.();
      const measured = await runRound(arm);
      const into = collected[index];
      if (round === 0 || into === undefined) continue;
      for (const latencyUs of measured.latenciesUs) into.latenciesUs.push(latencyUs);
      into.wallUs += measured.wallUs;
      into.cpuUs += measured.cpuUs;
    }
  }
  return arms.map(({ name }, index) => {
    const { latenciesUs, wallUs, cpuUs } = collected[index]!;
    const sorted = Float64Array.from(latenciesUs).sort();
    return {
      name,
      operations: sorted.length,
      p50Us: percentile(sorted, 0.5),
      p99Us: percentile(sorted, 0.99),
      p999Us: percentile(sorted, 0.999),
      maxUs: percentile(sorted, 1),
      perSecond: sorted.length / (wallUs / 1e6),
      cpuUs: cpuUs / sorted.length,
    };
  });
}

async function runRound({ operationsPerRound, lanes = 1, run }: Arm) {
  const latenciesUs: number[] = [];
  let left = operationsPerRound;
  const lane = async () => {
    while (left > 0) {
      for (let turn = 0; turn < operationsPerTurn && left > 0; turn++) {
        left -= 1;
        const startedAtMs = performance.now();
        await run();
        latenciesUs.push((performance.now() - startedAtMs) * 1000);
      }
      await letTimersRun();
    }
  };
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  const wallUs = (performance.now() - startedAtMs) * 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { latenciesUs, wallUs, cpuUs: user + system };
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Prints a table; `against` names the arm that the others are divided by. */
export function printFigures(
  title: string,
  figures: readonly Figure[],
  { against, unit = 'µs' }: { against?: string; unit?: 'µs' | 'ms' } = {},
): void {
  const base = figures.find(({ name }) => name === against);
  const perUnit = unit === 'ms' ? 1000 : 1;
  const rows = figures.map((figure) => [
    figure.name,
    {
      operations: figure.operations,
      [`p50 ${unit}`]: round(figure.p50Us / perUnit),
      [`p99 ${unit}`]: round(figure.p99Us / perUnit),
      [`p99.9 ${unit}`]: round(figure.p999Us / perUnit),
      'max ms': round(figure.maxUs / 1000),
      'per second': Math.round(figure.perSecond),
      [`CPU ${unit}`]: round(figure.cpuUs / perUnit),
      ...(base && {
        'p50 ratio': round(figure.p50Us / base.p50Us),
        'rate ratio': round(base.perSecond / figure.perSecond),
        'CPU ratio': round(figure.cpuUs / base.cpuUs),
      }),
    },
  ]);
  console.log(`\n${title}`);
  console.table(Object.fromEntries(rows));
}
