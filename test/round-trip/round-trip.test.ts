import { expect, it } from 'vitest';
import { roundTrips } from './round-trip.js';

it('random bodies arrive as they were sent, up and down (D1); more of them by `npm run round-trip`', async () => {
  expect(await roundTrips({ seed: 1, runs: 200 })).toBeUndefined();
});
