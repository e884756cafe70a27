import * as client from 'concordat/client';
import { describe, expect, it } from 'vitest';
import type { Theme } from './arbitrary-schedule.js';
import { explore, formatCounterexample } from './explore.js';

/** The same in every run of the tests: a red build can be repeated. Other seeds are for `npm run simulate`. */
const seed = 1;
const parts = 5;
const runsOfPart = 400;

/** A fifth of the 10,000 schedules that `npm test` runs; the files share them out among the workers. */
export function expectNoViolation(theme: Theme): void {
  describe(`schedules that dwell on ${theme} break no rule (S3-S7, W2-W7, G1-G8)`, () => {
    for (let part = 0; part < parts; part++) {
      it(`${runsOfPart} of them from seed ${seed + part}`, async () => {
        const found = await explore(client, { theme, seed: seed + part, runs: runsOfPart });
        expect(found && formatCounterexample(found)).toBeUndefined();
      }, 120_000);
    }
  });
}
