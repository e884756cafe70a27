import { createConnectorClient } from 'concordat/client';
import { simulateConnector, virtualClock } from 'concordat/testing';
import { expect, it } from 'vitest';
import { copyChanges, type Issue } from './copy-changes.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

it('a copy follows its source through a day of limits, short sessions and failures', async () => {
  const clock = virtualClock();
  const connector = simulateConnector({
    clock,
    rateLimit: { limit: 20, windowMs: hourMs },
    session: { ttlMs: 10 * minuteMs, maxRequests: 50 },
    credentials: { user: 'ada', password: 'correct horse' },
    resources: { issues: Array.from({ length: 300 }, (_, index) => ({ id: index + 1, title: `Issue ${index + 1}` })) },
    faults: [
      { kind: 'reset', on: 'GET /issues', every: 23 },
      { kind: 'html', on: 'GET /issues', every: 37 },
      { kind: 'status', on: 'login', status: 503, every: 7 },
    ],
  });
  const client = createConnectorClient({
    baseUrl: 'http://connector.test',
    initialize: { parameters: { user: 'ada', password: 'correct horse' } },
    fetch: connector.fetch,
    clock,
  });

  const copy = new Map<number, Issue>();
  const endOfDay = clock.now() + 24 * hourMs;
  const day = async () => {
    for (let round = 1, since: string | undefined; clock.now() < endOfDay; round++) {
      since = await copyChanges(client, copy, since);
      // Somebody works at the source meanwhile.
      for (let id = round; id <= 300; id += 3) {
        connector.resource('issues').set({ id, title: `Issue ${id}, changed in round ${round}` });
      }
    }
    await copyChanges(client, copy);
  };
  await clock.runUntil(day());
  await client.close();

  const inSource = connector.resource('issues').all();
  expect([...copy.values()].sort((one, other) => one.id - other.id)).toEqual(
    inSource.sort((one, other) => Number(one.id) - Number(other.id)),
  );
  expect(client.status.counters.pauses).toBeGreaterThanOrEqual(23);
  expect(clock.monotonic()).toBeGreaterThan(24 * hourMs);
  connector.assertAllConsumed();
});
