// What `close()` does to connections, beside what serve.test.ts and serve-restart.test.ts show of it.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Agent, createServer as createSecureServer, request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { gracefulClose } from 'concordat/connector/node';
import { expect, onTestFinished, test } from 'vitest';
import { certificate } from './support/certificate.js';

/** A grace that no test lives to see the end of: what is over before did not need it. */
const graceMs = 3_600_000;

async function listening(server: Server) {
  const close = gracefulClose(server);
  server.on('request', (_request, response) => setImmediate(() => setImmediate(() => response.end('done'))));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { close, port: (server.address() as AddressInfo).port };
}

test.each([undefined, {}, { close: () => {} }])('%j is no server: a TypeError', (server) => {
  expect(() => gracefulClose(server as never)).toThrow(
    new TypeError('`server` must be a server of node:http, node:https or node:http2.'),
  );
});

test.each<[string, (server: Server) => unknown]>([
  ['never listened', () => {}],
  ['could not listen', (server) => once(server.listen(1, '192.0.2.1'), 'error')],
  [
    'was closed already',
    (server) =>
      once(
        server.listen(0, '127.0.0.1', () => void server.close()),
        'close',
      ),
  ],
])('a server that %s is closed', async (_what, before) => {
  const server = createServer();
  const close = gracefulClose(server);
  await before(server);
  await close();
});

test('without connections a server takes no more of them at once', async () => {
  const server = createServer();
  const { close } = await listening(server);
  const closed = close({ graceMs });
  expect(server.listening).toBe(false);
  await closed;
});

test('an idle connection of TLS ends, however long the server would have kept it', async () => {
  const server = createSecureServer({ ...certificate, keepAliveTimeout: graceMs });
  const { close, port } = await listening(server);
  const answered = once(server, 'request').then(([, response]) => once(response, 'close'));
  const agent = new Agent({ keepAlive: true, ca: certificate.cert });
  onTestFinished(() => agent.destroy());
  await new Promise<void>((resolve, reject) => {
    request({ port, agent }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
  await answered;
  await close({ graceMs });
});

test('a request that has arrived by the time that its connection would end is answered', async () => {
  const { close, port } = await listening(createServer());
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const gone = once(socket, 'close');
  let answers = '';
  socket.on('data', (text) => {
    answers += text;
  });
  const ask = 'GET / HTTP/1.1\r\nhost: h\r\n\r\n';
  socket.write(ask);
  await expect.poll(() => answers).toContain('done');
  // Here the event loop goes on with its timers, and reads sockets only after them.
  await new Promise(setImmediate);
  const closed = close({ graceMs });
  socket.write(ask);
  for (const start = performance.now(); performance.now() - start < 400; );
  await Promise.all([closed, gone]);
  expect(answers.match(/done/g)).toHaveLength(2);
});

test('a connection whose response had begun has 250 ms for one more request, as any other', async () => {
  const server = createServer();
  const close = gracefulClose(server);
  server.on('request', (_request, response) => response.write('begun'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const asked = once(server, 'request');
  socket.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n');
  const [incoming, response] = await asked;
  await once(socket, 'data');
  const closed = close({ graceMs });
  response.end();
  await once(response, 'finish');
  // Node itself would add a second, in versions in which that cannot be set.
  expect(incoming.socket.timeout).toBe(250);
  socket.resume();
  await closed;
});
