import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LossyProxy {
  url: string;
  /** What happened to the creations that went wrong, in order. */
  lost: ('answer' | 'request')[];
  close(): Promise<void>;
}

/**
 * Stands before a GitHub and spoils some creations: of some it cuts the connection after GitHub has created the issue, of
 * others before GitHub sees them. The caller cannot tell one from the other.
 */
export async function startLossyProxy(
  apiUrl: string,
  spoil: Record<number, 'answer' | 'request'>,
): Promise<LossyProxy> {
  const lost: ('answer' | 'request')[] = [];
  let creations = 0;
  const server = createServer((request, response) => {
    const kind = request.method === 'POST' ? spoil[++creations] : undefined;
    if (kind !== undefined) lost.push(kind);
    if (kind === 'request') {
      request.socket.destroy();
      return;
    }
    const { method, headers } = request;
    const onward = forward(apiUrl + request.url, { method: method ?? 'GET', headers }, (answer) => {
      if (kind === 'answer') {
        answer.resume().once('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
