import { AsyncResource } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { ActiveExchanges, Exchange, type ExchangeOptions } from './exchange.js';
import { toOutgoingBody } from './request-body.js';
import type { Transport, WireRequest } from './wire.js';

export type { Dispatcher };

export interface TransportOptions extends ExchangeOptions {
  /** The most sockets of the transport's own pool for requests within `concurrency`; `null` for as many as there are. */
  connections: number | null;
  dispatcher?: Dispatcher | undefined;
}

/** @throws TypeError for a dispatcher of undici 6, whose handlers have other names. */
function checkDispatcher(dispatcher: Dispatcher): void {
  if ('interceptors' in dispatcher) {
    throw new TypeError(
      '`dispatcher` is from undici 6 or older, such as the one built into Node 20 and 22; create it with undici 7.',
    );
  }
}

/** Here instrumentations of undici look for the span of a call in the async context. */
const created = channel('undici:request:create');

interface OwnDispatch extends Dispatcher.DispatchOptions {
  context?: AsyncResource;
}

/** A request may wait in the pool until a socket is free, and would then be made in the async context of what freed it. */
class ContextClient extends Client {
  override dispatch(options: OwnDispatch, handler: Dispatcher.DispatchHandler): boolean {
    if (options.context === undefined) return super.dispatch(options, handler);
    return options.context.runInAsyncScope(() => super.dispatch(options, handler));
  }
}

const factory = (origin: URL, options: object) => new ContextClient(origin, options);

/** The transport over undici's dispatch interface: one handler per request, and no stream in between. */
export function createUndiciTransport(options: TransportOptions): Transport {
  const { origin, connections, dispatcher } = options;
  const isOwnPool = dispatcher === undefined;
  if (!isOwnPool) checkDispatcher(dispatcher);
  const { connect, connectionError } = watchResets();
  // Every request that the gate lets go has a socket: nothing may wait behind it (rules D4, G9).
  const within = dispatcher ?? new Pool(origin, { connections, connect, factory });
  const beyond = dispatcher ?? new Pool(origin, { connect, factory });
  const exchangeOptions = { ...options, connectionError };
  const active = new ActiveExchanges();
  return {
    send: (request) =>
      new Promise((resolve) => {
        const outgoing = toOutgoingBody(request.body);
        const exchange = new Exchange(request, exchangeOptions, outgoing, active, resolve);
        try {
          (request.permit?.isBeyond ? beyond : within).dispatch(
            {
              origin,
              path: request.target,
              method: request.method as Dispatcher.HttpMethod,
              headers: toHeaders(request.headers, outgoing.length, isOwnPool),
              // undici accepts more kinds of body than its types say.
              body: (outgoing.body ?? null) as Buffer,
              // `timeoutMs` bounds the whole attempt, on the injected clock; undici's timers would duplicate it.
              headersTimeout: 0,
              bodyTimeout: 0,
              ...(created.hasSubscribers && { context: new AsyncResource('ConnectorRequest') }),
            } as OwnDispatch,
            exchange,
          );
        } catch (error) {
          exchange.fail(error);
        }
      }),
    // The caller closes a dispatcher that it has passed in.
    close: async () => {
      if (isOwnPool) await Promise.all([within.close(), beyond.close()]);
    },
    abort: () => active.abort(),
  };
}

/**
 * Tells a reset from the end of a body that has neither a length nor chunks, and so ends with its connection: undici reports
 * the end while it hears of the reset.
 */
function watchResets(): { connect: buildConnector.connector; connectionError: () => Error | undefined } {
  let reset: Error | undefined;
  const connectSocket = buildConnector({});
  const connect: buildConnector.connector = (options, callback) =>
    connectSocket(options, (...result) => {
      const [, socket] = result;
      socket?.prependListener('error', (reason: Error) => {
        reset = reason;
        queueMicrotask(() => {
          reset = undefined;
        });
      });
      callback(...result);
    });
  return { connect, connectionError: () => reset };
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
