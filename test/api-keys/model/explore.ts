import fc from 'fast-check';
import type { DatabaseKind } from '../helpers/databases.js';
import type { Mutant } from './mutants.js';
import type { Plan } from './operations.js';
import { plansAbout } from './plans.js';
import { PlanRun, type Tally, type Wrap } from './run-plan.js';

/** Runs one plan on a database of its own. */
async function runPlan(plan: Plan, kind: DatabaseKind, tally: Tally, wrap: Wrap = (real) => real): Promise<void> {
  const database = await kind.create();
  const run = new PlanRun(plan, database, tally, wrap);
  try {
    await run.run(plan);
  } finally {
    await run.close();
    await database.remove();
  }
}

/** Random plans of a seed; throws with the smallest one that disagrees with the model. */
export async function explore(kind: DatabaseKind, seed: number, runs: number): Promise<Tally> {
  const tally: Tally = { plans: 0, operations: 0, calls: 0 };
  const agrees = fc.asyncProperty(plansAbout([]), (plan) => runPlan(plan, kind, tally));
  await fc.assert(agrees, { seed, numRuns: runs });
  return tally;
}

/** Whether the plans of a seed find a mutant. */
export async function isNoticed(mutant: Mutant, kind: DatabaseKind, seed: number, runs: number): Promise<boolean> {
  const agrees = fc.asyncProperty(plansAbout(mutant.about), (plan) =>
    runPlan(plan, kind, { plans: 0, operations: 0, calls: 0 }, mutant.make()),
  );
  return (await fc.check(agrees, { seed, numRuns: runs, endOnFailure: true })).failed;
}
