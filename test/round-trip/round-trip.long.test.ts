import { expect, it } from 'vitest';
import { roundTrips } from './round-trip.js';

it('random bodies arrive as they were sent, up and down (D1)', async () => {
  expect(await roundTrips({ seed: 2, runs: 2000 })).toBeUndefined();
}, 300_000);
