import { describe, it } from 'vitest';
import {
  expectFewAfterKill,
  expectFewRefused,
  expectOneAfterForgetting,
  expectOneInStep,
  expectSharedAgain,
  outages,
} from './helpers/fleet.js';

describe('while the state is away (G9, G10)', () => {
  it.each(outages)('%s windows, %s, %d processes, %d ms: few refused requests', (...outage) =>
    expectFewRefused(outage),
  );

  it.each(outages)('%s windows, %s, %d processes, %d ms: the quota is shared again afterwards', (...outage) =>
    expectSharedAgain(outage),
  );

  it.each(['isAway', 'isSilent'] as const)('%s: the first windows afterwards teach no larger quota', async (how) => {
    for (let seed = 1; seed <= 100; seed++) await expectOneInStep(how, seed);
  });

  it.each((['fixed', 'aligned'] as const).flatMap((kind) => [4, 16].map((workers) => [kind, workers] as const)))(
    'one that forgets everything costs no more, %s windows, %d processes',
    async (kind, workers) => {
      await expectOneAfterForgetting(kind, workers, 100);
    },
  );

  it.each(
    (['fixed', 'aligned', 'sliding'] as const).flatMap((kind) => [4, 16].map((workers) => [kind, workers] as const)),
  )('a process that is killed and replaced costs no more, %s windows, %d processes', async (kind, workers) => {
    const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
    await expectFewAfterKill(kind, workers, seeds);
  });
});
