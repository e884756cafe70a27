import { describe, expect, it } from 'vitest';
import type { LimitModel } from '../../bench/fleet/connector.js';
import type { FleetOptions } from '../../bench/fleet/run-fleet.js';
import {
  away,
  budget,
  type Disturbed,
  expectFewAfterKill,
  expectFewRefused,
  expectInStepWithinASecond,
  expectOneAfterForgetting,
  expectOneInStep,
  expectOneRefused,
  expectOneWithNewcomers,
  expectSharedAgain,
  minute,
  type Outage,
  run,
  windowKinds,
} from './helpers/fleet.js';

describe('processes that share a state share its quota (G10); more of it in fleet-sizes.long.test.ts', () => {
  it.each([1, 4, 16])('%d of them meet one limit a window in all, with the real client', async (workers) => {
    const figures = await run({ workers, real: true });
    expect(figures.mostRefused).toBeLessThanOrEqual(1);
    expect(figures.unused).toBeLessThanOrEqual(0.03);
    expect(figures.commands).toBeLessThanOrEqual(budget(workers));
    expect(figures.longestWait).toBeLessThanOrEqual(1.5);
    expect(figures.logins).toBeLessThanOrEqual(1);
  });

  it('with the pause alone they meet many (control)', async () => {
    const figures = await run({ workers: 16, sharing: 'pause', real: true, windows: 4 });
    expect(figures.refused).toBeGreaterThan(10);
  });

  const more = new Map([
    ['windows that begin by the clock', [256]],
    ['windows of a second', [100]],
  ]);
  it.each(
    windowKinds.flatMap(([name, model]) =>
      [2, 16, ...(more.get(name) ?? [])].map((workers) => [name, workers, model] as const),
    ),
  )('%s, %d processes: one refused request a window, nothing left over, nobody left behind', (_name, workers, model) =>
    expectOneRefused(workers, model),
  );

  const sizes = (['fixed', 'aligned', 'sliding'] as const).flatMap((kind) =>
    [1, 4, 16].map((workers) => [kind, workers] as const),
  );
  it.each(sizes)('processes that start later cost no crowd: %s windows, %d processes', async (kind, workers) => {
    for (const seed of [1, 2]) await expectOneWithNewcomers(kind, workers, seed);
  });

  it.each(['fixed', 'aligned', 'sliding'] as const)(
    'a process that is killed, and one that takes its place, cost no crowd: %s windows',
    (kind) => expectFewAfterKill(kind, 4, [8, 18, 34, 36]),
  );

  it('with one caller each, permits come in batches all the same', async () => {
    const figures = await run({ workers: 4, callers: 1 });
    expect(figures.mostRefused).toBeLessThanOrEqual(1);
    expect(figures.commands).toBeLessThanOrEqual(budget(4));
  });

  it.each([
    [1, 1],
    [4, 1],
    [16, 2],
    [64, 2],
    [100, 3],
    [256, 1],
  ])('windows that slide, %d processes (seed %d): no more than those that do not', async (workers, seed) => {
    const callers = workers > 16 ? 2 : 50;
    const figures = await run({ workers, callers, windows: 20, seed, model: { ...minute, kind: 'sliding' } });
    expect(figures.mostRefused).toBeLessThanOrEqual(3);
    expect(figures.unused).toBeLessThanOrEqual(0.03);
    expect(figures.commands).toBeLessThanOrEqual(budget(workers));
    expect(figures.longestWait).toBeLessThanOrEqual(1.5);
  });

  // In one run of ten a request of the last window arrives too late for the next one to begin with all permits.
  it.each([
    [4, 131],
    [2, 15],
    [16, 12],
  ])(
    'windows that slide within a second, %d processes (seed %d): one crowd, and they are in step again',
    expectInStepWithinASecond,
  );

  const announced: [string, Partial<LimitModel>][] = [
    ['fixed', { kind: 'fixed' }],
    ['sliding', { kind: 'sliding' }],
  ];
  it.each(announced.flatMap(([name, model]) => [4, 16, 256].map((workers) => [name, workers, model] as const)))(
    'an announced quota of a %s window holds for %d processes together (W8)',
    async (_name, workers, model) => {
      const announces = { ...minute, ...model, announces: true };
      const figures = await run({ workers, callers: workers > 16 ? 2 : 50, model: announces });
      expect(figures.mostRefused).toBeLessThanOrEqual(1);
      expect(figures.unused).toBeLessThanOrEqual(0.03);
      expect(figures.commands).toBeLessThanOrEqual(budget(workers));
    },
  );

  // The second window finds out that half of the quota is gone: by one crowd, because all permits go at once.
  it.each([1, 4, 16, 256])(
    'beside a rival that takes half, %d processes: three a window, after one crowd',
    async (workers) => {
      const model: LimitModel = { ...minute, kind: 'aligned', rival: 0.5 };
      const figures = await run({ workers, callers: workers > 50 ? 2 : 50, windows: 20, model, countFrom: 2 });
      expect(figures.refused).toBeLessThanOrEqual(3);
      expect(figures.unused).toBeLessThanOrEqual(0.03);
    },
  );

  it('a quota that doubles is found within a window, by probes that pass', async () => {
    const model = { ...minute };
    const double = ({ time }: Parameters<NonNullable<FleetOptions['disturb']>>[0]) =>
      time.after(4.5 * 60_000, () => Object.assign(model, { limit: 200 }));
    const figures = await run({ model, disturb: double, countFrom: 6 });
    expect(figures.mostRefused).toBeLessThanOrEqual(1);
    expect(figures.unused).toBeLessThanOrEqual(-0.97); // of the quota that it was
  });

  it('windows that become ten times as short are learned again', async () => {
    const model = { ...minute };
    const shorten = ({ time }: Parameters<NonNullable<FleetOptions['disturb']>>[0]) =>
      time.after(2.5 * 60_000, () => Object.assign(model, { windowMs: 6000 }));
    const figures = await run({ model, windows: 20, disturb: shorten, countFrom: 10 });
    expect(figures.refused).toBeLessThanOrEqual(11);
    expect(1 - figures.unused).toBeGreaterThanOrEqual(9);
  });
});

