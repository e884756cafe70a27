// A server that costs next to nothing: it counts the requests that arrive and writes as many ready-made answers, so that
// requests per second say something about the clients.
import { createServer } from 'node:net';
import { listen } from '../listen.js';
import { answerCommands } from '../worker.js';

const issue = JSON.stringify({
  id: 7,
  key: 'ISSUE-7',
  title: 'The export stops after the first page',
  open: true,
  labels: ['export', 'paging', 'customer'],
  reporter: { id: 'u-1', name: 'Ada Lovelace', email: 'ada@example.com' },
  text: 'x'.repeat(1024),
});
const body = `${issue.slice(0, 1022)}"}`;
const answer = write('200 OK', body);
const session = write('200 OK', JSON.stringify([{ key: 'x-session', value: 'bench-session-0001', sensitive: true }]));

/** While it is set every request is refused: so many seconds are to be waited. */
let refuseForSeconds: number | undefined;

function write(status: string, text: string, header = ''): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\n${header}` +
      `date: ${new Date().toUTCString()}\r\nconnection: keep-alive\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

function refusal(seconds: number): Buffer {
  const text = JSON.stringify({ errors: { code: 'RATE_LIMITED', message: 'Too many requests' } });
  return write('403 Forbidden', text, `retry-after: ${seconds}\r\n`);
}

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    for (let end = bytes.indexOf('\r\n\r\n'); end !== -1; end = bytes.indexOf('\r\n\r\n', end + 4)) {
      if (bytes.indexOf('POST ') === 0) socket.write(session);
      else socket.write(refuseForSeconds === undefined ? answer : refusal(refuseForSeconds));
    }
  });
});

answerCommands({
  listen: () => listen(server, 10_000),
  refuse: (seconds: number | undefined) => {
    refuseForSeconds = seconds;
  },
});
