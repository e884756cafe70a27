import { type ClientSnapshot, createConnectorClient } from 'concordat/client';
import { simulateConnector, virtualClock } from 'concordat/testing';
import { expect } from 'vitest';
import { seeded } from '../../helpers/seeded.js';

export type Window = 'fixed' | 'sliding';
const windowMs = 1000;
const slowestMs = 3800;

/** 50 to 250 ms, and every tenth time 0.8 to 3.8 s. */
function longTailed(seed: number): () => number {
  const random = seeded(seed);
  let asked = 0;
  return () => (++asked % 10 === 0 ? 800 + random() * (slowestMs - 800) : 50 + random() * 200);
}

async function run({ limit, window, calls, seed }: { limit: number; window: Window; calls: number; seed: number }) {
  const clock = virtualClock();
  clock.random = seeded(seed);
  const connector = simulateConnector({ session: false, rateLimit: { limit, windowMs, window }, clock });
  const latency = longTailed(seed);
  const snapshots: ClientSnapshot[] = [];
  let onTheWay = 0;
  let idleSince: number | undefined;
  let longestSilenceMs = 0;
  /** Nothing on its way and no pause: whoever waits now, waits for nobody. */
  const note = () => {
    const now = clock.monotonic();
    if (idleSince !== undefined) longestSilenceMs = Math.max(longestSilenceMs, now - idleSince);
    idleSince = onTheWay === 0 && !client.status.paused ? now : undefined;
    snapshots.push(client.snapshot());
  };
  const client = createConnectorClient({
    baseUrl: 'http://connector.test',
    initialize: { parameters: { user: 'ada' } },
    clock,
    fetch: async (input, init) => {
      onTheWay++;
      note();
      const response = await connector.fetch(input as string, init);
      await new Promise<void>((resolve) => void clock.setTimer(latency(), resolve));
      onTheWay--;
      queueMicrotask(() => queueMicrotask(note));
      return response;
    },
  });
  client.on('pause', note);
  client.on('resume', note);
  client.on('quota', note);
  await clock.runUntil(Promise.all(Array.from({ length: calls }, (_, index) => client.get(`/items/${index}`))));
  const elapsedMs = clock.monotonic();
  await client.close();
  return { elapsedMs, longestSilenceMs, snapshots };
}

/** Requests a second, the kind of window, and how many calls there are at once. */
export const settings: readonly [number, Window, number][] = [
  [1, 'fixed', 100],
  [1, 'sliding', 100],
  [2, 'fixed', 60],
  [2, 'sliding', 60],
];

/** Calls go on being sent, and snapshots can be given back (G9). */
export async function expectNoSilence(limit: number, window: Window, calls: number, seed: number): Promise<void> {
  const { elapsedMs, longestSilenceMs, snapshots } = await run({ limit, window, calls, seed });
  expect(elapsedMs).toBeLessThan(3 * (calls / limit) * windowMs);
  expect(longestSilenceMs).toBeLessThanOrEqual(windowMs + slowestMs);
  // Most are the same: nothing was learned between two requests.
  for (const text of new Set(snapshots.map((snapshot) => JSON.stringify(snapshot)))) {
    const snapshot: ClientSnapshot = JSON.parse(text);
    const next = () =>
      createConnectorClient({ baseUrl: 'http://connector.test', initialize: { parameters: {} }, snapshot });
    expect(next, text).not.toThrow();
  }
}
