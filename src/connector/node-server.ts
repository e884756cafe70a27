import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { ConnectorError } from '../contract/index.js';
import { errorContentType } from './error-answer.js';
import type { RunningServer } from './fetch-handler.js';
import type { NodeListener } from './node-listener.js';

type Server = Extract<ServerType, { closeIdleConnections(): void }>;

type Address = Exclude<ReturnType<Server['address']>, string | null>;

interface ListenOptions {
  port: number;
  hostname: string;
}

/** Starts a server for a listener; rejects with the system's error when the port cannot be had. */
export async function listen(listener: NodeListener, { port, hostname }: ListenOptions): Promise<RunningServer> {
  // The package's way to a server of Node without importing a module of Node; the listener is ours.
  const server = createAdaptorServer({ fetch: () => new Response(), overrideGlobalObjects: false }) as Server;
  server.removeAllListeners('request').on('request', listener);
  server.on('clientError', answerUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as Address;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${urlHost(hostname, address)}:${address.port}`,
    port: address.port,
    close(options) {
      closing ??= closeServer(server, options?.graceMs ?? 10_000);
      return closing;
    },
  };
}

/** An address that stands for all interfaces is none that can be called. */
function urlHost(hostname: string, address: Address): string {
  if (address.address === '0.0.0.0') return '127.0.0.1';
  if (address.address === '::') return '[::1]';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Connections that fall idle while the last answers go out would be kept for seconds otherwise.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close((error) => {
      clearInterval(sweep);
      clearTimeout(cut);
      if (error) reject(error);
      else resolve();
    });
    server.closeIdleConnections();
  });
}

const unreadable: Record<string, { status: number; reason: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    message: 'The request headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'Request Timeout', message: 'The request took too long to arrive.' },
};

/** What is needed of a socket, and where Node keeps the answer that is being written to it. */
interface Socket {
  readonly writable: boolean;
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
  destroy(): void;
  write(bytes: string): void;
}

/**
 * Bytes that are no HTTP request never reach the listener; they get a contract body all the same. The socket is destroyed
 * at once, as Node's own handler does it: by then the answer is with the system, and a peer that neither reads nor closes
 * its half keeps nothing open.
 */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // An answer that is under way must not be continued with another one.
  if (error.code !== 'ECONNRESET' && socket.writable && !socket._httpMessage?.headersSent) {
    socket.write(unreadableAnswer(error.code));
  }
  socket.destroy();
}

function unreadableAnswer(errorCode = ''): string {
  const { status, reason, message } = unreadable[errorCode] ?? {
    status: 400,
    reason: 'Bad Request',
    message: 'The request is not valid HTTP.',
  };
  const code = status === 400 ? 'BAD_REQUEST' : undefined;
  const body = JSON.stringify(new ConnectorError(message, { status, code }).toPayload());
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    `content-type: ${errorContentType}`,
    `content-length: ${body.length}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
