import { describe, it } from 'vitest';
import { expectFewRefused, expectSharedAgain, outages } from './helpers/fleet.js';

describe('while the state is away (G9, G10)', () => {
  it.each(outages)('%s windows, %s, %d processes, %d ms: few refused requests', (...outage) =>
    expectFewRefused(outage),
  );

  it.each(outages)('%s windows, %s, %d processes, %d ms: the quota is shared again afterwards', (...outage) =>
    expectSharedAgain(outage),
  );
});
