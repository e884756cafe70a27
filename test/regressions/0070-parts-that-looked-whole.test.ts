import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection, until } from '../helpers/until.js';

// A stream that broke off went on with whatever a 206 held: files came out short, mixed or too long, and looked whole.

const bytesOf = async (body: ReadableStream<Uint8Array>) => Buffer.from(await new Response(body).arrayBuffer());
const etag = '"a"';

/** The first response breaks off after "hello" of ten bytes; every other one is the given part. */
const breaksOnce =
  (headers: Record<string, string>, part: string | Buffer) =>
  ({ number, response }: Exchange) => {
    if (number === 1) {
      response.writeHead(200, { etag, 'accept-ranges': 'bytes', 'content-length': 10 });
      response.write('hello', () => response.destroy());
      return;
    }
    response.writeHead(206, { etag, 'content-length': Buffer.byteLength(part), ...headers });
    response.end(part);
  };

describe('a part that does not fit is no end of a stream (D2)', () => {
  const parts: [string, Record<string, string>, string | Buffer][] = [
    ['another length of the whole', { 'content-range': 'bytes 5-6/7' }, 'wo'],
    ['a length that nobody tells', { 'content-range': 'bytes 5-6/*' }, 'wo'],
    ['no bytes, again and again', { 'content-range': 'bytes 5-9/10' }, ''],
    ['more than there is', { 'content-range': 'bytes 5-9/10' }, 'world and more'],
    ['another file', { 'content-range': 'bytes 5-9/10', etag: '"b"' }, 'other'],
    ['no etag', { 'content-range': 'bytes 5-9/10', etag: '' }, 'other'],
    ['another packing', { 'content-range': 'bytes 5-9/10', 'content-encoding': 'gzip' }, gzipSync('world')],
  ];
  it.each(parts)('%s', async (_what, headers, part) => {
    const connector = await scriptedConnector({ handle: breaksOnce(headers, part) });
    const { body } = await connect(connector).stream('/files/7');
    expect(await rejection(bytesOf(body))).toMatchObject({ name: 'RequestError', code: 'NETWORK_ERROR' });
  });

  it('control: parts that fit are put together, however small', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => {
        const from = Number(/\d+/.exec(exchange.headers.range ?? '')?.[0] ?? 0);
        breaksOnce({ 'content-range': `bytes ${from}-${from}/10` }, 'helloworld'.charAt(from))(exchange);
      },
    });
    const { body } = await connect(connector).stream('/files/7');
    expect(String(await bytesOf(body))).toBe('helloworld');
    expect(connector.requests).toHaveLength(6);
  });
});

it('fewer bytes than the head says are no whole file, from a fetch that does not count (D2)', async () => {
  const fetch = async (input: unknown) =>
    String(input).endsWith('/initialize')
      ? Response.json({ 'x-session': 'abc' })
      : new Response('hello', { headers: { 'content-length': '10' } });
  const { body } = await connect({ url: 'http://in.process' }, { fetch: fetch as typeof globalThis.fetch }).stream(
    '/f',
  );
  expect(await rejection(bytesOf(body))).toMatchObject({ code: 'NETWORK_ERROR' });
});

it('nothing is asked for in a packing that a fetch would unpack without looking for its end (D1)', async () => {
  const connector = await scriptedConnector({ handle: ({ reply }) => reply(200, { ok: true }) });
  await connect(connector, { fetch: globalThis.fetch }).get('/items');
  expect(connector.requests[0]?.headers['accept-encoding']).toBe('identity');
});

it('a part that was not asked for is no success (D1)', async () => {
  const connector = await scriptedConnector({
    handle: ({ reply }) => reply(206, 'hello', { 'content-range': 'bytes 0-4/100' }),
  });
  const client = connect(connector);
  expect(await rejection(client.get('/files/7'))).toMatchObject({ code: 'UNEXPECTED_STATUS', status: 206 });
  expect(await rejection(client.stream('/files/7'))).toMatchObject({ code: 'UNEXPECTED_STATUS', status: 206 });
  const asked = await client.request({ method: 'GET', path: '/files/7', headers: { range: 'bytes=0-4' } });
  expect(asked.status).toBe(206);
});

it('nor does a stream of it hold a connection or a place (G4)', async () => {
  const connector = await scriptedConnector({
    handle: ({ path, response, reply }) => {
      if (path === '/items') return reply(200, { ok: true });
      response.writeHead(206, { 'content-range': 'bytes 0-9999999/20000000', 'content-length': 10_000_000 });
      response.write(Buffer.alloc(9_000_000));
    },
  });
  const client = connect(connector, { concurrency: 1 });
  expect(await rejection(client.stream('/files/7'))).toMatchObject({ code: 'UNEXPECTED_STATUS', status: 206 });
  expect(await client.get('/items')).toEqual({ ok: true });
  await until(() => connector.sockets.size === 1);
});

it('the rest of a stream goes before whoever waits, who may be read later (G9)', async () => {
  const content = randomBytes(400_000);
  const connector = await scriptedConnector({
    handle: ({ path, number, headers, response }) => {
      const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
      const head = { etag, 'accept-ranges': 'bytes', 'content-length': content.length - from };
      if (path === '/b') {
        response.writeHead(200, { 'content-length': 10_000_000 });
        response.write(Buffer.alloc(9_000_000));
      } else if (number === 1) {
        response.writeHead(200, head);
        response.write(content.subarray(0, 300_000), () => response.destroy());
      } else {
        response.writeHead(206, { ...head, 'content-range': `bytes ${from}-399999/400000` });
        response.end(content.subarray(from));
      }
    },
  });
  const client = connect(connector, { concurrency: 1 });
  const first = await client.stream('/a');
  const second = client.stream('/b');
  expect((await bytesOf(first.body)).equals(content)).toBe(true);
  await (await second).body.cancel();
});

it('a login that succeeded in a packing that is broken is not shown on its error (E9)', async () => {
  const connector = await scriptedConnector({
    initialize: ({ reply }) => reply(200, 'no gzip', { 'content-encoding': 'gzip', 'x-sid': 'canary-5e55-10n0' }),
  });
  const error = await rejection(connect(connector, { retry: { retries: 0 } }).get('/items'));
  expect(error.name).toBe('InitializeError');
  expect((error as { response?: unknown }).response).toBeUndefined();
  expect((error.cause as { response?: unknown } | undefined)?.response).toBeUndefined();
});

it('secrets are found as other languages write JSON (E5)', async () => {
  const secret = 'Ab/9+xy==Zq8/7&ü<canary>';
  const written = [
    JSON.stringify(secret).replaceAll('/', '\\/'),
    JSON.stringify(secret).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
    JSON.stringify(secret).replace('ü', '\\u00fc'),
  ];
  const connector = await scriptedConnector({
    handle: ({ number, reply }) =>
      reply(409, `{"echo":${written[number - 1]}}`, { 'content-type': 'application/json' }),
  });
  const client = connect(connector, {
    initialize: { parameters: [{ key: 'password', value: secret, sensitive: true }] },
  });
  for (const _ of written) {
    const error = (await rejection(client.get('/items'))) as unknown as { response: { text: string } };
    expect(error.response.text).toBe('{"echo":"[redacted]"}');
  }
});
