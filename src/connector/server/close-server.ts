import type { HttpBindings } from '@hono/node-server';
import { systemClock } from '../../internal/index.js';

type Socket = HttpBindings['incoming']['socket'];

type Outgoing = HttpBindings['outgoing'] & { shouldKeepAlive?: boolean };

/** An HTTP/2 session: many requests on one connection. */
interface Session {
  close(): void;
  destroy(): void;
  once(event: 'close', listener: () => void): unknown;
  setTimeout(milliseconds: number, callback: () => void): void;
}

/** What http, https and http2 of Node have in common. */
interface Server {
  keepAliveTimeout?: number;
  on(event: 'connection' | 'secureConnection' | 'timeout', listener: (socket: Socket) => void): unknown;
  on(event: 'session', listener: (session: Session) => void): unknown;
  on(event: 'request', listener: (incoming: { socket: Socket }, outgoing: Outgoing) => void): unknown;
  close(callback: (error?: Error) => void): unknown;
}

/**
 * How long an idle connection stays open for one more request: a caller that has read a response without
 * `connection: close` may already be sending the next. Longer than a round trip.
 */
const lastUseMs = 250;

/** Node's HTTP/2 has no idle timeout of its own. */
const quietSessionMs = 300_000;

/**
 * Tracks a server's connections, and returns the function that closes it without losing a request: from then on every
 * response tells the caller to send the next request elsewhere (`connection: close`, in HTTP/2 GOAWAY). Idle connections
 * are ended, and what is left after `graceMs` is destroyed.
 */
export function closer(server: Server): (graceMs: number) => Promise<void> {
  const sockets = new Set<Socket>();
  const sessions = new Set<Session>();
  const responses = new Map<Outgoing, Socket>();
  let isClosing = false;

  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (isClosing) socket.setTimeout(lastUseMs);
  };
  server.on('connection', keep);
  server.on('secureConnection', keep);
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.setTimeout(quietSessionMs, () => session.destroy());
  });
  server.on('request', ({ socket }, outgoing) => {
    responses.set(outgoing, socket);
    outgoing.once('close', () => responses.delete(outgoing));
    if (!isClosing) return;
    outgoing.shouldKeepAlive = false;
    socket.setTimeout(0);
  });

  return (graceMs) =>
    new Promise((resolve, reject) => {
      isClosing = true;
      for (const response of responses.keys()) response.shouldKeepAlive = false;
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
          if (error) reject(error);
          else resolve();
        });
        for (const session of sessions) session.close();
      };
      const cut = systemClock.setTimer(graceMs, () => {
        for (const socket of sockets) socket.destroy();
      });
      // Until then new connections are served: a load balancer may not know of another server yet.
      if (sockets.size === 0) stop();
      else setTimeout(stop, Math.min(lastUseMs, graceMs));
    });
}
