import { seededRandom } from '../../src/internal/numbers.js';
import { ClientWorker } from './client-worker.js';
import { Connector, type LimitModel, sessionWindows } from './connector.js';
import { Fleet, type Sharing } from './fleet-state.js';
import { GateWorker } from './gate-worker.js';
import { Time } from './time.js';
import type { Worker } from './worker.js';

/** A delay in milliseconds, of a random number below one. */
export type Delay = (random: number) => number;

export interface FleetOptions {
  readonly workers: number;
  readonly callers: number;
  readonly sharing: Sharing;
  readonly model: LimitModel;
  readonly windows: number;
  readonly seed: number;
  /** The real client, or its gate without HTTP. */
  readonly real: boolean;
  readonly latencyMs?: number;
  /** Latencies have a long tail, timers are late, and the state takes its time. @default nothing of this */
  readonly busy?: { readonly latencyMs: Delay; readonly lateMs: Delay; readonly stateMs: Delay } | undefined;
  /** The first window that counts. @default 1: the one after that in which the quota is learned */
  readonly countFrom?: number;
  /** What else happens: called at the start, to set timers. */
  readonly disturb?: (run: { time: Time; fleet: Fleet; crew: readonly Worker[]; hire: () => Worker }) => void;
}

export interface FleetFigures {
  /** Refused requests a window, and the most in one window. */
  readonly refused: number;
  readonly mostRefused: number;
  /** The share of the quota that was not used. */
  readonly unused: number;
  /** Commands to the state a request: for permits, and for pauses. */
  readonly commands: number;
  readonly pauses: number;
  /** The longest time that a process with waiting calls sent nothing: in windows, or in turns if there are more processes than permits. */
  readonly longestWait: number;
  /** Logins of all processes for each time that a session ended; of the real client only. */
  readonly logins: number | undefined;
}

/** Runs a fleet that always has more to send than it may. The first window, which teaches the quota, does not count. */
export async function runFleet(options: FleetOptions): Promise<FleetFigures> {
  const { workers, callers, sharing, model, windows, seed, real, latencyMs = 20, countFrom = 1, busy } = options;
  const time = new Time();
  const random = seededRandom(seed);
  const { random: machineRandom } = Math;
  Math.random = random; // the client's jitter, too: a seed repeats the run
  const connector = new Connector(model, time, random);
  const fleet = new Fleet(time, busy && (() => busy.stateMs(random())));
  const { windowMs, limit } = model;
  const end = (windows + 1) * windowMs;
  const hire = (): Worker => {
    const latency = () => busy?.latencyMs(random()) ?? latencyMs * (0.5 + random());
    const clock = time.clock((random() - 0.5) * 1000, busy && (() => busy.lateMs(random())));
    const state = fleet.join(sharing, clock);
    const worker = { time, clock, connector, state, callers, latencyMs: latency, until: end };
    return real ? new ClientWorker(worker) : new GateWorker(worker);
  };
  const crew = Array.from({ length: workers }, hire);
  for (const worker of crew) time.after(random() * 5, () => worker.start());
  options.disturb?.({ time, fleet, crew, hire });
  await time.runUntil(windowMs * (countFrom - 0.05));
  const counted = windows + 1 - countFrom;
  const before = { passed: connector.passed, refused: connector.refused, takes: fleet.takes, pauses: fleet.pauses };
  await time.runUntil(end);
  Math.random = machineRandom;
  for (const worker of crew) worker.finish();
  const passed = connector.passed - before.passed;
  const perWindow = new Map<number, number>();
  for (const at of connector.refusedAt.slice(before.refused)) {
    const window = Math.floor(at / windowMs);
    perWindow.set(window, (perWindow.get(window) ?? 0) + 1);
  }
  return {
    refused: (connector.refused - before.refused) / counted,
    mostRefused: Math.max(0, ...perWindow.values()),
    unused: 1 - passed / (limit * (1 - model.rival) * counted),
    commands: (fleet.takes - before.takes) / passed,
    pauses: (fleet.pauses - before.pauses) / passed,
    logins: real ? connector.logins / Math.ceil((windows + 1) / sessionWindows) : undefined,
    longestWait:
      Math.max(...crew.map(({ longestWaitMs }) => longestWaitMs)) / (windowMs * Math.max(1, workers / limit)),
  };
}
