import { expect } from 'vitest';
import type { LimitModel } from '../../../bench/fleet/connector.js';
import { type FleetFigures, type FleetOptions, runFleet } from '../../../bench/fleet/run-fleet.js';

export const minute: LimitModel = { kind: 'fixed', limit: 100, windowMs: 60_000, wholeSeconds: false, rival: 0 };

export function run(options: Partial<FleetOptions>): Promise<FleetFigures> {
  const usual = {
    workers: 4,
    callers: 50,
    sharing: 'quota',
    model: minute,
    windows: 10,
    seed: 1,
    real: false,
  } as const;
  return runFleet({ ...usual, ...options });
}

export type Disturbed = Parameters<NonNullable<FleetOptions['disturb']>>[0];

/** What rule G10 allows a fleet of so many processes in commands to the state, for each request. */
export const budget = (workers: number, limit = 100) => 0.2 + workers / limit;

/** The windows of connectors that a fleet meets. */
export const windowKinds: readonly (readonly [string, Partial<LimitModel>])[] = [
  ['windows that begin with their first request', {}],
  ['windows that begin by the clock', { kind: 'aligned' }],
  ['waits in whole seconds', { wholeSeconds: true, windowMs: 10_000 }],
  ['windows of a second', { windowMs: 1000 }],
];

export async function expectOneRefused(workers: number, model: Partial<LimitModel>): Promise<void> {
  const figures = await run({ workers, callers: workers > 50 ? 2 : 20, model: { ...minute, ...model } });
  expect(figures.mostRefused).toBeLessThanOrEqual(1);
  expect(figures.unused).toBeLessThanOrEqual(0.03);
  expect(figures.commands).toBeLessThanOrEqual(budget(workers));
  expect(figures.longestWait).toBeLessThanOrEqual(1.5);
}

/** Windows that slide within a second: one crowd, and all are in step again. */
export async function expectInStepWithinASecond(workers: number, seed: number): Promise<void> {
  const model: LimitModel = { ...minute, kind: 'sliding', windowMs: 1000 };
  const figures = await run({ workers, seed, real: true, model, windows: 40, countFrom: 2 });
  expect(figures.refused).toBeLessThanOrEqual(3);
  expect(figures.mostRefused).toBeLessThanOrEqual(50);
}

/** The state is away, or hangs, between these windows. */
export const away =
  (how: 'isAway' | 'isSilent', windowMs: number, from: number, until: number) =>
  ({ fleet, time }: Disturbed) => {
    time.after((from + 0.4) * windowMs, () => (fleet[how] = true));
    time.after((until + 0.4) * windowMs, () => (fleet[how] = false));
  };

/** The window, how the state is away, the number of processes, and the length of a window in milliseconds. */
export type Outage = readonly ['fixed' | 'aligned' | 'sliding', 'isAway' | 'isSilent', number, number];

const kinds = ['fixed', 'aligned', 'sliding'] as const;
const hows = ['isAway', 'isSilent'] as const;
export const outages: readonly Outage[] = kinds.flatMap((kind) =>
  hows.flatMap((how) => [4, 16].flatMap((workers) => [1000, 60_000].map((ms) => [kind, how, workers, ms] as const))),
);

export async function expectFewRefused([kind, how, workers, windowMs]: Outage): Promise<void> {
  const model: LimitModel = { ...minute, kind, windowMs };
  const figures = await run({ workers, model, windows: 30, countFrom: 6, disturb: away(how, windowMs, 5, 99) });
  expect(figures.refused).toBeLessThanOrEqual(workers / 2);
  expect(figures.mostRefused).toBeLessThanOrEqual(3 * workers);
  expect(figures.unused).toBeLessThanOrEqual(0.15);
  expect(figures.longestWait).toBeLessThanOrEqual(2);
}

