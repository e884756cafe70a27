// A server that costs little: it writes as many bytes as the path says, from one buffer, as fast as they are read, and counts
// those that are sent to it.
import { createServer } from 'node:http';
import { listen } from '../listen.js';
import { answerCommands } from '../worker.js';

const chunk = Buffer.alloc(65_536, 'x');
const session = JSON.stringify([{ key: 'x-session', value: 'bench-session-0001', sensitive: true }]);

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(session);
    return;
  }
  if (request.method === 'PUT') {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(String(bytes)));
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
  listen: () => listen(server),
});