describe('while the state is away (G9, G10); more of it in fleet-away.long.test.ts', () => {
  const outages: Outage[] = [
    ['aligned', 'isAway', 4, 1000],
    ['fixed', 'isSilent', 16, 1000],
    ['sliding', 'isAway', 4, 60_000],
  ];
  it.each(outages)('%s windows, %s, %d processes, %d ms: few refused requests', (...outage) =>
    expectFewRefused(outage),
  );

  it.each(outages)('%s windows, %s, %d processes, %d ms: the quota is shared again afterwards', (...outage) =>
    expectSharedAgain(outage),
  );

  // A second word of one limit closed the window after it; and permits that a share left unused taught a larger quota.
  it.each([
    ['isAway', 8],
    ['isAway', 334],
    ['isSilent', 73],
    ['isSilent', 273],
  ] as const)('%s (seed %d): the first windows afterwards teach no larger quota', expectOneInStep);

  it.each([
    ['fixed', 4],
    ['fixed', 16],
    ['aligned', 4],
    ['aligned', 16],
  ] as const)('one that forgets everything costs no more, %s windows, %d processes', async (kind, workers) => {
    await expectOneAfterForgetting(kind, workers, 4);
  });

  it('with nothing shared, they meet many (control)', async () => {
    const figures = await run({ sharing: 'none', model: { ...minute, kind: 'aligned', windowMs: 1000 }, countFrom: 6 });
    expect(figures.refused).toBeGreaterThan(5);
  });

  it('a process that is left alone soon uses the whole quota', async () => {
    const leave = (disturbed: Disturbed) => {
      away('isAway', 60_000, 5, 99)(disturbed);
      for (const worker of disturbed.crew.slice(1)) disturbed.time.after(6.4 * 60_000, () => worker.finish());
    };
    const figures = await run({ windows: 60, countFrom: 30, disturb: leave });
    expect(figures.unused).toBeLessThanOrEqual(0.05);
    expect(figures.refused).toBeLessThanOrEqual(2);
  });
});

describe('when something fails (G9)', () => {
  it('a state that never answers costs two seconds', async () => {
    const figures = await run({ disturb: ({ fleet }) => (fleet.isSilent = true) });
    expect(figures.unused).toBeLessThanOrEqual(0.1);
    expect(figures.longestWait).toBeLessThanOrEqual(1.5);
  });

  it('processes that die with permits cost those, and the others go on', async () => {
    const figures = await run({
      workers: 8,
      windows: 12,
      disturb: ({ crew, time }) => {
        for (const [index, worker] of crew.slice(0, 4).entries()) {
          time.after((3 + index) * 60_000 + 200, () => worker.finish());
        }
      },
    });
    expect(figures.unused).toBeLessThanOrEqual(0.03);
    expect(figures.refused).toBeLessThanOrEqual(3);
  });
});
