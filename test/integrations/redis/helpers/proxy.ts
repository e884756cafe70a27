import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a server through which connections die as behind a load balancer: nothing arrives any more, and nobody is told. */
export async function proxy(targetUrl: string) {
  const { port: targetPort } = new URL(targetUrl);
  const links: { near: Socket; far: Socket; sent: string; silent: boolean }[] = [];
  const state = { swallowsNew: false };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(targetPort), host: '127.0.0.1', allowHalfOpen: true });
    const link = { near, far, sent: '', silent: state.swallowsNew };
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
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    for (const { near, far } of links) for (const socket of [near, far]) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `redis://127.0.0.1:${port}`,
    /** From now on nothing passes through the connections there are, or through those that have sent this word. */
    silence(word = '') {
      for (const link of links) if (link.sent.includes(word)) link.silent = true;
    },
    /** Ends the connections that have sent this word: whoever opened them is told. */
    cut(word: string) {
      for (const { near, sent } of links) if (sent.includes(word)) near.destroy();
    },
    /** Whether new connections are silent from their beginning. */
    swallowNew(swallowsNew: boolean) {
      state.swallowsNew = swallowsNew;
    },
    /** How many were ever opened. */
    get connections() {
      return links.length;
    },
    /** How often this word was sent, also in vain. */
    count: (word: string) => links.reduce((count, { sent }) => count + sent.split(word).length - 1, 0),
  };
}
