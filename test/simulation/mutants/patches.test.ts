import { expect, it } from 'vitest';
import { countMatches } from './bundle-client.js';
import { livenessMutants } from './liveness-mutants.js';
import { mutants } from './mutants.js';

it('each patch of a mutant fits one place of the source', async () => {
  for (const { wrong, patches } of [...mutants, ...livenessMutants]) {
    for (const patch of patches) expect(await countMatches(patch), `${wrong}: ${patch.find}`).toBe(1);
  }
});
