import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawRequest {
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Writes HTTP byte by byte, also what node:http refuses to write. It reads the chunks of a body only with `readsChunks`;
 * otherwise they are the beginning of the next request on their connection, as in a server that does not know them.
 */
export async function rawConnector(answer: (request: RawRequest) => string | Buffer, readsChunks = true) {
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received += data.toString('latin1');
      for (let taken = take(received, readsChunks); taken !== undefined; taken = take(received, readsChunks)) {
        received = taken.rest;
        socket.write(answer(taken.request));
        if (taken.request.headers.connection === 'close') socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function take(received: string, readsChunks: boolean): { request: RawRequest; rest: string } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...fields] = received.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [field.split(':')[0]!.toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
  );
  const rest = received.slice(end + 4);
  if (readsChunks && headers['transfer-encoding'] === 'chunked') return takeChunks(line, headers, rest);
  const length = Number(headers['content-length'] ?? 0);
  if (rest.length < length) return undefined;
  return { request: { line, headers, body: rest.slice(0, length) }, rest: rest.slice(length) };
}

function takeChunks(line: string, headers: Record<string, string>, received: string) {
  let [body, rest] = ['', received];
  for (;;) {
    const size = Number.parseInt(rest, 16);
    const start = rest.indexOf('\r\n') + 2;
    if (start < 2 || rest.length < start + size + 2) return undefined;
    body += rest.slice(start, start + size);
    rest = rest.slice(start + size + 2);
    if (size === 0) return { request: { line, headers, body }, rest };
  }
}

/** A response with a JSON body. */
export function json(status: number, value: unknown, headers = ''): string {
  const text = JSON.stringify(value); // ASCII only
  return `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\n${headers}content-length: ${text.length}\r\n\r\n${text}`;
}

const failures = { 400: 'BAD_JSON', 401: 'NO_SESSION', 404: 'NO_ROUTE' };
export const refusal = (status: keyof typeof failures) =>
  json(status, { errors: { code: failures[status], message: 'No' } });
