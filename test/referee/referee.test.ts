import { expect, it } from 'vitest';
import { formatFinding, judgeSeeds, seedOf } from './index.js';
import { createScenario } from './scenario.js';

const batches = Array.from({ length: 10 }, (_, index) => index);
const perBatch = 20;

it.each(batches)('breaks no rule in twenty scenarios, batch %i', { timeout: 300_000 }, async (batch) => {
  const seeds = Array.from({ length: perBatch }, (_, index) => seedOf(20261122, batch * perBatch + index));
  const findings: string[] = [];
  await judgeSeeds(seeds, {
    atOnce: perBatch,
    onDone: ({ ledger, violations }) => {
      if (violations.length > 0) findings.push(formatFinding(ledger, violations));
    },
  });
  expect(findings.join('\n\n')).toBe('');
});

it('makes the same scenario of the same seed', () => {
  expect(createScenario(7)).toEqual(createScenario(7));
  expect(createScenario(7)).not.toEqual(createScenario(8));
});
