import { bool, checkOptions, functionOf, option, optionsOf, type ShapeOf } from '../../internal/index.js';
import type { AdapterOptions } from '../errors/adapter-writer.js';
import type { FetchHandler, RunningServer, TlsOptions } from './types.js';

export interface ServeOptions {
  /** 0 takes any free port. */
  port: number;
  /**
   * The address to listen on. The default is reachable from this machine only; in a container it has to be `0.0.0.0`.
   *
   * @default '127.0.0.1'
   */
  hostname?: string | undefined;
  /** Serves https. Without it: http, for a proxy in front that has the certificate. */
  tls?: TlsOptions | undefined;
  /** Speaks HTTP/2 with callers that can, over `tls`; with all others HTTP/1.1. @default false */
  http2?: boolean | undefined;
  /** Gets errors that no route could answer: of a body that fails while it is sent. */
  onError?: AdapterOptions<Request | undefined>['onError'];
}

const schema = optionsOf({
  port: option<number>(
    (port) => Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535,
    'must be a whole number from 0 to 65535',
    true,
  ),
  hostname: option<string>(
    (hostname) => typeof hostname === 'string' && hostname !== '',
    'must be an address, such as 0.0.0.0',
  ).default('127.0.0.1'),
  tls: option<TlsOptions>((tls) => {
    const { key, cert, pfx, SNICallback } = Object(tls) as TlsOptions;
    return (key !== undefined && cert !== undefined) || pfx !== undefined || SNICallback !== undefined;
  }, 'must have `key` and `cert`').optional(),
  http2: bool.default(false),
  onError: functionOf<NonNullable<ServeOptions['onError']>>().optional(),
} satisfies ShapeOf<ServeOptions>).refine(({ tls, http2 }) => tls !== undefined || !http2, {
  message: 'needs `tls`: callers speak HTTP/2 over TLS only',
  path: ['http2'],
});

/**
 * Serves a connector with Node. Other runtimes need nothing of this: export `connector.fetch`.
 *
 * @returns once it listens, with its `url` and `port`, and `close()`, which lets callers go without losing a request.
 * @throws TypeError naming the option that is wrong; the system's error (such as `EADDRINUSE`) when it cannot listen.
 * @example
 * const server = await serve(connector, { port: 4000 })
 * process.once('SIGTERM', () => server.close())
 * @example
 * await serve(connector, { port: 4443, tls: { key: await readFile('key.pem'), cert: await readFile('cert.pem') }, http2: true })
 */
export async function serve(connector: { fetch: FetchHandler }, options: ServeOptions): Promise<RunningServer> {
  if (typeof connector?.fetch !== 'function') {
    throw new TypeError('`connector` must be what `createConnector` returns, or any object with `fetch`.');
  }
  const { onError, ...address } = checkOptions(schema, options);
  // Loaded here, so that everything else runs where there is no Node.
  const [{ toNodeHandler }, { listen }] = await Promise.all([import('./node-listener.js'), import('./node-server.js')]);
  return listen(toNodeHandler(connector, { onError }), address);
}
