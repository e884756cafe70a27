import { Agent, type Dispatcher } from 'undici';

/**
 * How long this worker may take its job for its own. A worker that was frozen for too long, or cannot reach Redis, must not
 * go on writing: another one has its job by then.
 */
export class Lease {
  /** Sends nothing once the lease is over. */
  readonly dispatcher: Dispatcher;
  /** Shorter than the lock in Redis, by more than a message takes. */
  readonly #termMs: number;
  readonly #agent = new Agent();
  #untilMs = 0;

  constructor(lockMs: number) {
    this.#termMs = lockMs * 0.8;
    this.dispatcher = this.#agent.compose((dispatch) => (options, to) => dispatch(options, this.#guard(to)));
  }

  /** @param lockedMs when the job was locked, by this machine's clock */
  begin(lockedMs: number): void {
    this.#untilMs = lockedMs + this.#termMs;
  }

  /** The lock was renewed. What comes when the lease is over comes too late. */
  renew(): void {
    const nowMs = Date.now();
    if (nowMs < this.#untilMs) this.#untilMs = nowMs + this.#termMs;
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  /** Looks when a request is about to be written: a pause, a login and a new connection come between a call and that. */
  #guard(to: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller, context) => {
        if (Date.now() < this.#untilMs) to.onRequestStart?.(controller, context);
        else controller.abort(new Error('This worker no longer holds its job.'));
      },
      onRequestUpgrade: (...facts) => to.onRequestUpgrade?.(...facts),
      onResponseStart: (...facts) => to.onResponseStart?.(...facts),
      onResponseData: (...facts) => to.onResponseData?.(...facts),
      onResponseEnd: (...facts) => to.onResponseEnd?.(...facts),
      onResponseError: (...facts) => to.onResponseError?.(...facts),
    };
  }
}