export async function expectSharedAgain([kind, how, workers, windowMs]: Outage): Promise<void> {
  const model: LimitModel = { ...minute, kind, windowMs };
  const shape = { workers, model, windows: 60, disturb: away(how, windowMs, 5, 10) };
  const figures = await run({ ...shape, countFrom: 30 });
  expect(figures.refused).toBeLessThanOrEqual(kind === 'sliding' ? 3 : 1.5);
  expect(figures.unused).toBeLessThanOrEqual(0.05);
  const whole = await run({ ...shape, countFrom: 2 });
  expect(whole.refused).toBeLessThanOrEqual(4);
  expect(whole.longestWait).toBeLessThanOrEqual(4);
}

/** Windows that begin by the clock, of a second; the state is away for five of them, from any moment. */
export async function expectOneInStep(how: 'isAway' | 'isSilent', seed: number): Promise<void> {
  const model: LimitModel = { ...minute, kind: 'aligned', windowMs: 1000 };
  const from = 4.6 + ((seed * 0.37) % 1);
  const disturb = away(how, 1000, from, from + 5);
  const figures = await run({ model, seed, latencyMs: 2, windows: 46, countFrom: 16, disturb });
  expect(figures.refused).toBeLessThanOrEqual(1);
  expect(figures.mostRefused).toBeLessThanOrEqual(2);
}

/** Windows of a second; in one of them, at any moment, the state forgets everything. All seeds together count. */
export async function expectOneAfterForgetting(kind: LimitModel['kind'], workers: number, seeds: number) {
  const model: LimitModel = { ...minute, kind, windowMs: 1000 };
  let refused = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const at = 1000 * (5 + ((seed * 0.618) % 1));
    const disturb = ({ fleet, time }: Disturbed) => time.after(at, () => fleet.forget());
    const figures = await run({ workers, model, seed, latencyMs: 4, windows: 20, countFrom: 4, disturb });
    refused += figures.refused;
    expect(figures.mostRefused).toBeLessThanOrEqual(workers / 2 + 2);
    expect(figures.unused).toBeLessThanOrEqual(0.02);
  }
  expect(refused / seeds).toBeLessThanOrEqual(1);
}

/** Windows of a second; at any moment of two of them one more process starts. */
export async function expectOneWithNewcomers(kind: LimitModel['kind'], workers: number, seed: number): Promise<void> {
  const model: LimitModel = { ...minute, kind, windowMs: 1000 };
  const disturb = ({ time, hire }: Disturbed) => {
    for (const window of [5, 8]) time.after(1000 * (window + ((seed * window * 0.618) % 1)), () => hire().start());
  };
  const figures = await run({ workers, model, seed, latencyMs: 4, windows: 16, countFrom: 4, disturb });
  expect(figures.mostRefused).toBeLessThanOrEqual(1);
  expect(figures.unused).toBeLessThanOrEqual(0.02);
}

/** The same with one process that is killed, and one that takes its place. All seeds together count. */
export async function expectFewAfterKill(kind: LimitModel['kind'], workers: number, seeds: readonly number[]) {
  const model: LimitModel = { ...minute, kind, windowMs: 1000 };
  let refused = 0;
  let unused = 0;
  for (const seed of seeds) {
    const disturb = ({ time, crew, hire }: Disturbed) => {
      time.after(1000 * (5 + ((seed * 0.618) % 1)), () => crew[0]?.finish());
      time.after(1000 * (8 + ((seed * 0.326) % 1)), () => hire().start());
    };
    const figures = await run({ workers, model, seed, latencyMs: 4, windows: 20, countFrom: 4, disturb });
    refused += figures.refused;
    expect(figures.mostRefused).toBeLessThanOrEqual(kind === 'sliding' ? model.limit : 1);
    unused += figures.unused;
  }
  expect(refused / seeds.length).toBeLessThanOrEqual(kind === 'sliding' ? 3 : 1);
  expect(unused / seeds.length).toBeLessThanOrEqual(0.03);
}
