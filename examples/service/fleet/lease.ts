import { Agent, DecoratorHandler, type Dispatcher } from 'undici';

/**
 * How long this worker may take its job for its own. A worker that was frozen for too long, or cannot reach redis, must not
 * go on writing: another one has its page by then.
 */
export class Lease {
  /** Shorter than the lock in redis, by more than a message takes. */
  readonly #termMs: number;
  readonly #agent = new Agent();
  #until = 0;

  constructor(lockMs: number) {
    this.#termMs = lockMs * 0.8;
  }

  /** @param lockedMs when the job was locked, by this machine's clock */
  begin(lockedMs: number): void {
    this.#until = performance.now() + this.#termMs - (Date.now() - lockedMs);
  }

  /** The lock was renewed. What comes when the lease is over comes too late. */
  renew(): void {
    const now = performance.now();
    if (now < this.#until) this.#until = now + this.#termMs;
  }

  /**
   * Sends nothing once the lease is over. It is looked at when the connection is there and the request is about to be
   * written: between a call and that moment there may be a pause, a login and a new connection.
   */
  dispatcher(): Dispatcher {
    const isOver = () => performance.now() >= this.#until;
    return this.#agent.compose(
      (dispatch) => (options, handler) => dispatch(options, new LeaseHandler(handler, isOver)),
    );
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}

// undici's types leave out the methods that it passes on.
const PassingOn = DecoratorHandler as unknown as new (
  handler: Dispatcher.DispatchHandler,
) => Dispatcher.DispatchHandler;

class LeaseHandler extends PassingOn {
  readonly #isOver: () => boolean;

  constructor(handler: Dispatcher.DispatchHandler, isOver: () => boolean) {
    super(handler);
    this.#isOver = isOver;
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    if (this.#isOver()) controller.abort(new Error('This worker no longer holds its job.'));
    else super.onRequestStart?.(controller, context);
  }
}
