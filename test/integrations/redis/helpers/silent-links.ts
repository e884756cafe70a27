import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection and its continuation to the server. While it is silent nothing passes, and nobody is told. */
export interface Link {
  readonly near: Socket;
  readonly far: Socket;
  /** What was sent to the server, also in vain. */
  sent: string;
  silent: boolean;
}

/** A way to a server on which connections can die as behind a load balancer. New links go into the list. */
export async function openLinks(targetPort: number, isSilent: () => boolean = () => false) {
  const links: Link[] = [];
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
    const link: Link = { near, far, sent: '', silent: isSilent() };
    links.push(link);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => !link.silent && to.write(bytes));
      from.on('end', () => !link.silent && to.end());
      from.on('error', () => !link.silent && to.destroy());
    };
    near.on('data', (bytes) => (link.sent += bytes));
    pass(near, far);
    pass(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${port}`,
    links,
    close() {
      for (const { near, far } of links) for (const socket of [near, far]) socket.destroy();
      server.close();
    },
  };
}
