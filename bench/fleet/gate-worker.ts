import type { Clock, ConnectionState } from 'concordat/client';
import { Gates } from '../../src/client/rate-limit/gates.js';
import type { Permit, Waiter } from '../../src/client/rate-limit/wait-queue.js';
import type { Connector } from './connector.js';
import type { Time } from './time.js';

export interface WorkerOptions {
  readonly time: Time;
  readonly clock: Clock;
  readonly connector: Connector;
  readonly state: ConnectionState;
  readonly callers: number;
  readonly latencyMs: () => number;
  readonly until: number;
}

/**
 * A process of the fleet without HTTP: the client's own gate, lanes and quotas, and callers that each make one call
 * after the other. It is what ten thousand of them leave room for.
 */
export class GateWorker {
  readonly #options: WorkerOptions;
  readonly #gates: Gates;
  #waiting = 0;
  #waitsSince = 0;
  longestWaitMs = 0;
  calls = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const rateLimit = {
      ...{ fallbackWaitMs: 60_000, jitterMs: 100, maxWaitMs: Number.POSITIVE_INFINITY },
      ...{ maxTotalWaitMs: Number.POSITIVE_INFINITY, onLimit: 'wait' as const },
    };
    const { clock, state, callers } = options;
    this.#gates = new Gates({ clock, state, emit: () => {}, concurrency: Math.max(1, callers), pacing: 'auto', rateLimit });
  }

  start(): void {
    for (let caller = 0; caller < this.#options.callers; caller++) void this.#callOn();
  }

  /** How long it waits already, at the end. */
  finish(): void {
    if (this.#waiting > 0) this.#noteWait();
    this.#gates.close();
  }

  async #callOn(): Promise<void> {
    const { time, until } = this.#options;
    while (time.now < until) {
      try {
        await this.#call();
      } catch {
        return; // closed
      }
    }
  }

  async #call(): Promise<void> {
    const { time, connector, latencyMs } = this.#options;
    const lane = this.#gates.for({ method: 'GET', path: '/' });
    const waiter: Waiter = { priority: 0 };
    for (;;) {
      if (this.#waiting++ === 0) this.#waitsSince = time.now;
      const permit = await this.#acquire(lane, waiter);
      this.#noteWait();
      this.#waiting--;
      const oneWayMs = latencyMs() / 2;
      await time.sleep(oneWayMs);
      const waitMs = connector.receive();
      await time.sleep(oneWayMs);
      if (waitMs === 0) {
        lane.release(permit, 'passed');
        this.calls++;
        return;
      }
      lane.releaseLimited(permit, waitMs);
    }
  }

  async #acquire(lane: ReturnType<Gates['for']>, waiter: Waiter): Promise<Permit> {
    const permit = lane.acquire(waiter);
    if ('epoch' in permit) return permit;
    await permit;
    return waiter.permit as Permit;
  }

  /** From the last request it sent, or from the first call that waits. */
  #noteWait(): void {
    const { now } = this.#options.time;
    this.longestWaitMs = Math.max(this.longestWaitMs, now - this.#waitsSince);
    this.#waitsSince = now;
  }
}
