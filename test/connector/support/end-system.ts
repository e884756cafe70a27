import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Reply {
  status: number;
  headers?: Record<string, string> | undefined;
  /** Anything but text becomes JSON. */
  body?: unknown;
}

/** The system behind a connector, of bare node:http, which gives one answer or does as it is told. */
export async function endSystem(reply: Reply | ((request: IncomingMessage, response: ServerResponse) => void)) {
  const server = createServer((request, response) => {
    if (typeof reply === 'function') {
      reply(request, response);
      return;
    }
    const { status, headers = {}, body } = reply;
    const isText = typeof body === 'string' || body === undefined;
    if (!isText) response.setHeader('content-type', 'application/json');
    response.writeHead(status, headers).end(isText ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
