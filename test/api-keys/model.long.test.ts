import { describe, expect, it } from 'vitest';
import { sqlite } from './helpers/databases.js';
import { explore, isNoticed } from './model/explore.js';
import { mutants } from './model/mutants.js';

/** Others than in the ordinary suite, and the same in every run of this one. */
const seed = 20261124;
/** Far beyond what a busy machine needs. */
const patienceMs = 600_000;

describe.each([sqlite])('two processes on one $name database', (kind) => {
  it(
    'answer as a second model that is written from the rules alone (K1 to K24)',
    async () => {
      const { operations } = await explore(kind, seed, 60);
      expect(operations).toBeGreaterThan(500);
    },
    patienceMs,
  );
});

describe('the model', () => {
  it.each(mutants)(
    'control: notices that $wrong ($rule)',
    async (mutant) => {
      expect(await isNoticed(mutant, sqlite, seed, 200)).toBe(true);
    },
    patienceMs,
  );
});
