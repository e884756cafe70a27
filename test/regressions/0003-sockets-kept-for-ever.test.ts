// `serve()` answered a request that is no HTTP, or that never ended, and then kept its socket for as long as the peer did:
// 400 such requests were 400 descriptors until the next restart. An attack found it by counting the connections of the
// server beside those of a plain `node:http` one. The simulator and every other server of this package are Node's own.
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket, Server as SocketServer } from 'node:net';
import { serve } from 'concordat/connector';
import { expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../helpers/until.js';

const peers = 40;

interface Host {
  port: number;
  connections(): Promise<number>;
}

/** How often Node looks for requests that have not arrived, and how long one may take: minutes by default. */
const impatient = { connectionsCheckingInterval: 20, headersTimeout: 60, requestTimeout: 60 };

type Timeouts = Partial<typeof impatient>;

const hosts: Record<'serve()' | 'node:http (control)', (timeouts?: Timeouts) => Promise<Host>> = {
  'serve()': async (timeouts = {}) => {
    // There is no option for Node's own timeouts, so they are set on the server that is about to listen.
    let server: Server | undefined;
    const { listen } = SocketServer.prototype;
    const spy = vi.spyOn(SocketServer.prototype, 'listen').mockImplementation(function (
      this: Server,
      ...options: unknown[]
    ) {
      server = Object.assign(this, timeouts);
      return listen.apply(this, options as never);
    } as never);
    const running = await serve({ fetch: slowly }, { port: 0 }).finally(() => spy.mockRestore());
    onTestFinished(() => running.close({ graceMs: 0 }));
    return { port: running.port, connections: () => connectionsOf(server as Server) };
  },
  'node:http (control)': async (timeouts = {}) => {
    const listener: RequestListener = (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-length': 10 });
      outgoing.write('01234');
    };
    const server = createServer(timeouts, listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, connections: () => connectionsOf(server) };
  },
};

/** The first half of an answer, and nothing more until the connection ends. */
function slowly(): Response {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('01234')) });
  return new Response(body, { headers: { 'content-length': '10' } });
}

const connectionsOf = (server: Server) =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

/** A peer that sends `bytes` and never closes its half. */
function halfOpen(port: number, bytes: string): Promise<{ socket: Socket; received: Promise<string> }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(bytes);
      resolve({ socket, received });
    });
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    const received = new Promise<string>((ended) => {
      socket.once('end', () => ended(text)).once('error', () => ended(text));
    });
    socket.once('error', reject);
    onTestFinished(() => void socket.destroy());
  });
}

const hostile = {
  'no HTTP at all': '\0garbage\r\n\r\n',
  'headers that are too large': `GET / HTTP/1.1\r\nhost: h\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`,
  'a second request that is none, while the first is answered': 'GET / HTTP/1.1\r\nhost: h\r\n\r\n\0garbage\r\n\r\n',
};

/** What only a timeout ends. */
const endless = {
  'headers that never end': 'GET / HTTP/1.1\r\nhost: h\r\n',
  'a body that never ends': 'POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\n1',
};

const cases = [
  ...Object.entries(hostile).map(([what, bytes]) => [what, bytes, undefined] as const),
  ...Object.entries(endless).map(([what, bytes]) => [what, bytes, impatient] as const),
];

for (const [host, start] of Object.entries(hosts)) {
  test.each(cases)(`${host} keeps no socket of a peer that sent %s`, async (_what, bytes, timeouts) => {
    const { port, connections } = await start(timeouts);
    const opened = await Promise.all(Array.from({ length: peers }, () => halfOpen(port, bytes)));
    await Promise.all(opened.map(({ received }) => received));
    let left = peers;
    await until(() => {
      connections().then((count) => {
        left = count;
      });
      return left === 0;
    }, 'no connection is left');
  });

  test(`${host} keeps the sockets of requests that are answered (control)`, async () => {
    const { port, connections } = await start();
    const opened = await Promise.all(
      Array.from({ length: peers }, () => halfOpen(port, 'GET / HTTP/1.1\r\nhost: h\r\n\r\n')),
    );
    await Promise.all(opened.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))));
    expect(await connections()).toBe(peers);
  });
}

test.each([
  ['no HTTP at all', hostile['no HTTP at all'], 400, 'BAD_REQUEST'],
  ['headers that never end', endless['headers that never end'], 408, 'CONNECTOR_ERROR'],
  ['headers that are too large', hostile['headers that are too large'], 431, 'CONNECTOR_ERROR'],
])('a peer that sent %s and reads still gets its whole answer', async (_what, bytes, status, code) => {
  const { port } = await hosts['serve()'](impatient);
  const { received } = await halfOpen(port, bytes);
  const [head, body] = (await received).split('\r\n\r\n') as [string, string];
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain(`content-length: ${body.length}`);
  expect(JSON.parse(body).errors.code).toBe(code);
});

test('an answer that is under way is cut off, and not continued with another one', async () => {
  const { port } = await hosts['serve()']();
  const { socket, received } = await halfOpen(port, 'GET / HTTP/1.1\r\nhost: h\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write('\0garbage\r\n\r\n');
  const [head, body] = (await received).split('\r\n\r\n') as [string, string];
  expect(head).toContain('200 OK');
  expect(body).toBe('01234');
});
