// A server that costs little: it writes as many bytes as the path says, from one buffer, as fast as they are read.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCommands } from '../worker.js';

const chunk = Buffer.alloc(65_536, 'x');
const session = JSON.stringify([{ key: 'x-session', value: 'bench-session-0001', sensitive: true }]);

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(session);
    return;
  }
  let left = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 0);
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': left });
  const write = () => {
    while (left > 0) {
      const part = left < chunk.length ? chunk.subarray(0, left) : chunk;
      left -= part.length;
      if (!response.write(part)) {
        response.once('drain', write);
        return;
      }
    }
    response.end();
  };
  write();
});

answerCommands({
  listen: () =>
    new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    }),
});
