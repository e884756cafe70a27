import type { HttpBindings, ServerType } from '@hono/node-server';
import { checkOptions, duration, systemClock } from '../../internal/index.js';

type Socket = HttpBindings['incoming']['socket'];

type Outgoing = HttpBindings['outgoing'] & { shouldKeepAlive?: boolean };

/** An HTTP/2 session: many requests on one connection. */
interface Session extends Ending {
  close(): void;
  destroy(): void;
  setTimeout(milliseconds: number, callback: () => void): void;
}

/** What http, https and http2 of Node have in common. */
interface Server {
  keepAliveTimeout?: number;
  closeAllConnections?(): void;
  on(event: 'connection' | 'secureConnection' | 'timeout', listener: (socket: Socket) => void): unknown;
  on(event: 'session', listener: (session: Session) => void): unknown;
  prependListener(event: 'request', listener: (incoming: { socket: Socket }, outgoing: Outgoing) => void): unknown;
  close(callback: (error?: Error & { code?: string }) => void): unknown;
}

/**
 * How long an idle connection stays open for one more request: a caller that has read a response without
 * `connection: close` may already be sending the next. Longer than a round trip.
 */
const lastUseMs = 250;

/** Node's HTTP/2 has no idle timeout of its own. */
const quietSessionMs = 300_000;

/**
 * Closes a server without losing a request. Requests in flight finish, and every response from now on says
 * `connection: close` (in HTTP/2: GOAWAY), so that callers send the next request to another server. With connections open
 * the server accepts requests for another 250 ms, and ends each connection that is idle for that long. What is left after
 * `graceMs` is destroyed. Calling it again returns the same promise.
 *
 * @param options.graceMs milliseconds, or `Infinity`. @default 10000
 * @throws TypeError if `graceMs` is something else.
 */
export type CloseServer = (options?: { graceMs?: number | undefined }) => Promise<void>;

const grace = duration({ endless: true }).default(10_000);

/**
 * Returns the function that closes a server of Node, Express, Fastify or NestJS as `close()` of `serve` does; Node's own
 * `server.close()` goes on serving connections that stay busy, and waits for the idle ones. Call it before the server has
 * connections.
 *
 * @throws TypeError if it is not a server.
 * @example
 * const server = express().listen(4000)
 * const close = gracefulClose(server)
 * process.once('SIGTERM', () => void close())
 */
export function gracefulClose(server: ServerType): CloseServer {
  if (typeof server?.close !== 'function' || typeof server.prependListener !== 'function') {
    throw new TypeError('`server` must be a server of node:http, node:https or node:http2.');
  }
  const close = closer(server as never);
  let closing: Promise<void> | undefined;
  return (options) => {
    closing ??= close(checkOptions(grace, options?.graceMs, 'graceMs'));
    return closing;
  };
}

/** What of Node's ends with the event `close`; responses, with `finish` before it. */
interface Ending {
  once(event: 'close' | 'finish', listener: () => void): unknown;
}

function forgetAtEnd<Item extends Ending>(all: { delete(item: Item): unknown }, item: Item): void {
  item.once('close', () => all.delete(item));
}

/** Tracks a server's connections from now on. */
function closer(server: Server): (graceMs: number) => Promise<void> {
  const sockets = new Set<Socket>();
  const sessions = new Set<Session>();
  const responses = new Map<Outgoing, Socket>();
  let isClosing = false;

  const keep = (socket: Socket) => {
    sockets.add(socket);
    forgetAtEnd(sockets, socket);
    if (isClosing) socket.setTimeout(lastUseMs);
  };
  server.on('connection', keep);
  server.on('secureConnection', keep);
  server.on('session', (session) => {
    sessions.add(session);
    forgetAtEnd(sessions, session);
    session.setTimeout(quietSessionMs, () => session.destroy());
  });
  // Before the server's own listener, which may send the head of the response at once.
  server.prependListener('request', ({ socket }, outgoing) => {
    responses.set(outgoing, socket);
    forgetAtEnd(responses, outgoing);
    if (!isClosing) return;
    outgoing.shouldKeepAlive = false;
    socket.setTimeout(0);
  });

  return (graceMs) =>
    new Promise((resolve, reject) => {
      isClosing = true;
      for (const [response, socket] of responses) {
        response.shouldKeepAlive = false;
        response.once('finish', () => {
          // Later than Node, which may set a second more. Streams of HTTP/2 have no socket of their own.
          if (sockets.has(socket)) socket.setTimeout(lastUseMs);
        });
      }
      // Requests that cross it are refused unprocessed, and may be sent again (RFC 9113, 8.7).
      for (const session of sessions) session.close();
      // Node would end idle connections at once, and keep those that become idle later for seconds.
      Object.assign(server, { closeIdleConnections() {}, keepAliveTimeout: lastUseMs, keepAliveTimeoutBuffer: 0 });
      const busy = new Set(responses.values());
      for (const socket of sockets) if (!busy.has(socket)) socket.setTimeout(lastUseMs);
      server.on('timeout', (socket) => {
        // A request that arrived in time is read in this turn of the event loop.
        setImmediate(() => {
          if (![...responses.values()].includes(socket)) socket.destroy();
        });
      });
      const stop = () => {
        server.close((error) => {
          cut.cancel();
          // One that does not listen, or no longer, is closed.
          if (error === undefined || error.code === 'ERR_SERVER_NOT_RUNNING') resolve();
          else reject(error);
        });
        for (const session of sessions) session.close();
      };
      const cut = systemClock.setTimer(graceMs, () => {
        for (const socket of sockets) socket.destroy();
        server.closeAllConnections?.(); // those from before this function tracked them
      });
      // Until then new connections are served: a load balancer may not know of another server yet.
      if (sockets.size === 0) stop();
      // A busy server sees only after its timers what the system has accepted for it, and would reset.
      else setTimeout(() => setImmediate(stop), Math.min(lastUseMs, graceMs));
    });
}
