// What connectors send that somebody has written by hand, without this package.
import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';

async function clientOf(listener: RequestListener, options: Partial<ConnectorClientOptions> = {}) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createConnectorClient({ baseUrl, initialize: { parameters: {} }, retry: { retries: 0 }, ...options });
  onTestFinished(() => client.close());
  return client;
}

const login = JSON.stringify([{ key: 'x-user', value: 'M\u00fcller', sensitive: false }]);

describe('in Latin-1', () => {
  const latin1 = { 'content-type': 'application/json; charset=ISO-8859-1' };
  const inLatin1 = (text: string) => Buffer.from(text, 'latin1');

  it('an error is read by its charset, as a success is (E6)', async () => {
    const error = { code: 'NO_MÜLLER', message: 'Kein Eintrag für Müller', detail: 'größer' };
    const client = await clientOf((request, response) => {
      if (request.url === '/initialize') return response.end(login);
      return response.writeHead(404, latin1).end(inLatin1(JSON.stringify({ errors: error })));
    });
    await expect(client.get('/x')).rejects.toMatchObject({ ...error, message: expect.stringContaining(error.message) });
  });

  it('a login is read by its charset', async () => {
    const seen: unknown[] = [];
    const client = await clientOf((request, response) => {
      if (request.url === '/initialize') return response.writeHead(200, latin1).end(inLatin1(login));
      seen.push(request.headers['x-user']);
      return response.end('{}');
    });
    await client.get('/x');
    expect(seen).toEqual(['Müller']);
  });
});

it('a stream that arrived compressed has the headers of what is read, so that they can be passed on (D2)', async () => {
  const packed = gzipSync(Buffer.alloc(100_000));
  const client = await clientOf((request, response) => {
    if (request.url === '/initialize') return response.end('[]');
    const headers = { 'content-type': 'text/csv', 'content-encoding': 'gzip', 'content-length': String(packed.length) };
    return response.writeHead(200, headers).end(packed);
  });
  const { headers, body } = await client.stream('/files/8');
  expect((await new Response(body).arrayBuffer()).byteLength).toBe(100_000);
  expect(Object.fromEntries(headers)).not.toHaveProperty('content-encoding');
  expect(Object.fromEntries(headers)).not.toHaveProperty('content-length');
  expect(headers.get('content-type')).toBe('text/csv');
});

it('the rest of a file may say that its whole length is not known (RFC 9110, 14.4)', async () => {
  const file = Buffer.alloc(200_000, 'abcdefg');
  let isFirst = true;
  const client = await clientOf((request, response) => {
    if (request.url === '/initialize') return response.end('[]');
    const common = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', etag: '"1"' };
    if (isFirst) {
      isFirst = false;
      response.writeHead(200, { ...common, 'content-length': String(file.length) }).write(file.subarray(0, 100_000));
      return setTimeout(() => response.destroy(), 50);
    }
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1]);
    const range = `bytes ${from}-${file.length - 1}/*`;
    const length = String(file.length - from);
    return response
      .writeHead(206, { ...common, 'content-range': range, 'content-length': length })
      .end(file.subarray(from));
  });
  const { body } = await client.stream('/file');
  const hash = createHash('sha256');
  for await (const chunk of body) hash.update(chunk);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(file).digest('hex'));
});

it.each([
  ['undici', undefined],
  ['fetch', globalThis.fetch],
])('a body that is longer than its content-length is the caller’s mistake, over %s (G7)', async (_name, fetch) => {
  const client = await clientOf(
    (request, response) => {
      request.resume().on('error', () => {});
      if (request.url === '/initialize') response.end('[]');
    },
    { fetch, retry: { retries: 2, minTimeoutMs: 1, maxTimeoutMs: 1 } },
  );
  const body = () => Readable.from([Buffer.alloc(10)]);
  const call = client.put('/f', { body, headers: { 'content-length': '5' } });
  await expect(call).rejects.toMatchObject({ code: 'BODY_FAILED', attempts: 1 });
});
