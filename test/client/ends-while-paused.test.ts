// undici ended the process if a connection closed while its response waited for its reader (nodejs/undici#5360).
import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { ConnectorClientOptions } from 'concordat/client';
import { createConnectorClient } from 'concordat/client';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compiled } from '../helpers/compiled.js';
import { grace, rejection, until } from '../helpers/until.js';

// The client reads 256 KiB ahead: it pauses within the second part, after which nothing comes but the end.
const parts = [Buffer.alloc(200 * 1024, 'first'), Buffer.alloc(60 * 1024, 'second')] as const;
const length = parts[0].length + parts[1].length;

const framings: [string, head: string, isChunked?: boolean][] = [
  ['HTTP/1.0, the end of the connection', 'HTTP/1.0 200 OK\r\n'],
  ['HTTP/1.0, a length', `HTTP/1.0 200 OK\r\ncontent-length: ${length}\r\n`],
  ['connection: close, a length', `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${length}\r\n`],
  ['connection: close, chunks', 'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n', true],
  ['keep-alive, a length', `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n`],
];

const transports: [string, () => Partial<ConnectorClientOptions>][] = [
  ['the client’s own pool', () => ({})],
  ['a dispatcher', () => ({ dispatcher: new Agent() })],
];

/** A stream that nobody reads: the connection has brought all of its body. */
async function streamUnread(head: string, isChunked: boolean, options: Partial<ConnectorClientOptions>) {
  const written = (part: Uint8Array, isLast: boolean) =>
    isChunked
      ? Buffer.concat([
          Buffer.from(`${part.length.toString(16)}\r\n`),
          part,
          Buffer.from(isLast ? '\r\n0\r\n\r\n' : '\r\n'),
        ])
      : part;
  const [first, last] = [written(parts[0], false), written(parts[1], true)];
  const sockets: Socket[] = [];
  const connected = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  subscribe('undici:client:connected', connected);
  onTestFinished(() => void unsubscribe('undici:client:connected', connected));
  const server = createServer(async (socket) => {
    socket.on('error', () => {});
    await once(socket, 'data');
    socket.write(`${head}content-type: application/octet-stream\r\n\r\n`);
    socket.write(first);
    const client = () => sockets.find(({ localPort }) => localPort === socket.remotePort);
    await until(() => (client()?.bytesRead ?? 0) > first.length);
    socket.write(last);
    await until(() => (client()?.bytesRead ?? 0) > first.length + last.length);
    ended = client() as Socket;
    server.emit('sent', socket);
  }).listen(0, '127.0.0.1');
  let ended: Socket | undefined;
  await once(server, 'listening');
  const sent = once(server, 'sent') as Promise<[Socket]>;
  const client = createConnectorClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    initialize: async () => ({ 'x-session': 'a' }),
    ...options,
  });
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  const { body } = await client.stream('/');
  const [socket] = await sent;
  return { body, socket, ended: ended as unknown as Socket };
}

describe.each(transports)('by %s', (_transport, options) => {
  it.each(framings)('a body is whole if its connection ends before it is read: %s (D2)', async (_, head, isChunked) => {
    const { body, socket, ended } = await streamUnread(head, isChunked ?? false, options());
    const end = once(ended, 'end');
    socket.end();
    // Where something of the body is left in the socket's buffer, its end comes after the reader.
    await Promise.race([end, grace(100)]);
    expect((await buffer(body)).equals(Buffer.concat(parts))).toBe(true);
  });
});

it.each(framings.slice(0, 1))(
  'a body whose connection is reset before it is read breaks off: %s (D2)',
  async (_, head) => {
    const { body, socket, ended } = await streamUnread(head, false, {});
    const closed = once(ended, 'close').catch(() => {});
    socket.resetAndDestroy();
    await closed;
    expect(await rejection(buffer(body))).toMatchObject({ code: 'NETWORK_ERROR' });
  },
);

it('so does one of a dispatcher that was used before there was a client', async () => {
  // In a process of its own: here, other tests have made clients.
  const source = `
    import { once } from 'node:events';
    import { createServer } from 'node:net';
    import { buffer } from 'node:stream/consumers';
    import { Agent, request } from 'undici';
    import { createConnectorClient } from './src/client/index.ts';
    const parts = [Buffer.alloc(200 * 1024, 'first'), Buffer.alloc(60 * 1024, 'second')];
    let paused;
    const server = createServer((socket) => {
      socket.on('data', (data) => {
        if (String(data).startsWith('GET /early')) return socket.write('HTTP/1.1 204 No Content\\r\\n\\r\\n');
        const head = 'HTTP/1.1 200 OK\\r\\nconnection: close\\r\\ncontent-length: ' + 260 * 1024 + '\\r\\n\\r\\n';
        socket.write(head);
        socket.write(parts[0], () => setTimeout(() => socket.write(parts[1], () => paused(socket)), 50));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = 'http://127.0.0.1:' + server.address().port;
    const dispatcher = new Agent({ connections: 1 });
    await (await request(baseUrl + '/early', { dispatcher })).body.dump();
    const client = createConnectorClient({ baseUrl, dispatcher, initialize: async () => ({ 'x-session': 'a' }) });
    const isPaused = new Promise((resolve) => (paused = resolve));
    const { body } = await client.stream('/');
    const socket = await isPaused;
    socket.end();
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.stdout.write(String((await buffer(body)).length));
    await client.close();
    await dispatcher.destroy();
    server.close();`;
  const program = await compiled({ source });
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout).toBe(String(length));
});
