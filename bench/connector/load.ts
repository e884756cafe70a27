// Sends requests over keep-alive connections and reads the answers to their last byte. It knows no more of HTTP than
// where an answer with a content-length ends, so that the server is what is measured.
import { connect, type Socket } from 'node:net';
import { answerCommands } from '../worker.js';

interface Load {
  port: number;
  count: number;
  connections: number;
}

const request = Buffer.from(
  [
    'GET /issues/7 HTTP/1.1',
    'host: 127.0.0.1',
    'accept: application/json',
    'x-session: bench-session-0001',
    '',
    '',
  ].join('\r\n'),
);
const expectedBody = '{"errors":{"code":"ISSUE_NOT_FOUND","message":"No issue 7"}}';

answerCommands({
  async run({ port, count, connections }: Load) {
    let left = count;
    const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
    const startedAtMs = performance.now();
    await Promise.all(
      sockets.map((socket) =>
        exchange(socket, () => {
          left -= 1;
          return left >= 0;
        }),
      ),
    );
    const wallMs = performance.now() - startedAtMs;
    for (const socket of sockets) socket.destroy();
    return wallMs;
  },
});

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** One request after the other on a connection, for as long as `another` says so. */
function exchange(socket: Socket, another: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const send = () => (another() ? socket.write(request) : resolve());
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString('latin1');
      if (!isWhole(answer)) return;
      if (!answer.startsWith('HTTP/1.1 404 ') || !answer.endsWith(expectedBody)) {
        reject(new Error(`not the answer of the contract: ${answer}`));
        return;
      }
      answer = '';
      send();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    send();
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  if (length === undefined) throw new Error(`an answer without content-length: ${answer}`);
  return answer.length >= end + 4 + Number(length);
}
