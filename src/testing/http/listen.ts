import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { abortable, isBodyless, isBytes } from '../../internal/index.js';
import type { ListeningConnector } from '../types.js';
import type { Arrival } from './arrival.js';
import { chunksOf, discard, type NoResponse, type Reply, type SimulatedResponse } from './reply.js';

/** Serves replies on 127.0.0.1. @throws Error when the port is not available. */
export async function listen(
  reply: (arrival: Arrival) => Promise<Reply>,
  { port, basePath }: { port: number; basePath: string },
): Promise<ListeningConnector> {
  const [{ createServer }, { default: events }] = await Promise.all([import('node:http'), import('node:events')]);
  const server = createServer((incoming, outgoing) => {
    outgoing.sendDate = false; // the simulator's clock sets it
    outgoing.on('error', () => {});
    serve(incoming, outgoing).catch(() => incoming.socket.destroy()); // the client has gone away
  });
  server.keepAliveTimeout = 60_000;
  server.requestTimeout = 0;
  server.listen(port, '127.0.0.1');
  await events.once(server, 'listening');

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort(new Error('The connection has ended.')));
    const response = await reply(await read(incoming, gone.signal));
    if ('instead' in response) endWithout(response, incoming.socket);
    else await send(response, incoming, outgoing, gone.signal);
  }

  const actual = (server.address() as AddressInfo).port;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };
  return { url: `http://127.0.0.1:${actual}${basePath}`, port: actual, close, [Symbol.asyncDispose]: close };
}

async function read(incoming: IncomingMessage, signal: AbortSignal): Promise<Arrival> {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD' && chunks.length > 0;
  const body = hasBody ? new Uint8Array(await new Blob(chunks).arrayBuffer()) : undefined;
  return { method, url: readTarget(url), headers, body, signal };
}

/** Not relative to a base, for which `//issues/7` would begin with a host. Proxies are sent a whole URL. */
function readTarget(target: string): URL {
  const base = 'http://127.0.0.1';
  return target.startsWith('/') ? new URL(base + target) : new URL(target, base);
}

function endWithout({ instead }: NoResponse, socket: Socket): void {
  if (instead === 'reset' || instead === 'refused') socket.resetAndDestroy();
  else if (instead === 'closed') socket.end();
  else if (instead === 'cut-head') socket.end('HTTP/1.1 200 OK\r\ncontent-type: applica');
}

async function send(
  response: SimulatedResponse,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { status, body, end } = response;
  const headers = response.headers.flat();
  const hasLength = response.headers.some(([name]) => name.toLowerCase() === 'content-length');
  if (end !== 'open' && isBytes(body) && !isBodyless(status) && !hasLength) {
    // A truncated body lacks at least one byte.
    headers.push('content-length', String(end === 'cut' ? Math.max(1, body.length) : body.length));
  }
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  if (incoming.method !== 'HEAD' && !isBodyless(status)) {
    for await (const chunk of chunksOf(response, signal)) await write(outgoing, chunk, signal);
  } else discard(response);
  if (end === 'whole') outgoing.end();
  else if (end === 'cut') incoming.socket.destroy();
}

/** Resolves when the operating system has taken the bytes. */
async function write(outgoing: ServerResponse, chunk: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const written = new Promise<void>((resolve) => outgoing.write(chunk, () => resolve()));
  await abortable(written, signal);
}
