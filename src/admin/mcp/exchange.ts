import type { Principal } from '../authentication/authenticate.js';

/**
 * One HTTP request to the MCP endpoint, from its authentication to the end of the stream that answers it. It can be ended
 * from outside, when its credentials stop being good (rule K11).
 */
export class Exchange {
  readonly principal: Principal;
  /** Set while the request revokes the very key it came with: its answer may still go out. */
  spared = false;
  readonly #aborter = new AbortController();
  #close: () => void = () => {};
  #isOver = false;
  readonly #onOver: () => void;

  /** @param onOver called once, when nothing more goes out */
  constructor(principal: Principal, onOver: (exchange: Exchange) => void) {
    this.principal = principal;
    this.#onOver = () => onOver(this);
  }

  /** Aborts when the exchange is ended from outside. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /** Ends the stream now; does nothing when it is over already. */
  end(): void {
    if (this.#isOver) return;
    this.#aborter.abort(new Error('The credentials of this request are no longer valid.'));
    this.#close();
    this.finish();
  }

  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
  }

  /** Passes a stream on, for as long as the exchange is not ended. */
  carry(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    // A reader that is cancelled settles its read, which must not close a second time.
    let isOpen = true;
    const stop = (reason?: unknown) => {
      isOpen = false;
      // The source is the SDK's: it forgets the stream when this is cancelled.
      reader.cancel(reason).catch(() => {});
      this.finish();
    };
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#close = () => {
          if (!isOpen) return;
          stop();
          controller.close();
        };
        if (this.signal.aborted) this.#close();
      },
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!isOpen) return;
          if (!done) {
            controller.enqueue(value);
            return;
          }
          isOpen = false;
          this.finish();
          controller.close();
        } catch (error) {
          if (!isOpen) return;
          stop();
          controller.error(error);
        }
      },
      cancel: stop,
    });
  }
}
