import { expect, it } from 'vitest';
import { judgeInPool } from './judge-in-pool.js';
import { createScenario } from './scenario.js';

it('breaks no rule in ninety scenarios', { timeout: 600_000 }, async () => {
  expect(await judgeInPool(20261122, 90)).toBe('');
});

it('makes the same scenario of the same seed', () => {
  expect(createScenario(7)).toEqual(createScenario(7));
  expect(createScenario(7)).not.toEqual(createScenario(8));
});
