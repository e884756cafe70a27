import { Gates } from '../../src/client/rate-limit/gates.js';
import { type Permit, Waiter } from '../../src/client/rate-limit/wait-queue.js';
import { LongestWait } from './longest-wait.js';
import type { Worker, WorkerOptions } from './worker.js';

/**
 * A process of the fleet without HTTP: the client's own gate, lanes and quotas, and callers that each make one call
 * after the other. It is what ten thousand of them leave room for.
 */
export class GateWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #gates: Gates;
  readonly #wait: LongestWait;
  #isGone = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#wait = new LongestWait(options.time);
    const rateLimit = {
      ...{ fallbackWaitMs: 60_000, jitterMs: 100, maxWaitMs: Number.POSITIVE_INFINITY },
      ...{ maxTotalWaitMs: Number.POSITIVE_INFINITY, onLimit: 'wait' as const },
    };
    const { clock, state, callers } = options;
    this.#gates = new Gates({
      clock,
      state,
      emit: () => {},
      concurrency: Math.max(1, callers),
      pacing: 'auto',
      rateLimit,
    });
  }

  get longestWaitMs(): number {
    return this.#wait.longestMs;
  }

  start(): void {
    for (let caller = 0; caller < this.#options.callers; caller++) void this.#callOn();
  }

  finish(): void {
    this.#isGone = true;
    this.#wait.finish();
    this.#gates.close();
  }

  async #callOn(): Promise<void> {
    const { time, until } = this.#options;
    while (time.now < until && !this.#isGone) {
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
    const waiter = new PatientWaiter();
    for (;;) {
      this.#wait.begins();
      const permit = await this.#acquire(lane, waiter);
      this.#wait.ends();
      const oneWayMs = latencyMs() / 2;
      await time.sleep(oneWayMs);
      const waitMs = connector.receive();
      await time.sleep(oneWayMs);
      if (this.#isGone) return; // the process was killed: nobody hears of the response
      const { announces, limit, windowMs } = connector.model;
      if (announces) lane.gate.announce(permit, { policies: [{ name: 'default', limit, windowMs }], remaining: [] });
      if (waitMs === 0) {
        lane.release(permit, 'passed');
        return;
      }
      lane.releaseLimited(permit, waitMs);
    }
  }

  async #acquire(lane: ReturnType<Gates['for']>, waiter: Waiter): Promise<Permit> {
    const permit = lane.acquire(waiter);
    if ('epoch' in permit) return permit;
    await permit;
    return this.#acquire(lane, waiter);
  }
}

class PatientWaiter extends Waiter {
  readonly signal = undefined;
  readonly priority = 0;

  waitLimitError() {
    return undefined;
  }
}
