// The same as 0001-the-client-fell-silent.test.ts, with other seeds.
import { describe, it } from 'vitest';
import { expectNoSilence, settings } from './helpers/fell-silent.js';

const seeds = [1, 3, 4, 5, 6, 7, 11, 12, ...Array.from({ length: 12 }, (_, index) => 13 + index)];

describe.each(settings)(
  '%i a second (%s window), answers with a long tail, %i calls at once',
  (limit, window, calls) => {
    it.each(seeds)('seed %i: calls go on being sent, and snapshots can be given back (G9)', (seed) =>
      expectNoSilence(limit, window, calls, seed),
    );
  },
);
