import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, sleep } from '../../internal/index.js';
import type { ListeningConnector } from '../types.js';
import type { Arrival } from './arrival.js';
import { type Answer, chunksOf, isBodyless, type Reply } from './reply.js';

export interface ListenOptions {
  port: number;
  basePath: string;
  clock: Clock;
}

/** Serves replies on 127.0.0.1, down to the bytes and the sockets. Rejects when the port cannot be had. */
export async function listen(
  reply: (arrival: Arrival) => Promise<Reply>,
  { port, basePath, clock }: ListenOptions,
): Promise<ListeningConnector> {
  const { createServer } = await import('node:http');
  const server = createServer((incoming, outgoing) => {
    outgoing.sendDate = false; // the connector's own clock writes it
    outgoing.on('error', () => {});
    serve(incoming, outgoing).catch(() => incoming.socket.destroy()); // the other side has gone away
  });
  server.keepAliveTimeout = 60_000;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort(new Error('The connection has ended.')));
    const answer = await reply(await read(incoming, gone.signal));
    if (answer === 'reset') incoming.socket.resetAndDestroy();
    else if (answer !== 'hang') await send(answer, incoming, outgoing, clock, gone.signal);
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
  return { method, url: new URL(url, 'http://127.0.0.1'), headers, body, signal };
}

async function send(
  answer: Answer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  if (answer.delayMs > 0) await sleep(clock, answer.delayMs, signal);
  const { status, body, end } = answer;
  const headers = answer.headers.flat();
  if (end !== 'open' && body instanceof Uint8Array && !isBodyless(status)) {
    // Of a body that is cut off at least one byte is missing.
    headers.push('content-length', String(end === 'cut' ? Math.max(1, body.length) : body.length));
  }
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  if (incoming.method !== 'HEAD' && !isBodyless(status)) {
    for (const chunk of chunksOf(answer)) await write(outgoing, chunk, signal);
  }
  if (end === 'whole') outgoing.end();
  else if (end === 'cut') incoming.socket.destroy();
}

/** Goes on when the bytes are with the operating system. */
function write(outgoing: ServerResponse, chunk: Uint8Array, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.write(chunk, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}
