// A busy machine may stand still between any two lines of the client. Here it does so once, at every reading of the clock in
// turn, until the next timer is due, or for ten seconds: whoever asks the clock twice gets two answers. Every call must
// end all the same (G9).
import { type Clock, type ConnectorClientOptions, createConnectorClient, memoryState } from 'concordat/client';
import { type SimulateConnectorOptions, simulateConnector } from 'concordat/testing';
import { expect, it, vi } from 'vitest';
import { leasingState } from '../simulation/leasing-state.js';

vi.setConfig({ testTimeout: 600_000 });

interface Scenario {
  connector?: SimulateConnectorOptions;
  client?: Partial<ConnectorClientOptions>;
  clients?: number;
  calls?: number;
  leases?: boolean;
  /** Calls that come when those before have ended. */
  rounds?: number;
}

const windowMs = 1000;
/** Far more than any of the scenarios takes. */
const longestMs = 600_000;
const quota = { limit: 2, windowMs };
const scenarios: Record<string, Scenario> = {
  'a limit': { connector: { rateLimit: quota } },
  'a limit, one at a time': { connector: { rateLimit: quota }, client: { concurrency: 1 } },
  'a limit, without pacing': { connector: { rateLimit: quota }, client: { pacing: 'off' } },
  'a limit that slides': { connector: { rateLimit: { ...quota, window: 'sliding' } } },
  'a limit of logins, too': {
    connector: { rateLimit: [quota, { limit: 1, windowMs: 5 * windowMs, on: 'login' }], session: { maxRequests: 3 } },
  },
  'an announced quota': { connector: { rateLimit: { ...quota, announce: 'both' } } },
  'a wait that cannot be read': {
    connector: { rateLimit: { ...quota, format: 'invalid' } },
    client: { rateLimit: { fallbackWaitMs: 400 } },
  },
  'limits for themselves': {
    connector: { rateLimit: quota },
    client: { rateLimit: { scope: ({ path }) => path.slice(-1) } },
  },
  'sessions that end': { connector: { session: { maxRequests: 2 } }, client: { concurrency: 2 }, rounds: 2 },
  'sessions whose first requests are refused': {
    connector: { session: { refuseFreshRequests: 2 } },
    client: { concurrency: 2, freshSessionGraceMs: 60_000 },
  },
  failures: {
    connector: { faults: [{ kind: 'status', status: 503, every: 2 }] },
    client: { retry: { retries: 20, minTimeoutMs: 10, maxTimeoutMs: 20 } },
  },
  'slow responses': { connector: { latency: 90, rateLimit: quota } },
  'two clients with one state': { connector: { rateLimit: quota, session: { maxRequests: 3 } }, clients: 2 },
  'two clients with leases': { connector: { rateLimit: { limit: 4, windowMs } }, clients: 2, leases: true, rounds: 2 },
};

it.each(Object.entries(scenarios))('%s', async (_name, scenario) => {
  const control = await run(scenario, Number.POSITIVE_INFINITY);
  expect(control.problems).toEqual([]);
  const problems: string[] = [];
  for (let reading = 1; reading <= control.readings; reading++) {
    const { problems: found } = await run(scenario, reading);
    problems.push(...found.map((problem) => `reading ${reading} of ${control.readings}: ${problem}`));
    if (problems.length > 3) break;
  }
  expect(problems).toEqual([]);
});

async function run(
  { connector, client: options, clients = 1, calls = 5, leases, rounds = 1 }: Scenario,
  reading: number,
) {
  const chance = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const time = standstill(reading);
  const simulated = simulateConnector({ ...connector, clock: time.plain });
  const shared = memoryState();
  const state = leases ? leasingState(shared, { answersMs: [3], fates: ['answered'] }, time.plain) : shared;
  const all = Array.from({ length: clients }, () =>
    createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize: { parameters: {} },
      fetch: simulated.fetch as typeof fetch,
      clock: time.clock,
      ...(clients > 1 && { state }),
      ...options,
    }),
  );
  const problems: string[] = [];
  try {
    for (let round = 0; round < rounds && problems.length === 0; round++) {
      const ended = Promise.all(
        all.flatMap((client, index) =>
          Array.from({ length: calls }, (_, call) =>
            client.get(`/items/${index}-${call}`).catch((error) => void problems.push(String(error))),
          ),
        ),
      );
      if (!(await time.runUntil(ended))) problems.push('calls wait, and nothing lets them go');
    }
  } finally {
    await time.runUntil(Promise.all(all.map((client) => client.close({ graceMs: 0 }))));
    chance.mockRestore();
  }
  return { readings: time.readings, problems };
}

/** A clock that moves from timer to timer, and once to the next timer in the middle of a run, when it is read. */
function standstill(reading: number) {
  interface Due {
    readonly at: number;
    readonly callback: () => void;
  }
  const timers = new Set<Due>();
  let [time, readings] = [0, 0];
  const next = () => [...timers].sort((one, other) => one.at - other.at)[0];
  const plain: Clock = {
    now: () => Date.UTC(2026, 0, 1) + time,
    monotonic: () => time,
    setTimer(delayMs, callback) {
      const due = { at: time + Math.max(0, delayMs), callback };
      timers.add(due);
      return { cancel: () => void timers.delete(due), hold() {} };
    },
  };
  const clock: Clock = {
    ...plain,
    monotonic() {
      if (++readings === reading) time = Math.max(time, Math.min(next()?.at ?? Infinity, time + 10 * windowMs));
      return time;
    },
  };
  /** @returns whether the promise has settled. */
  async function runUntil(promise: Promise<unknown>): Promise<boolean> {
    let isOver = false;
    promise.finally(() => (isOver = true)).catch(() => {});
    for (let quiet = 0; quiet < 500 && time < longestMs; quiet++) {
      // What is on its way gets the time to arrive.
      for (let turn = 0; turn < 5 && !isOver; turn++) await new Promise(setImmediate);
      if (isOver) return true;
      const due = next();
      if (due === undefined) continue;
      quiet = 0;
      time = Math.max(time, due.at);
      timers.delete(due);
      due.callback();
    }
    return false;
  }
  return {
    plain,
    clock,
    runUntil,
    get readings() {
      return readings;
    },
  };
}
