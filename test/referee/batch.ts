import { judge, type Violation } from './judge.js';
import type { Ledger } from './ledger.js';
import { play } from './run.js';
import { createScenario } from './scenario.js';
import type { Mutant } from './transports.js';

export interface Judged {
  readonly ledger: Ledger;
  readonly violations: readonly Violation[];
}

/** Plays the scenario of a seed and judges it. */
export async function judgeSeed(seed: number, mutant?: Mutant): Promise<Judged> {
  const ledger = await play(createScenario(seed), mutant);
  return { ledger, violations: judge(ledger) };
}

/** Does so with many seeds, several at once. */
export async function judgeSeeds(
  seeds: readonly number[],
  { atOnce, mutant, onDone }: { atOnce: number; mutant?: Mutant; onDone?: (judged: Judged) => void },
): Promise<void> {
  const left = [...seeds];
  const work = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) onDone?.(await judgeSeed(seed, mutant));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
