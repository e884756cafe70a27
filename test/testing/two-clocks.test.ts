import { simulateConnector, type VirtualClock, virtualClock } from 'concordat/testing';
import { expect, it } from 'vitest';
import { connect, simulateInProcess } from './helpers/connect.js';

const hourMs = 3_600_000;
const rateLimit = { limit: 2, windowMs: hourMs };
const paths = Array.from({ length: 30 }, (_, id) => `/issues/${id}`);

it.each<[string, VirtualClock | undefined, object]>([
  ['none', undefined, {}],
  ['another', virtualClock(), {}],
  ['another, where windows slide', virtualClock(), { window: 'sliding' }],
  ['none, where each session has its quota', undefined, { scope: 'session' }],
])('a client with a clock is told that the simulator has %s', async (_which, clock, options) => {
  const connector = simulateConnector({ clock, rateLimit: { ...rateLimit, ...options } });
  const own = virtualClock();
  const client = connect({ fetch: connector.fetch, clock: own });
  const reads = Promise.all(paths.map((path) => client.get(path)));
  await expect(own.runUntil(reads)).rejects.toThrow(
    'The client waits by another clock than the simulator: pass the same `clock` to both.',
  );
});

it('a test may ignore waits as often as it likes', async () => {
  const clock = virtualClock();
  const connector = simulateConnector({ clock, session: false, rateLimit });
  const statuses = new Set<number>();
  for (let round = 0; round < 400; round++) {
    statuses.add((await connector.fetch('http://connector.test/issues')).status);
    await clock.advance(hourMs / 200);
  }
  expect([...statuses]).toEqual([200, 403]);
});

it('the clock of another test may run meanwhile', async () => {
  const others = virtualClock();
  const connector = simulateConnector({ session: false, rateLimit });
  for (let round = 0; round < 200; round++) {
    const ask = () => connector.fetch('http://connector.test/issues');
    for (const { status } of [await ask(), await ask()]) expect(status).not.toBe(501);
    await others.advance(hourMs);
  }
});

it('several clients with one clock wait out many hours', async () => {
  const { clock, connector, client } = simulateInProcess({ rateLimit: { ...rateLimit, window: 'sliding' } });
  const clients = [client, ...[1, 2, 3].map(() => connect({ fetch: connector.fetch, clock }))];
  const reads = Promise.all(clients.flatMap((each) => paths.map((path) => each.get(path))));
  expect(await clock.runUntil(reads)).toHaveLength(120);
  expect(connector.journal.filter(({ refused }) => refused).length).toBeGreaterThan(50); // control
});

it('a client that rejects at limits may be asked again and again', async () => {
  const { clock, client } = simulateInProcess({ rateLimit }, { rateLimit: { onLimit: 'reject' } });
  const outcomes: string[] = [];
  for (let round = 0; round < 200; round++) {
    outcomes.push(
      await clock.runUntil(client.get('/issues')).then(
        () => 'served',
        () => 'limited',
      ),
    );
    await clock.advance(hourMs / 100);
  }
  expect(new Set(outcomes)).toEqual(new Set(['served', 'limited']));
});
