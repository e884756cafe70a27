import { describe, it } from 'vitest';
import { expectInStepWithinASecond, expectOneRefused, expectOneWithNewcomers, windowKinds } from './helpers/fleet.js';

describe('processes that share a state share its quota (G10); the rest of fleet.test.ts', () => {
  it.each(windowKinds.flatMap(([name, model]) => [100, 256].map((workers) => [name, workers, model] as const)))(
    '%s, %d processes: one refused request a window, nothing left over, nobody left behind',
    (_name, workers, model) => expectOneRefused(workers, model),
  );

  it.each(
    (['fixed', 'aligned', 'sliding'] as const).flatMap((kind) => [1, 4, 16].map((workers) => [kind, workers] as const)),
  )('processes that start later cost no crowd: %s windows, %d processes', async (kind, workers) => {
    for (const seed of [3, 4, 5]) await expectOneWithNewcomers(kind, workers, seed);
  });

  it.each([
    [4, 119],
    [8, 11],
  ])(
    'windows that slide within a second, %d processes (seed %d): one crowd, and they are in step again',
    expectInStepWithinASecond,
  );
});
