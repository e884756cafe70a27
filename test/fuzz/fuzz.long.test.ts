import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FuzzTarget, formatFinding, fuzz, targets } from './index.js';

/** The same in every run of the tests: a red build can be repeated. Other seeds are for `npm run fuzz`. */
const seed = 1;
/** Some seconds in all; those that open a database are the slow ones. */
const runsOf: Readonly<Record<string, number>> = { 'wait-header': 4000, 'quota-headers': 2000, 'admin-api': 300 };
const fewRuns = 600;
/** Most defects are found among the first hundred cases. */
const runsOfControl = 3000;

describe.each(targets.map((target) => [target.name, target] as const))('the reader %s', (name, target) => {
  it('breaks no rule, whatever comes (E6, E8, K8, K9, K13, S2, W4, W8)', async () => {
    const { finding } = await fuzz(target, { runs: runsOf[name] ?? fewRuns, seed });
    expect(finding && formatFinding(finding)).toBeUndefined();
  });

  it.each(Object.keys(target.defects))('control: with a defect it is noticed: %s', async (defect) => {
    const { finding } = await fuzz(target, { runs: runsOfControl, seed, defect, shrink: false });
    expect(finding).toBeDefined();
  });
});

describe('the fuzz run itself', () => {
  const targetOf = (judge: (given: number) => string | undefined): FuzzTarget<number, undefined> => ({
    name: 'a test',
    cases: fc.integer({ min: 0, max: 1000 }),
    open: async () => ({ reader: undefined }),
    judge: (_reader, given) => judge(given),
    defects: {},
  });

  it('makes a finding as small as it goes, and shows it again from its seed and number', async () => {
    const target = targetOf((given) => (given > 900 ? `${given} is too much` : undefined));
    const { finding } = await fuzz(target, { runs: 1000, seed });
    expect(finding).toMatchObject({ complaint: '901 is too much', shown: '901' });
    const runs = finding?.runs as number;
    expect(formatFinding(finding!)).toContain(`--reader a test --again 1:${runs}`);
    expect((await fuzz(target, { runs, seed })).finding).toEqual(finding);
    expect((await fuzz(target, { runs: runs - 1, seed })).finding).toBeUndefined(); // control
  });

  it('counts the cases, and finds nothing where nothing is wrong (control)', async () => {
    expect(
      await fuzz(
        targetOf(() => undefined),
        { runs: 1000, seed },
      ),
    ).toEqual({
      cases: 1000,
      slowestMs: expect.any(Number),
    });
  });

  it('notices a case that takes too long, by the time of the processor', async () => {
    const target = targetOf((given) => {
      const before = process.cpuUsage();
      while (given > 100 && process.cpuUsage(before).user < 30_000);
      return undefined;
    });
    const { finding } = await fuzz(target, { runs: 1000, seed, budgetMs: 20 });
    expect(finding?.complaint).toMatch(/^It took \d+ ms of CPU time\.$/);
    expect((await fuzz(target, { runs: 3, seed, budgetMs: 2000 })).finding).toBeUndefined(); // control
  });

  it('notices a prototype that was changed', async () => {
    const target = targetOf(() => {
      Object.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true });
      return undefined;
    });
    try {
      expect((await fuzz(target, { runs: 10, seed, shrink: false })).finding?.complaint).toContain('Object');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted');
    }
  });
});
