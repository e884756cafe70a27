import { describe, expect, it } from 'vitest';
import { isCrowd, smallThemes, type Theme, themes } from '../arbitrary-schedule.js';
import { findRule } from '../explore.js';
import { bundleClient, countMatches } from './bundle-client.js';
import { livenessMutants } from './liveness-mutants.js';
import { mutants } from './mutants.js';

const seed = 1;
/** The themes take turns: most mutants are found among the first twenty schedules of one of them. */
const rounds = 10;
const runsOfRound = 60;
const usualThemes: readonly Theme[] = [...smallThemes, 'crowds'];
const runsOfControl = (theme: Theme) => (isCrowd(theme) ? 25 : 100);

describe('the simulation notices a client that breaks a rule', () => {
  it.each([...mutants, ...livenessMutants])(
    '$rule: $wrong',
    async ({ rule, patches, themes: places = usualThemes }) => {
      for (const patch of patches) expect(await countMatches(patch), `${patch.find} in ${patch.file}`).toBe(1);
      const subject = await bundleClient(patches);
      let found = false;
      for (let round = 0; round < rounds && !found; round++) {
        const options = { seed: seed + round, runs: runsOfRound };
        for (const theme of places) found ||= await findRule(subject, rule, { theme, ...options });
      }
      expect(found).toBe(true);
    },
    1_200_000,
  );

  it('control: the same bundle without a patch breaks none', async () => {
    const subject = await bundleClient([]);
    for (const theme of themes)
      expect(await findRule(subject, 'any', { theme, seed, runs: runsOfControl(theme) })).toBe(false);
  }, 1_200_000);
});
