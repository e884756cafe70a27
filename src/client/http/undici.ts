import { buildConnector, type Dispatcher, Pool } from 'undici';
import { Exchange, type ExchangeOptions } from './exchange.js';
import { toOutgoingBody } from './request-body.js';
import { ActiveRequests, type Transport, type WireRequest } from './wire.js';

export type { Dispatcher };

export interface TransportOptions extends ExchangeOptions {
  /** The most sockets of the transport's own pool for requests within `concurrency`; `null` for as many as there are. */
  connections: number | null;
  dispatcher?: Dispatcher | undefined;
}

/** @throws TypeError for a dispatcher of undici 6, whose handlers have other names. */
function checkDispatcher(dispatcher: Dispatcher): Dispatcher {
  if ('interceptors' in dispatcher) {
    throw new TypeError(
      '`dispatcher` is from undici 6 or older, such as the one built into Node 20 and 22; create it with undici 7.',
    );
  }
  return dispatcher;
}

/** The transport over undici's dispatch interface: one handler per request, and no stream in between. */
export function createUndiciTransport(options: TransportOptions): Transport {
  const { origin, connections } = options;
  const resets = new Resets();
  const { connect } = resets;
  // Every request that the gate lets go has a socket: nothing may wait behind it (rules D4, G9).
  const pools =
    options.dispatcher === undefined
      ? { within: new Pool(origin, { connections, connect }), beyond: new Pool(origin, { connect }) }
      : undefined;
  const own = options.dispatcher === undefined ? undefined : checkDispatcher(options.dispatcher);
  const exchangeOptions = { ...options, connectionError: resets.now };
  const active = new ActiveRequests();
  return {
    send: (request) =>
      new Promise((resolve) => {
        const outgoing = toOutgoingBody(request.body);
        const exchange = new Exchange(request, exchangeOptions, outgoing, active, resolve);
        const dispatcher = pools?.[request.permit?.isBeyond ? 'beyond' : 'within'] ?? (own as Dispatcher);
        try {
          dispatcher.dispatch(
            {
              origin,
              path: request.target,
              method: request.method as Dispatcher.HttpMethod,
              headers: toHeaders(request.headers, outgoing.length, pools !== undefined),
              // undici accepts more kinds of body than its types say.
              body: (outgoing.body ?? null) as Buffer,
              // `timeoutMs` bounds the whole attempt, on the injected clock; undici's timers would duplicate it.
              headersTimeout: 0,
              bodyTimeout: 0,
            },
            exchange,
          );
        } catch (error) {
          exchange.fail(error);
        }
      }),
    // The caller closes a dispatcher that it has passed in.
    close: async () => {
      await Promise.all([pools?.within.close(), pools?.beyond.close()]);
    },
    abort: () => active.abort(),
  };
}

/**
 * Tells a reset from the end of a body that has neither a length nor chunks, and so ends with its connection: undici reports
 * the end while it hears of the reset.
 */
class Resets {
  #error: Error | undefined;
  readonly #connect = buildConnector({});

  readonly connect: buildConnector.connector = (options, callback) =>
    this.#connect(options, (...result) => {
      const [, socket] = result;
      socket?.prependListener('error', (reason: Error) => {
        this.#error = reason;
        queueMicrotask(() => {
          this.#error = undefined;
        });
      });
      callback(...result);
    });

  readonly now = () => this.#error;
}

/** The client's own pool does not change the headers, so the shared object can be passed without a copy. */
function toHeaders(
  headers: WireRequest['headers'],
  length: number | undefined,
  isOwnPool: boolean,
): Record<string, string> {
  if (length !== undefined) return { ...headers, 'content-length': String(length) };
  return isOwnPool ? (headers as Record<string, string>) : { ...headers };
}
