import type { HttpBindings } from '@hono/node-server';

type Socket = HttpBindings['incoming']['socket'];

type Outgoing = HttpBindings['outgoing'] & { shouldKeepAlive?: boolean };

/** A session of HTTP/2: many requests on one connection. */
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
 * How long a connection that is not in use is kept for one more request: who has read an answer without `connection: close`
 * may be sending the next one already, and would lose it. It has to be more than a way there and back takes.
 */
const lastUseMs = 250;

/** HTTP/2 has no time limits of its own in Node: a session in which nothing moves is no more than a socket that is kept. */
const quietSessionMs = 300_000;

/**
 * Keeps account of a server's connections, and gives the function that closes it without losing a request: every answer
 * from then on tells its caller to go elsewhere with the next one (`connection: close`, in HTTP/2 GOAWAY). Connections that
 * fall silent are ended, and what is left after `graceMs` is cut.
 */
export function closer(server: Server): (graceMs: number) => Promise<void> {
  const sockets = new Set<Socket>();
  const sessions = new Set<Session>();
  const answers = new Map<Outgoing, Socket>();
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
    answers.set(outgoing, socket);
    outgoing.once('close', () => answers.delete(outgoing));
    if (!isClosing) return;
    outgoing.shouldKeepAlive = false;
    socket.setTimeout(0);
  });

  return (graceMs) =>
    new Promise((resolve, reject) => {
      isClosing = true;
      for (const answer of answers.keys()) answer.shouldKeepAlive = false;
      // What a caller sends before it has heard of that is refused unprocessed, and may be sent again (RFC 9113, 8.7).
      for (const session of sessions) session.close();
      // Node would end idle connections at once, and keep those for seconds that fall idle later.
      Object.assign(server, { closeIdleConnections() {}, keepAliveTimeout: lastUseMs, keepAliveTimeoutBuffer: 0 });
      for (const socket of without(sockets, answers.values())) socket.setTimeout(lastUseMs);
      server.on('timeout', (socket) => {
        // After a turn, in which a request is read that had arrived before the time was over.
        setImmediate(() => {
          if (![...answers.values()].includes(socket)) socket.destroy();
        });
      });
      const stop = () => {
        server.close((error) => {
          clearTimeout(cut);
          if (error) reject(error);
          else resolve();
        });
        for (const session of sessions) session.close();
      };
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      // New connections are answered until then: who leads callers here may not know yet that there is another server.
      if (sockets.size === 0) stop();
      else setTimeout(stop, Math.min(lastUseMs, graceMs));
    });
}

function without<T>(all: Iterable<T>, some: Iterable<T>): T[] {
  const excluded = new Set(some);
  return [...all].filter((item) => !excluded.has(item));
}
