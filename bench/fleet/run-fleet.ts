import { Connector, type LimitModel } from './connector.js';
import { Fleet, type Sharing } from './fleet-state.js';
import { GateWorker } from './gate-worker.js';
import { seededRandom, Time } from './time.js';

export interface FleetOptions {
  readonly workers: number;
  readonly callers: number;
  readonly sharing: Sharing;
  readonly model: LimitModel;
  readonly windows: number;
  readonly seed: number;
  readonly latencyMs?: number;
}

export interface FleetFigures {
  readonly refused: number;
  readonly mostRefused: number;
  readonly unused: number;
  readonly commands: number;
  readonly pauses: number;
  readonly longestWait: number;
}

/** Runs a fleet that always has more to send than it may. The first window, which teaches the quota, does not count. */
export async function runFleet(options: FleetOptions): Promise<FleetFigures> {
  const { workers, callers, sharing, model, windows, seed, latencyMs = 20 } = options;
  const time = new Time();
  const random = seededRandom(seed);
  const connector = new Connector(model, time, random);
  const fleet = new Fleet(time);
  const { windowMs, limit } = model;
  const end = (windows + 1) * windowMs;
  const crew = Array.from({ length: workers }, () => {
    const latency = () => latencyMs * (0.5 + random());
    const clock = time.clock((random() - 0.5) * 1000);
    return new GateWorker({ time, clock, connector, state: fleet.join(sharing, clock), callers, latencyMs: latency, until: end });
  });
  for (const worker of crew) time.after(random() * 5, () => worker.start());
  await time.runUntil(windowMs * 0.95);
  const before = { passed: connector.passed, refused: connector.refused, takes: fleet.takes, pauses: fleet.pauses };
  await time.runUntil(end);
  for (const worker of crew) worker.finish();
  const passed = connector.passed - before.passed;
  const perWindow = new Map<number, number>();
  for (const at of connector.refusedAt.slice(before.refused)) {
    const window = Math.floor(at / windowMs);
    perWindow.set(window, (perWindow.get(window) ?? 0) + 1);
  }
  return {
    refused: (connector.refused - before.refused) / windows,
    mostRefused: Math.max(0, ...perWindow.values()),
    unused: 1 - passed / (limit * (1 - model.rival) * windows),
    commands: (fleet.takes - before.takes) / passed,
    pauses: (fleet.pauses - before.pauses) / passed,
    longestWait: Math.max(...crew.map(({ longestWaitMs }) => longestWaitMs)) / (windowMs * Math.max(1, workers / limit)),
  };
}
