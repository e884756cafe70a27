import type { Caller } from '../authentication/authenticate.js';

/** The code of the SDK for a connection that ends. */
const connectionClosed = -32_000;
const encoder = new TextEncoder();

/**
 * One HTTP request to the MCP endpoint, from its authentication to the end of its response stream. It is ended early
 * when its credentials stop being valid (rule K11).
 */
export class OpenRequest {
  readonly caller: Caller;
  /** Set while the request revokes its own key: its response may still go out. */
  revokesOwnKey = false;
  readonly #ids: readonly (string | number)[];
  readonly #aborter = new AbortController();
  #close: () => void = () => {};
  #isOver = false;
  readonly #onOver: () => void;

  /**
   * @param message what the client sent, if anything
   * @param onOver called once, when the response is over
   */
  constructor(caller: Caller, message: unknown, onOver: (request: OpenRequest) => void) {
    this.caller = caller;
    this.#ids = idsOf(message);
    this.#onOver = () => onOver(this);
  }

  /** Aborts when the request is ended early. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /**
   * Ends the stream now, with an error for what it has not answered: a client would otherwise wait for its time-out. Does
   * nothing when it is already over.
   */
  end(reason = 'The credentials of this request are no longer valid.'): void {
    if (this.#isOver) return;
    this.#aborter.abort(new Error(reason));
    this.#close();
    this.finish();
  }

  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
  }

  /** Passes a stream on until the request is ended. */
  carry(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    // Cancelling a reader settles its pending read, which must not close the stream a second time.
    let isOpen = true;
    const stop = (reason?: unknown) => {
      isOpen = false;
      // The source belongs to the SDK, which drops the stream when it is cancelled.
      reader.cancel(reason).catch(() => {});
      this.finish();
    };
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#close = () => {
          if (!isOpen) return;
          stop();
          const error = { code: connectionClosed, message: (this.signal.reason as Error).message };
          for (const id of this.#ids) {
            const message = JSON.stringify({ jsonrpc: '2.0', id, error });
            controller.enqueue(encoder.encode(`event: message\ndata: ${message}\n\n`));
          }
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

/** The ids of the requests in a message; notifications and responses get no answer. */
function idsOf(message: unknown): readonly (string | number)[] {
  const messages = (Array.isArray(message) ? message : [message]) as ({ id?: unknown; method?: unknown } | null)[];
  return messages
    .filter((one) => typeof one?.method === 'string')
    .map((one) => one?.id)
    .filter((id) => typeof id === 'string' || typeof id === 'number');
}
