import { expect, it } from 'vitest';
import { judgeInPool } from './judge-in-pool.js';

// In a file of its own, so that it runs beside the other ninety.
it('breaks no rule in ninety more scenarios', { timeout: 600_000 }, async () => {
  expect(await judgeInPool(20261123, 90)).toBe('');
});
