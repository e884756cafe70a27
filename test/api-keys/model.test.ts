import { describe, expect, it } from 'vitest';
import { databaseKinds, sqlite } from './helpers/databases.js';
import { explore, isNoticed } from './model/explore.js';
import { mutants } from './model/mutants.js';

/** The same in every run: a red build can be repeated. `model.long.test.ts` has others, and all mutants. */
const seed = 1;

describe.each(databaseKinds)('two processes on one $name database', (kind) => {
  it('answer as a second model that is written from the rules alone (K1 to K24)', async () => {
    const { operations } = await explore(kind, seed, 8);
    expect(operations).toBeGreaterThan(100);
  });
});

describe('the model', () => {
  it.each(mutants.slice(0, 1))('control: notices that $wrong ($rule)', async (mutant) => {
    expect(await isNoticed(mutant, sqlite, seed, 100)).toBe(true);
  });
});
