import * as client from 'concordat/client';
import { describe, expect, it } from 'vitest';
import type { Theme } from './arbitrary-schedule.js';
import { explore, formatCounterexample } from './explore.js';

/** The same in every run of the tests: a red build can be repeated. Other seeds are for `npm run simulate`. */
const seed = 1;
const parts = 5;

/** 2,000 schedules, if nothing else is said; the files share them out among the workers. */
export function expectNoViolation(theme: Theme, runsOfPart = 400): void {
  describe(`schedules that dwell on ${theme} break no rule (S3-S7, W2-W7, G1-G9)`, () => {
    for (let part = 0; part < parts; part++) {
      it(`${runsOfPart} of them from seed ${seed + part}`, async () => {
        const found = await explore(client, { theme, seed: seed + part, runs: runsOfPart });
        expect(found && formatCounterexample(found)).toBeUndefined();
      }, 1_200_000);
    }
  });
}
