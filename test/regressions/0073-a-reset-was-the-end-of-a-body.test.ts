// A body with neither `content-length` nor chunks ends with its connection. A reset in the middle of one counted as its end,
// so a part of a file looked whole (D2). A reader who wrote such connectors by hand found it.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createConnectorClient } from 'concordat/client';
import { expect, it, onTestFinished } from 'vitest';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\n';

/** Of responses whose body ends with the connection; the first ones do not end as they should. */
async function connector(resets: number) {
  let requests = 0;
  const answer = (socket: Socket) => {
    socket.write(`${head}1;first\n2;sec`);
    // The part arrives first: a reset drops what the system still has of it.
    setTimeout(() => (++requests > resets ? socket.end('ond\n') : socket.resetAndDestroy()), 50);
  };
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => answer(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createConnectorClient({
    baseUrl,
    initialize: async () => ({}),
    retry: { minTimeoutMs: 1, maxTimeoutMs: 1 },
  });
  onTestFinished(() => client.close());
  return { client, requests: () => requests };
}

const whole = '1;first\n2;second\n';

it('a reset in the middle of it is a broken connection, and a GET is sent again', async () => {
  const { client, requests } = await connector(1);
  expect(await client.get('/export')).toBe(whole);
  expect(requests()).toBe(2);
});

it('a POST fails with it, and is not sent again', async () => {
  const { client, requests } = await connector(1);
  await expect(client.post('/export')).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  expect(requests()).toBe(1);
});

it('a stream fails with it', async () => {
  const { client } = await connector(99);
  const read = async () => new Response((await client.stream('/export')).body).text();
  await expect(read()).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
});

it('the end of the connection is its end (control)', async () => {
  const { client, requests } = await connector(0);
  expect(await client.get('/export')).toBe(whole);
  const { body } = await client.stream('/export');
  expect(await new Response(body).text()).toBe(whole);
  expect(requests()).toBe(2);
});
