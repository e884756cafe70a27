import { bool, checkOptions, duration, functionOf, option, optionsOf, type ShapeOf } from '../../internal/index.js';
import type { AdapterOptions } from '../errors/adapter-writer.js';
import type { FetchHandler } from './node-listener.js';
import type { RunningServer, TlsOptions } from './node-server.js';

export interface ServeOptions {
  /** 0 takes any free port. */
  port: number;
  /**
   * The address to listen on. The default is reachable from this machine only; in a container use `0.0.0.0`.
   *
   * @default '127.0.0.1'
   */
  hostname?: string | undefined;
  /** Serves https. Without it the server speaks http, for a proxy that has the certificate. */
  tls?: TlsOptions | undefined;
  /** Speaks HTTP/2 over `tls` with callers that can, and HTTP/1.1 with all others. @default false */
  http2?: boolean | undefined;
  /**
   * How long a request may take to arrive, body included; `Infinity` for as long as it likes. Raise it for large uploads.
   *
   * @default 300_000
   */
  requestTimeoutMs?: number | undefined;
  /**
   * How long an idle connection waits for another request. Behind a load balancer, choose more than its own idle timeout (60 s
   * or more in most), so that it never sends a request on a connection that is just being closed.
   *
   * @default 5_000
   */
  keepAliveTimeoutMs?: number | undefined;
  /**
   * Gets errors that come too late for a route: of a body that fails while it is sent.
   *
   * @default the `onError` of the connector
   */
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
  requestTimeoutMs: duration({ least: 1, endless: true }).default(300_000),
  keepAliveTimeoutMs: duration({ least: 1 }).default(5_000),
  onError: functionOf<NonNullable<ServeOptions['onError']>>().optional(),
} satisfies ShapeOf<ServeOptions>).refine(({ tls, http2 }) => tls !== undefined || !http2, {
  message: 'needs `tls`: callers speak HTTP/2 over TLS only',
  path: ['http2'],
});

/**
 * Serves a connector with Node. On other runtimes export `connector.fetch` instead.
 *
 * @returns once it listens, with `url`, `port` and a `close()` that loses no request.
 * @throws TypeError naming the invalid option; the system's error (such as `EADDRINUSE`) when it cannot listen.
 * @example
 * const server = await serve(connector, { port: 4000 })
 * process.once('SIGTERM', () => void server.close())
 * @example
 * await serve(connector, { port: 4443, tls: { key: await readFile('key.pem'), cert: await readFile('cert.pem') }, http2: true })
 */
export async function serve(connector: { fetch: FetchHandler }, options: ServeOptions): Promise<RunningServer> {
  if (typeof connector?.fetch !== 'function') {
    throw new TypeError('`connector` must be what `createConnector` returns, or any object with `fetch`.');
  }
  const { onError, ...address } = checkOptions(schema, options);
  // Loaded here, so that everything else runs without Node.
  const [{ toNodeHandler }, { listen }] = await Promise.all([import('./node-listener.js'), import('./node-server.js')]);
  return listen(toNodeHandler(connector, { onError }), address);
}
