import type { Clock, Timer } from '../../internal/index.js';
import type { Caller } from '../authentication/authenticate.js';

/** The code of the SDK for a connection that ends. */
const connectionClosed = -32_000;
const encoder = new TextEncoder();
/** Proxies end streams that are silent for longer: nginx after 60 s, many load balancers earlier. */
const keepAliveMs = 15_000;
const comment = encoder.encode(': keep-alive\n\n');

export type OpenRequest = ReturnType<typeof createOpenRequest>;

/**
 * One HTTP request to the MCP endpoint, from its authentication to the end of its response stream. It is ended early
 * when its credentials stop being valid (rule K11). `onOver` is called once, when the response is over.
 */
export function createOpenRequest(caller: Caller, message: unknown, onOver: () => void) {
  const ids = idsOf(message);
  const aborter = new AbortController();
  const { signal } = aborter;
  let isOver = false;
  let close = (_withErrors?: boolean) => {};
  const finish = () => {
    if (isOver) return;
    isOver = true;
    onOver();
  };

  return {
    caller,
    /** Of the requests in its message. */
    ids,
    /** Set while the request revokes its own key: its response may still go out. */
    revokesOwnKey: false,
    /** Aborts when the request is ended early. */
    signal,
    finish,
    /** Ends the stream now, with an error for what it has not answered: a client would wait for its time-out. */
    end(reason = 'The credentials of this request are no longer valid.') {
      if (isOver) return;
      aborter.abort(new Error(reason));
      close();
      finish();
    },
    /** Ends the stream of a call that the client has cancelled, unless it is for other calls, too. */
    cancel() {
      if (ids.length === 1) close(false);
    },
    /** Passes a stream of events on until the request is ended, with comments where it is silent for long. */
    carry(source: ReadableStream<Uint8Array>, clock: Clock) {
      const reader = source.getReader();
      let silence: Timer | undefined;
      const keepAlive = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        silence?.cancel();
        silence = clock.setTimer(keepAliveMs, () => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment);
          keepAlive(controller);
        });
        silence.hold(false);
      };
      // Cancelling a reader settles its pending read, which must not close the stream a second time.
      let isOpen = true;
      const stop = (reason?: unknown) => {
        isOpen = false;
        silence?.cancel();
        // The source belongs to the SDK, which drops the stream when it is cancelled.
        reader.cancel(reason).catch(() => {});
        finish();
      };
      return new ReadableStream<Uint8Array>({
        start(controller) {
          close = (withErrors = true) => {
            if (!isOpen) return;
            stop();
            for (const id of withErrors ? ids : []) {
              const error = { code: connectionClosed, message: (signal.reason as Error).message };
              const text = JSON.stringify({ jsonrpc: '2.0', id, error });
              controller.enqueue(encoder.encode(`event: message\ndata: ${text}\n\n`));
            }
            controller.close();
          };
          keepAlive(controller);
          if (signal.aborted) close();
        },
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (!isOpen) return;
            if (done) {
              stop();
              controller.close();
            } else {
              controller.enqueue(value);
              keepAlive(controller);
            }
          } catch (error) {
            if (!isOpen) return;
            stop();
            controller.error(error);
          }
        },
        cancel: stop,
      });
    },
  };
}

/** The ids of the requests in a message; notifications and responses get no answer. */
export function idsOf(message: unknown): readonly (string | number)[] {
  const messages = (Array.isArray(message) ? message : [message]) as ({ id?: unknown; method?: unknown } | null)[];
  return messages
    .filter((one) => typeof one?.method === 'string')
    .map((one) => one?.id)
    .filter((id) => typeof id === 'string' || typeof id === 'number');
}
