// What an attacker without credentials, or a broken client, sends to a server of this machine.
import { connect, type Socket } from 'node:net';

const host = '127.0.0.1';
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The next event of a socket, or its end, or so long a time. */
function next(socket: Socket, event: 'data' | 'drain' | 'connect', ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      socket.off(event, done).off('close', done);
      resolve();
    }
    socket.on(event, done).on('close', done);
  });
}

/** Sockets of clients that never end their half, whatever the server does. */
export class Clients {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  async open(): Promise<Socket> {
    const socket = connect({ host, port: this.#port, allowHalfOpen: true });
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    socket.resume();
    await next(socket, 'connect', 10_000);
    return socket;
  }

  async many(count: number, act: (socket: Socket) => unknown): Promise<void> {
    for (let opened = 0; opened < count; opened += 50) {
      const batch = Array.from({ length: Math.min(50, count - opened) }, async () => act(await this.open()));
      await Promise.all(batch);
    }
  }

  every(ms: number, act: () => void): void {
    this.#timers.add(setInterval(act, ms));
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}

const session = 'host: a\r\nx-session: a\r\ncontent-type: application/json\r\n';
const chunk = ' '.repeat(65_536);

export interface Traffic {
  readonly name: string;
  /** Whether the server has no reason to keep a connection for as much as a second. */
  readonly isRefused?: boolean;
  send(clients: Clients): Promise<void>;
}

export const traffic: readonly Traffic[] = [
  {
    name: '300 unreadable requests, the client keeps its half',
    isRefused: true,
    send: (clients) => clients.many(300, (socket) => socket.write('\0nonsense\r\n\r\n')),
  },
  {
    name: '100 floods of headers',
    isRefused: true,
    send: (clients) =>
      clients.many(100, async (socket) => {
        socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
        for (let header = 0; header < 200 && socket.writable; header++) {
          socket.write(`x-flood-${header}: ${'a'.repeat(1000)}\r\n`);
          if (header % 20 === 0) await wait(1);
        }
      }),
  },
  {
    name: '200 half-sent headers',
    send: (clients) => clients.many(200, (socket) => socket.write('GET / HTTP/1.1\r\nhost: a\r\nx-half: ')),
  },
  {
    name: '100 slow bodies',
    send: (clients) =>
      clients.many(100, (socket) => {
        socket.write(`POST /issues HTTP/1.1\r\n${session}content-length: 100000\r\n\r\n[`);
        clients.every(500, () => socket.writable && socket.write(' '));
      }),
  },
  {
    name: '100 bodies of 4 MiB, half of them without a length',
    send(clients) {
      let number = 0;
      return clients.many(100, async (socket) => {
        const isChunked = number++ % 2 === 0;
        const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${64 * chunk.length}`;
        socket.write(`POST /issues HTTP/1.1\r\n${session}${length}\r\n\r\n`);
        for (let sent = 0; sent < 64 && socket.writable; sent++) {
          const bytes = isChunked ? `${chunk.length.toString(16)}\r\n${chunk}\r\n` : chunk;
          if (!socket.write(bytes)) await next(socket, 'drain', 200);
        }
      });
    },
  },
  {
    name: '500 uploads that break off',
    send: (clients) =>
      clients.many(500, async (socket) => {
        socket.write(`POST /issues HTTP/1.1\r\n${session}content-length: 900000\r\n\r\n${chunk}`);
        await wait(2);
        socket.resetAndDestroy();
      }),
  },
  {
    name: '5,000 requests that are answered 401',
    send: (clients) =>
      clients.many(50, async (socket) => {
        for (let request = 0; request < 100 && socket.writable; request++) {
          socket.write('GET /api/v1/me HTTP/1.1\r\nhost: a\r\nx-api-key: ck_wrong\r\n\r\n');
          await next(socket, 'data', 5000);
        }
      }),
  },
];
