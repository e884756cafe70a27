// A quota of one or two requests a second and answers that sometimes take seconds taught the client a quota of 0. It then
// waited for room that could never come, with its gate open and without an event, until it forgot the quota an hour later;
// and its own snapshot was refused. A model of the client's rules over real sockets found it: in the schedules of the
// simulation quotas were larger, answers faster, and no rule said that an open gate lets somebody through.
import { type ClientSnapshot, createConnectorClient } from 'concordat/client';
import { simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

type Window = 'fixed' | 'sliding';
const windowMs = 1000;
const slowestMs = 3800;
const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

/** Random numbers that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** 50 to 250 ms, and every tenth time 0.8 to 3.8 s. */
function longTailed(seed: number): () => number {
  const random = seeded(seed);
  let asked = 0;
  return () => (++asked % 10 === 0 ? 800 + random() * (slowestMs - 800) : 50 + random() * 200);
}

async function run({ limit, window, calls, seed }: { limit: number; window: Window; calls: number; seed: number }) {
  const jitter = vi.spyOn(Math, 'random').mockImplementation(seeded(seed));
  onTestFinished(() => jitter.mockRestore());
  const clock = virtualClock();
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

describe.each<[number, Window, number]>([
  [1, 'fixed', 100],
  [1, 'sliding', 100],
  [2, 'fixed', 60],
  [2, 'sliding', 60],
])('%i a second (%s window), answers with a long tail, %i calls at once', (limit, window, calls) => {
  it.each(seeds)('seed %i: calls go on being sent, and snapshots can be given back (G9)', async (seed) => {
    const { elapsedMs, longestSilenceMs, snapshots } = await run({ limit, window, calls, seed });
    expect(elapsedMs).toBeLessThan(3 * (calls / limit) * windowMs);
    expect(longestSilenceMs).toBeLessThanOrEqual(windowMs + slowestMs);
    for (const snapshot of snapshots) {
      const next = () =>
        createConnectorClient({ baseUrl: 'http://connector.test', initialize: { parameters: {} }, snapshot });
      expect(next, JSON.stringify(snapshot)).not.toThrow();
    }
  });
});
