import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { RateLimitError } from 'concordat';
import { connectorPlugin } from 'concordat/connector/fastify';
import fastify, { type FastifyReply } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../helpers/until.js';
import { errorsOf, send } from './support/send.js';

const failure = new Error('canary: the stream failed');

/** Some chunks, after which it fails. */
async function* failing(chunks: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < chunks; sent++) {
    yield Buffer.alloc(1000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw failure;
}

const webStream = (chunks: number) => Readable.toWeb(Readable.from(failing(chunks))) as ReadableStream;
const bodies: [string, (chunks: number) => unknown][] = [
  ['a Node stream', (chunks) => Readable.from(failing(chunks))],
  ['a web stream', webStream],
  ['a response', (chunks) => new Response(webStream(chunks), { headers: { 'x-name': 'file' } })],
];
// Older versions send Node's streams only.
const sent = bodies.slice(0, /^4\.(?:1?\d|2[0-5])\./.test(fastify().version) ? 1 : undefined);

async function start(answer: (reply: FastifyReply) => unknown) {
  const app = fastify();
  const seen: unknown[] = [];
  await app.register(connectorPlugin, { onError: (error) => void seen.push(error) });
  // The scope inside the one of the plugin.
  app.register(async (inner) => {
    inner.get('/file', async (_request, reply) => answer(reply));
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  return { url, seen };
}

test('an error is written as it is, whatever serializer the route has set', async () => {
  const { url } = await start((reply) => {
    reply.serializer((data) => JSON.stringify({ wrapped: data }));
    throw failure;
  });
  expect(errorsOf(await send(url, { path: '/file' })).code).toBe('INTERNAL_ERROR');
});

describe.each(sent)('%s that a Fastify route sends', (_name, bodyOf) => {
  test('goes to `onError` once when it fails in the middle, and breaks the connection (E4)', async () => {
    const { url, seen } = await start((reply) => reply.type('text/plain').send(bodyOf(2)));
    const late = await send(url, { path: '/file' });
    expect([late.status, late.cut]).toEqual([200, true]);
    await until(() => seen.length > 0);
    expect(seen).toEqual([failure]);
    expect(seen[0]).toBe(failure);
  });

  test('is reset in HTTP/1.0, where the end of a connection is the end of the body', async () => {
    const { url, seen } = await start((reply) => reply.type('text/plain').send(bodyOf(2)));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('GET /file HTTP/1.0\r\n\r\n');
    socket.resume();
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(seen).toEqual([failure]);
  });

  test('gets a 500 when it fails before its first byte', async () => {
    const { url, seen } = await start((reply) => reply.type('text/plain').send(bodyOf(0)));
    const answer = await send(url, { path: '/file' });
    expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(seen).toEqual([failure]);
  });

  test('is no failure when the service closes the connection', async () => {
    const { url, seen } = await start((reply) => reply.type('text/plain').send(bodyOf(2000)));
    const outgoing = request(`${url}/file`).end();
    outgoing.on('error', () => {});
    const [response] = await once(outgoing, 'response');
    await once(response, 'data');
    outgoing.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen).toEqual([]);
  });
});

const unsendable = { 'x-title': '日本' };

test.each<[string, (reply: FastifyReply) => unknown, number, string]>([
  ['a rate limit', (reply) => reject(reply, new RateLimitError('slow', { retryAfterMs: 5000 })), 403, 'RATE_LIMITED'],
  ['a success', (reply) => reply.headers(unsendable).send({ fine: true }), 500, 'INTERNAL_ERROR'],
])(
  'a header that Node refuses to send does not change what an error is: %s (E1, W2)',
  async (_what, answer, ...wanted) => {
    const { url, seen } = await start(answer);
    const sent = await send(url, { path: '/file' });
    expect([sent.status, errorsOf(sent).code]).toEqual(wanted);
    expect(sent.headers['retry-after']).toBe(wanted[0] === 403 ? '5' : undefined);
    expect(sent.headers['x-title']).toBeUndefined();
    expect(seen).toHaveLength(1);
  },
);

function reject(reply: FastifyReply, error: Error): never {
  reply.headers(unsendable);
  throw error;
}

test('a hook that fails while a response is sent reveals nothing, and other headers stay (E4)', async () => {
  const app = fastify();
  const seen: unknown[] = [];
  const failure = new Error('canary: connect ECONNREFUSED 10.0.0.7');
  await app.register(connectorPlugin, { onError: (error) => void seen.push(error) });
  const onSend = async () => {
    throw failure;
  };
  app.get('/', { onSend }, async (_request, reply) => {
    reply.headers({ 'x-request-id': 'id-1', 'content-length': '2' });
    return 'ok';
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const answer = await send(url);
  expect([answer.status, errorsOf(answer).code, answer.headers['x-request-id']]).toEqual([
    500,
    'INTERNAL_ERROR',
    'id-1',
  ]);
  expect(seen).toEqual([failure]);
});

test('headers that are about the connection stay (E4)', async () => {
  const { url } = await start((reply) => {
    reply.headers({ connection: 'close', 'proxy-authenticate': 'Basic' });
    throw failure;
  });
  expect((await send(url, { path: '/file' })).headers).toMatchObject({
    connection: 'close',
    'proxy-authenticate': 'Basic',
  });
});
