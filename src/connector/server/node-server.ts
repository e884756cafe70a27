import { createAdaptorServer, type HttpBindings, type ServerType } from '@hono/node-server';
import { BadRequestError, ConnectorError } from '../../contract/index.js';
import { createErrorWriter, errorContentType } from '../errors/error-writer.js';
import { type CloseServer, gracefulClose } from './close-server.js';
import type { NodeListener } from './node-listener.js';

type Server = Extract<ServerType, { closeIdleConnections(): void }>;

type Address = Exclude<ReturnType<Server['address']>, string | null>;

export interface RunningServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Closes the server without losing a request: see {@link CloseServer}. */
  readonly close: CloseServer;
}

/** A certificate with its key, and whatever else `tls.createServer` of Node takes. */
export interface TlsOptions {
  /** PEM: the text or the bytes of the file. */
  key?: unknown;
  /** PEM, with the certificates between it and the root. */
  cert?: unknown;
  [option: string]: unknown;
}

interface ListenOptions {
  port: number;
  hostname: string;
  tls?: TlsOptions | undefined;
  http2: boolean;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
}

/** Starts a server for a listener; rejects with the system's error when it cannot listen on the port. */
export async function listen(listener: NodeListener, options: ListenOptions): Promise<RunningServer> {
  const { port, hostname, tls, requestTimeoutMs, keepAliveTimeoutMs } = options;
  const server = createServer(options);
  server.requestTimeout = requestTimeoutMs === Number.POSITIVE_INFINITY ? 0 : requestTimeoutMs;
  // With a shorter timeout for the whole request Node would exchange the two.
  server.headersTimeout = Math.min(60_000, requestTimeoutMs);
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.removeAllListeners('request');
  const close = gracefulClose(server);
  server.on('request', (incoming, outgoing) => {
    const isHostless = incoming.httpVersion === '1.1' && incoming.headers.host === undefined;
    if (isHostless) refuse(outgoing, new BadRequestError('The request has no Host header.'));
    else void listener(incoming, outgoing);
  });
  server.on('checkExpectation', (_incoming, outgoing) => {
    refuse(outgoing, new ConnectorError('The only `Expect` is 100-continue.', { status: 417 }));
  });
  server.on('clientError', respondToUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as Address;
  return {
    url: `http${tls ? 's' : ''}://${urlHost(hostname, address)}:${address.port}`,
    port: address.port,
    close,
  };
}

/** Creates the server without importing a Node module, which bundlers for other runtimes could not resolve. */
function createServer({ tls, http2, requestTimeoutMs }: ListenOptions): Server {
  const own = { fetch: () => new Response(), overrideGlobalObjects: false };
  // Node would refuse a request without a body of the contract, and look for requests that take too long every 30 s.
  const options = {
    requireHostHeader: false,
    connectionsCheckingInterval: Math.ceil(Math.min(30_000, requestTimeoutMs)),
  };
  if (tls === undefined) return createAdaptorServer({ ...own, serverOptions: options }) as Server;
  const serverOptions = { ...tls, allowHTTP1: true, ...options };
  const create = http2
    ? process.getBuiltinModule('node:http2').createSecureServer
    : process.getBuiltinModule('node:https').createServer;
  try {
    return createAdaptorServer({
      ...own,
      createServer: create as never,
      serverOptions: serverOptions as never,
    }) as Server;
  } catch (cause) {
    throw new TypeError(`\`tls\` is not valid: ${(cause as Error).message}.`, { cause });
  }
}

const writeError = createErrorWriter();

/** Refuses what Node would refuse with a response that has no body. */
function refuse(outgoing: HttpBindings['outgoing'], thrown: ConnectorError): void {
  const { status, headers, body } = writeError(thrown);
  Object.assign(outgoing, { shouldKeepAlive: false });
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** An address that stands for all interfaces cannot be called. */
function urlHost(hostname: string, address: Address): string {
  if (address.address === '0.0.0.0') return '127.0.0.1';
  if (address.address === '::') return '[::1]';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}

const unreadable: Record<string, [status: number, reason: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long to arrive.'],
};

/** A socket, and where Node keeps the response that is being written to it. */
interface Socket {
  readonly writable: boolean;
  readonly _httpMessage?: {
    readonly headersSent: boolean;
    readonly req?: { readonly complete: boolean; readonly readableDidRead: boolean; destroy(error: Error): void };
  } | null;
  destroy(): void;
  write(bytes: string): void;
}

/**
 * Bytes that are not an HTTP request never reach the listener, but get a contract body too. The socket is destroyed at once,
 * as by Node's own handler: a peer that neither reads nor closes must not keep it open.
 */
function respondToUnreadable({ code = '' }: Error & { code?: string }, socket: Socket): void {
  const [status, reason, message] = unreadable[code] ?? [400, 'Bad Request', 'The request is not valid HTTP.'];
  const error = new ConnectorError(message, { status });
  const { headersSent, req } = socket._httpMessage ?? {};
  // Not into the middle of another response.
  if (code !== 'ECONNRESET' && socket.writable && !headersSent) {
    socket.write(unreadableResponse(error, reason));
  }
  socket.destroy();
  // Whoever reads the body would hear that the caller has gone, which is true where its bytes just end.
  const isRefused = /^HPE_(?!INVALID_EOF)|^ERR_HTTP_/.test(code);
  if (isRefused && req?.readableDidRead && !req.complete) req.destroy(error);
}

function unreadableResponse(error: ConnectorError, reason: string): string {
  const body = JSON.stringify(error.toPayload());
  const head = [
    `HTTP/1.1 ${error.status} ${reason}`,
    `content-type: ${errorContentType}`,
    `content-length: ${body.length}`,
    'cache-control: no-store',
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
