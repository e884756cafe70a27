import type { AdapterOptions } from './adapter-options.js';
import type { FetchHandler, RunningServer } from './fetch-handler.js';

export interface ServeOptions {
  /** 0 takes any free port. */
  port: number;
  /**
   * The address to listen on. The default is reachable from this machine only; in a container it has to be `0.0.0.0`.
   *
   * @default '127.0.0.1'
   */
  hostname?: string | undefined;
  /** Gets errors that no route could answer: of a body that fails while it is sent. */
  onError?: AdapterOptions<Request | undefined>['onError'];
}

/**
 * Serves a connector with Node. Other runtimes need nothing of this: export `connector.fetch`.
 *
 * @returns once it listens, with its `url` and `port`, and `close()`.
 * @throws TypeError naming the option that is wrong; the system's error (such as `EADDRINUSE`) when it cannot listen.
 * @example
 * const server = await serve(connector, { port: 4000 })
 * process.once('SIGTERM', () => server.close())
 */
export async function serve(connector: { fetch: FetchHandler }, options: ServeOptions): Promise<RunningServer> {
  if (typeof connector?.fetch !== 'function') {
    throw new TypeError('`connector` must be what `createConnector` returns, or any object with `fetch`.');
  }
  const { port, hostname = '127.0.0.1', onError } = options ?? {};
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`\`port\` must be a whole number from 0 to 65535, got ${String(port)}.`);
  }
  if (typeof hostname !== 'string' || hostname === '') {
    throw new TypeError('`hostname` must be an address, such as 0.0.0.0.');
  }
  // Loaded here, so that everything else runs where there is no Node.
  const [{ toNodeHandler }, { listen }] = await Promise.all([import('./node-listener.js'), import('./node-server.js')]);
  return listen(toNodeHandler(connector, { onError }), { port, hostname });
}
