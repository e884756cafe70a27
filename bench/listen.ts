import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Starts a server on a free port. @returns its address */
export async function listen(server: Server, backlog?: number): Promise<string> {
  server.listen({ port: 0, host: '127.0.0.1', backlog });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
