import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { ConnectorClient, ConnectorClientOptions } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, until } from '../helpers/until.js';

const bytesOf = async (body: ReadableStream<Uint8Array>) => Buffer.from(await new Response(body).arrayBuffer());
const content = randomBytes(3_000_000);
const wholeFile = ({ response }: Exchange) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': content.length });
  response.end(content);
};

const transports: [string, () => Partial<ConnectorClientOptions>][] = [
  ['undici', () => ({})],
  ['fetch', () => ({ fetch: globalThis.fetch })],
];

describe.each(transports)('a stream by %s (D2)', (_name, transport) => {
  it('hands on head and body as they are', async () => {
    const connector = await scriptedConnector({ handle: wholeFile });
    const { status, headers, body } = await connect(connector, transport()).stream('/files/7');
    expect(status).toBe(200);
    expect(headers.get('content-length')).toBe(String(content.length));
    expect((await bytesOf(body)).equals(content)).toBe(true);
    expect(connector.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('is also what `responseType` gives, and an empty body is an empty stream', async () => {
    const connector = await scriptedConnector({ handle: ({ reply }) => reply(204) });
    const client = connect(connector, transport());
    const { status, data } = await client.request<ReadableStream<Uint8Array>>({
      method: 'GET',
      path: '/files/7',
      responseType: 'stream',
    });
    expect(status).toBe(204);
    expect((await bytesOf(data)).length).toBe(0);
  });

  it('is empty where the connector says that nothing has changed (D1)', async () => {
    const connector = await scriptedConnector({ handle: ({ reply }) => reply(304, undefined, { etag: '"v1"' }) });
    const client = connect(connector, transport());
    const { status, headers, body } = await client.stream('/files/7', { headers: { 'if-none-match': '"v1"' } });
    expect(status).toBe(304);
    expect(headers.get('etag')).toBe('"v1"');
    expect((await bytesOf(body)).length).toBe(0);
  });

  it('comes after logins, limits and retries are over', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => {
        if (exchange.number === 1) return exchange.limit(0);
        if (exchange.number === 2) return exchange.reply(503);
        if (exchange.number === 3) return exchange.reply(401);
        return wholeFile(exchange);
      },
    });
    const client = connect(connector, transport());
    const { body } = await client.stream('/files/7');
    expect((await bytesOf(body)).equals(content)).toBe(true);
    expect(client.status.counters).toMatchObject({ refused: 1, retries: 1, logins: 2 });
  });

  it('rejects with the error of the contract where there is no success', async () => {
    const connector = await scriptedConnector({ handle: ({ fail }) => fail(404, 'NO_FILE', 'No such file') });
    const error = await rejection(connect(connector, transport()).stream('/files/7'));
    expect(error).toMatchObject({ kind: 'not-found', code: 'NO_FILE' });
  });

  it('is broken off by an error, never a short file', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        response.writeHead(200, { 'content-length': content.length });
        response.write(content.subarray(0, 100_000), () => response.destroy());
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7');
    expect(await rejection(bytesOf(body))).toMatchObject({ name: 'RequestError', code: 'NETWORK_ERROR', status: 200 });
    expect(connector.requests).toHaveLength(1);
  });

  it('goes on where it broke off, where the connector takes ranges', async () => {
    const etag = '"v1"';
    const connector = await scriptedConnector({
      handle: ({ headers, response, number }) => {
        const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
        const head = { etag, 'accept-ranges': 'bytes', 'content-length': content.length - from };
        const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
        response.writeHead(headers.range === undefined ? 200 : 206, { ...head, ...(headers.range && range) });
        if (number === 3) response.end(content.subarray(from));
        else response.write(content.subarray(from, from + 700_001), () => response.destroy());
      },
    });
    const client = connect(connector, transport());
    const { body } = await client.stream('/files/7', { query: { of: 7 } });
    expect((await bytesOf(body)).equals(content)).toBe(true);
    expect(connector.requests).toHaveLength(3);
    expect(client.status.counters.calls).toBe(1);
    expect(connector.requests[1]?.path).toBe('/files/7?of=7');
    expect(connector.requests[1]?.headers).toMatchObject({
      'if-range': etag,
      range: expect.stringMatching(/^bytes=\d+-$/),
    });
  });

  it('does not go on where the caller says that the request must not be repeated (G7)', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        const head = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': content.length };
        response.writeHead(200, head).write(content.subarray(0, 1000), () => response.destroy());
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7', { idempotent: false });
    expect(await rejection(bytesOf(body))).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(connector.requests).toHaveLength(1);
  });

  it('does not flood a connector whose connections bring little: it waits as before a retry', async () => {
    const arrivals: number[] = [];
    const connector = await scriptedConnector({
      handle: ({ headers, response }) => {
        arrivals.push(clock.monotonic());
        const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
        const head = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': 4 - from };
        const range = { 'content-range': `bytes ${from}-3/4` };
        response.writeHead(headers.range === undefined ? 200 : 206, { ...head, ...(headers.range && range) });
        if (from === 3) response.end('d');
        else response.write('abcd'.slice(from, from + 1), () => response.destroy());
      },
    });
    const retry = { minTimeoutMs: 1000, maxTimeoutMs: 1000 };
    const { client, clock } = connectVirtually(connector, { ...transport(), retry });
    const { body } = await client.stream('/files/7');
    expect(String(await clock.runUntil(bytesOf(body)))).toBe('abcd');
    expect(arrivals).toEqual([0, 0, 1000, 2000]);
  });

  it('does not hold up `close()` while it waits for that, and tells its reader at once', async () => {
    const connector = await scriptedConnector({
      handle: ({ headers, response }) => {
        const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
        const head = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': 9 - from };
        const range = { 'content-range': `bytes ${from}-8/9` };
        response.writeHead(headers.range === undefined ? 200 : 206, { ...head, ...(headers.range && range) });
        response.write('d', () => response.destroy());
      },
    });
    const retry = { minTimeoutMs: 1000, maxTimeoutMs: 1000 };
    const { client, clock } = connectVirtually(connector, { ...transport(), retry });
    const { body } = await client.stream('/files/7');
    const reading = rejection(bytesOf(body));
    await until(() => connector.requests.length === 2 && connector.open.length === 0 && clock.pending === 1);
    await client.close();
    expect(await reading).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(clock.pending).toBe(0);
  });

  it('does not send a POST again', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        const head = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': content.length };
        response.writeHead(200, head).write(content.subarray(0, 1000), () => response.destroy());
      },
    });
    const { body } = await connect(connector, transport()).stream('/export', { method: 'POST', json: { from: 1 } });
    expect(await rejection(bytesOf(body))).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(connector.requests).toHaveLength(1);
  });

  it('does not go on with what is not the file itself, but made of it on its way (203)', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        const head = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': content.length };
        response.writeHead(203, head).write(content.subarray(0, 1000), () => response.destroy());
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7');
    expect(await rejection(bytesOf(body))).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(connector.requests).toHaveLength(1);
  });

  it('does not go on where the tag is weak, and tells of the broken connection', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        const head = { etag: 'W/"v1"', 'accept-ranges': 'bytes', 'content-length': content.length };
        response.writeHead(200, head).write(content.subarray(0, 1000), () => response.destroy());
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7');
    expect(await rejection(bytesOf(body))).toMatchObject({ code: 'NETWORK_ERROR', cause: expect.any(Error) });
    expect(connector.requests).toHaveLength(1);
  });

  it('does not go on with another file', async () => {
    const connector = await scriptedConnector({
      handle: ({ response, number }) => {
        response.writeHead(200, { etag: `"v${number}"`, 'accept-ranges': 'bytes', 'content-length': content.length });
        if (number === 2) response.end(content);
        else response.write(content.subarray(0, 700_001), () => response.destroy());
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7');
    const error = await rejection(bytesOf(body));
    expect(error).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(String(error.cause)).toContain('sent status 200');
    await until(() => connector.sockets.size <= 1);
  });

  it('says why the rest was refused, and counts every attempt (E9)', async () => {
    const connector = await scriptedConnector({
      handle: ({ fail, number, response }) => {
        if (number % 2 === 1) return fail(503, 'BUSY', 'Too busy');
        if (number === 4) return fail(404, 'NO_FILE', 'The file is gone');
        response.writeHead(200, { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': content.length });
        return response.write(content.subarray(0, 1000), () => response.destroy());
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7');
    const error = await rejection(bytesOf(body));
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', status: 200, attempts: 4, cause: { code: 'NO_FILE' } });
    expect(error.message).toMatch(/; the rest could not be requested: 404 NO_FILE: The file is gone$/);
    expect(connector.requests).toHaveLength(4);
  });

  const rest = `bytes 1000-${content.length - 1}/${content.length}`;
  it.each<[string, Record<string, string>]>([
    ['of which it does not know where it belongs', { 'content-range': `${rest}, 0-1/2` }],
    ['that begins elsewhere', { 'content-range': rest.replace('1000', '1001') }],
    ['of another file', { 'content-range': rest, etag: '"v2"' }],
    // A broken one, for `fetch`, which unpacks it before anybody sees the head.
    ['that is packed, when the beginning was not', { 'content-range': rest, 'content-encoding': 'gzip' }],
  ])('does not go on with a part %s', async (_what, headers) => {
    const connector = await scriptedConnector({
      handle: ({ response, number }) => {
        const head = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': content.length };
        if (number === 1) {
          response.writeHead(200, head);
          response.write(content.subarray(0, 1000), () => response.destroy());
        } else {
          response.writeHead(206, { ...head, 'content-length': content.length - 1000, ...headers });
          response.end(content.subarray(1000));
        }
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7');
    const error = await rejection(bytesOf(body).then(({ length }) => length));
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', cause: expect.any(Error) });
    if (!headers['content-encoding'])
      expect(String(error.cause)).toMatch(/part (?:of another file|that was not requested)/);
  });

  it('does not go on for ever where nothing comes', async () => {
    const connector = await scriptedConnector({
      handle: ({ headers, response }) => {
        const isPart = headers.range !== undefined;
        const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
        response.writeHead(isPart ? 206 : 200, {
          etag: '"v1"',
          'accept-ranges': 'bytes',
          'content-length': content.length - from,
          ...(isPart && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
        });
        if (isPart) response.flushHeaders();
        if (isPart) setTimeout(() => response.destroy(), 5);
        else response.write(content.subarray(0, 1000), () => response.destroy());
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7');
    const error = await rejection(bytesOf(body));
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', attempts: connector.requests.length });
    expect(connector.requests.length).toBeLessThan(10);
  });

  it('requests no rest for a reader who has left', async () => {
    const connector = await scriptedConnector({
      handle: ({ number, response, limit }) => {
        if (number > 1) return limit(3600);
        response.writeHead(200, { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': content.length });
        return response.write(content.subarray(0, 1000), () => response.destroy());
      },
    });
    const { client, clock } = connectVirtually(connector, transport());
    const { body } = await client.stream('/files/7');
    const reader = body.getReader();
    await reader.read();
    await until(() => client.status.paused);
    expect(connector.requests).toHaveLength(2);
    await reader.cancel();
    await clock.advance(4_000_000);
    await grace();
    expect(connector.requests).toHaveLength(2);
    await client.close();
  });

  it('ends with the reason of the signal, and frees the connection', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        response.writeHead(200);
        response.write('beginning');
      },
    });
    const controller = new AbortController();
    const { body } = await connect(connector, transport()).stream('/files/7', { signal: controller.signal });
    const reader = body.getReader();
    await reader.read();
    const reading = reader.read();
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await rejection(reading)).toBe(reason);
    await until(() => connector.requests[0]?.socket.destroyed === true);
  });

  it('gives place, socket and listeners back when it is cancelled', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => {
        if (exchange.number > 1) return exchange.reply(200, {});
        exchange.response.writeHead(200);
        exchange.response.write('beginning');
      },
    });
    const client = connect(connector, { ...transport(), concurrency: 1 });
    const { body } = await client.stream('/files/7');
    const next = client.get('/items');
    await grace();
    expect(connector.requests).toHaveLength(1);
    await body.cancel();
    await next;
    await until(() => connector.requests[0]?.socket.destroyed === true);
    await client.close();
  });

  it('fails after a silence of `timeoutMs`, and not while nobody reads', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        response.writeHead(200);
        response.write(content.subarray(0, 2_000_000));
      },
    });
    const { client, clock } = connectVirtually(connector, { ...transport(), timeoutMs: 5000 });
    const { body } = await client.stream('/files/7');
    await grace();
    await clock.advance(60_000);
    const reader = body.getReader();
    let received = 0;
    while (received < 2_000_000) received += (await reader.read()).value?.length ?? 0;
    const reading = rejection(reader.read());
    await grace();
    await clock.advance(5000);
    expect(await reading).toMatchObject({ name: 'RequestError', code: 'TIMEOUT' });
  });

  it('names the `timeoutMs` of the call in its error', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => void response.writeHead(200, { 'content-length': 10 }).write('begun'),
    });
    const { client, clock } = connectVirtually(connector, { ...transport(), timeoutMs: 5000 });
    const { body } = await client.stream('/files/7', { timeoutMs: 1000 });
    const reading = rejection(bytesOf(body));
    await grace();
    await clock.advance(1000);
    expect((await reading).message).toContain('no data arrived within 1000 ms');
  });

  it('is not bounded by `maxResponseBytes`, but by `maxStreamBytes`', async () => {
    const connector = await scriptedConnector({ handle: wholeFile });
    const client = connect(connector, { ...transport(), maxResponseBytes: 1000 });
    expect((await bytesOf((await client.stream('/files/7')).body)).equals(content)).toBe(true);
    const exact = connect(connector, { ...transport(), maxStreamBytes: content.length });
    expect((await bytesOf((await exact.stream('/files/7')).body)).length).toBe(content.length);
    const bounded = connect(connector, { ...transport(), maxStreamBytes: content.length - 1 });
    const error = await rejection(bytesOf((await bounded.stream('/files/7')).body));
    expect(error).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
    expect(error.message).toContain('the response is larger than `maxStreamBytes`');
  });

  it('reads no more of a connection than a little ahead of the caller', async () => {
    let written = 0;
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(65_536);
        const write = () => {
          while (!response.destroyed && written < 1e9) {
            written += chunk.length;
            if (!response.write(chunk)) return void response.once('drain', write);
          }
        };
        write();
      },
    });
    const { body } = await connect(connector, transport()).stream('/files/7');
    await grace();
    let before = -1;
    await until(() => {
      const isStill = written === before;
      before = written;
      return isStill;
    });
    // The buffers of both ends of a socket, and what is read ahead.
    expect(written).toBeLessThan(64 * 1024 * 1024);
    await body.cancel();
  });

  it('is waited for by close()', async () => {
    const connector = await scriptedConnector({ handle: wholeFile });
    const client = connect(connector, transport());
    const { body } = await client.stream('/files/7');
    let isClosed = false;
    const closing = client.close().then(() => (isClosed = true));
    await grace();
    expect(isClosed).toBe(false);
    expect((await bytesOf(body)).equals(content)).toBe(true);
    await closing;
  });

  it('ends with close({ graceMs }), when that time is over', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        response.writeHead(200);
        response.write('beginning');
      },
    });
    const { client, clock } = connectVirtually(connector, transport());
    const { body } = await client.stream('/files/7');
    const reader = body.getReader();
    await reader.read();
    const reading = rejection(reader.read());
    const closing = client.close({ graceMs: 1000 });
    await clock.advance(1000);
    expect(await reading).toMatchObject({ code: 'CLIENT_CLOSED', path: '/files/7' });
    await closing;
    await until(() => connector.requests[0]?.socket.destroyed === true);
  });

  it('goes from one connector to another, and is sent again as a whole', async () => {
    const source = await scriptedConnector({ handle: wholeFile });
    const seen: string[] = [];
    const target = await scriptedConnector({
      handle: (exchange) => {
        if (exchange.number === 1) return exchange.limit(0);
        if (exchange.number === 2) return exchange.reply(401);
        seen.push(createHash('sha256').update(exchange.body).digest('hex'));
        return exchange.reply(201, { id: 1 });
      },
    });
    const from = connect(source, transport());
    const to = connect(target, transport());
    const file = async () => (await from.stream('/files/7')).body;
    expect(await to.put('/files/7', { body: file })).toEqual({ id: 1 });
    expect(seen).toEqual([createHash('sha256').update(content).digest('hex')]);
    await until(() => source.open.length === 0);
    await Promise.all([from.close(), to.close()]);
  });

  it('refuses a schema', async () => {
    const connector = await scriptedConnector();
    const options = { schema: { safeParse: () => ({ success: true }) } } as object;
    expect(await rejection(connect(connector, transport()).stream('/files/7', options))).toBeInstanceOf(TypeError);
    expect(connector.requests).toHaveLength(0);
  });
});

describe('a stream that is packed although it was asked for as it is (D1)', () => {
  const text = Buffer.from('ä line of text\n'.repeat(20_000));
  const packers: [string, string, (text: Buffer) => Buffer][] = [
    ['gzip', 'gzip', gzipSync],
    ['x-gzip', 'x-gzip', gzipSync],
    ['deflate', 'deflate', deflateSync],
    ['deflate without its wrapper', 'deflate', deflateRawSync],
    ['brotli', 'br', brotliCompressSync],
    ['what was packed twice', 'deflate, br', (text) => brotliCompressSync(deflateRawSync(text))],
    ['nothing', 'gzip, deflate', () => Buffer.alloc(0)],
  ];

  it.each(packers)('%s is unpacked, as without a stream', async (what, encoding, pack) => {
    const expected = what === 'nothing' ? Buffer.alloc(0) : text;
    const connector = await scriptedConnector({
      handle: ({ reply }) => reply(200, pack(text), { 'content-encoding': encoding }),
    });
    const client = connect(connector);
    expect(expected.equals((await client.get('/log', { responseType: 'bytes' })) as Uint8Array)).toBe(true);
    expect((await bytesOf((await client.stream('/log')).body)).equals(expected)).toBe(true);
    const byFetch = connect(connector, { fetch: globalThis.fetch });
    expect((await bytesOf((await byFetch.stream('/log')).body)).equals(expected)).toBe(true);
    // The length is that of what was packed.
    connector.handle = ({ reply }) =>
      reply(200, pack(text), { 'content-encoding': encoding, 'content-length': `${pack(text).length}` });
    expect((await bytesOf((await byFetch.stream('/log')).body)).equals(expected)).toBe(true);
  });

  it('the head of what is packed is an empty stream', async () => {
    const connector = await scriptedConnector({
      handle: ({ reply }) => reply(200, undefined, { 'content-encoding': 'gzip', 'content-length': '7' }),
    });
    const { headers, body } = await connect(connector).stream('/log', { method: 'HEAD' });
    expect(headers.get('content-length')).toBe('7');
    expect((await bytesOf(body)).length).toBe(0);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate, br', (text: Buffer) => brotliCompressSync(deflateSync(text))],
  ])('the connection is free once %s is cancelled, also while nothing comes', async (encoding, pack) => {
    const packed = pack(text);
    const beginnings = [packed.subarray(0, packed.length / 2), packed.subarray(0, 1), Buffer.alloc(0)];
    const connector = await scriptedConnector({
      handle: ({ response, number }) => {
        response.writeHead(200, { 'content-encoding': encoding }).flushHeaders();
        response.write(beginnings[number - 1] as Buffer);
      },
    });
    const client = connect(connector);
    for (const index of beginnings.keys()) {
      const reader = (await client.stream('/log')).body.getReader();
      const isRead = index === 0 && encoding === 'gzip';
      if (isRead) expect((await reader.read()).value?.length).toBeGreaterThan(0);
      await grace();
      await reader.cancel();
      await until(() => connector.requests[index]?.socket.destroyed === true);
    }
  });

  it('what is cut off, broken or unknown is an error', async () => {
    const packed = gzipSync(text);
    const bodies: [Buffer, string][] = [
      [packed.subarray(0, packed.length - 20), 'gzip'],
      [Buffer.from('no gzip at all'), 'gzip'],
      [Buffer.from('no brotli at all'), 'br'],
    ];
    const connector = await scriptedConnector({
      handle: ({ number, reply }) => {
        const [body, encoding] = bodies[number - 1] ?? [text, number === 4 ? 'zstd' : 'gzip, gzip, gzip, gzip'];
        reply(200, body, { 'content-encoding': encoding });
      },
    });
    const client = connect(connector);
    for (const _ of bodies) {
      const { body } = await client.stream('/log');
      const error = await rejection(bytesOf(body));
      expect(error).toMatchObject({ name: 'RequestError', code: 'INVALID_ENCODING' });
      expect(error.message).toMatch(/the response cannot be decompressed: ./);
    }
    const error = await rejection(client.stream('/log'));
    expect(error.code).toBe('INVALID_ENCODING');
    expect(error.message).toContain('the response cannot be decompressed: the content-encoding "zstd" is unknown');
    const often = await rejection(client.stream('/log'));
    expect(often.message).toContain('the response cannot be decompressed: it is compressed too many times');
    await client.close();
  });

  it('what nobody can unpack fails as it does without a stream (E9, G6)', async () => {
    const headers = { 'content-encoding': 'zstd', 'x-session': 'canary-session' };
    const connector = await scriptedConnector({ handle: ({ reply }) => reply(200, text, headers) });
    const client = connect(connector);
    const told: unknown[] = [];
    client.on('error', ({ error }) => told.push(error));
    const whole = await rejection(client.get('/log'));
    const error = await rejection(client.stream('/log'));
    expect(error.message).toBe(whole.message);
    expect(error).toMatchObject({ code: 'INVALID_ENCODING', attempts: 1, response: { status: 200, text: '' } });
    expect([...error.response.headers]).toEqual([...whole.response.headers]);
    expect(error.response.headers.get('x-session')).toBe('[redacted]');
    expect(told).toEqual([whole, error]);
    await client.close(); // no connection is held
  });

  it('a success without a body needs no unpacking', async () => {
    const connector = await scriptedConnector({
      handle: ({ reply }) => reply(204, '', { 'content-encoding': 'zstd' }),
    });
    expect((await bytesOf((await connect(connector).stream('/log')).body)).length).toBe(0);
  });

  it('a bomb stops at `maxStreamBytes`', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const connector = await scriptedConnector({
      handle: ({ reply }) => reply(200, bomb, { 'content-encoding': 'gzip' }),
    });
    const { body } = await connect(connector, { maxStreamBytes: 1_000_000 }).stream('/log');
    const error = await rejection(bytesOf(body));
    expect(error.code).toBe('RESPONSE_TOO_LARGE');
    expect(error.message).toContain('the response is larger than `maxStreamBytes`');
  });
});

const interrupted: [string, (exchange: Exchange) => void, string][] = [
  ['that breaks off', ({ response }) => void response.write('text', () => response.destroy()), 'NETWORK_ERROR'],
  ['that is broken', ({ response }) => response.end('no gzip at all'), 'INVALID_ENCODING'],
];

it.each(interrupted)('the error of a stream %s has the attempts and the response (E9)', async (_what, send, code) => {
  const connector = await scriptedConnector({
    handle: (exchange) => {
      if (exchange.number === 1) return exchange.reply(503);
      const encoding: Record<string, string> = code === 'INVALID_ENCODING' ? { 'content-encoding': 'gzip' } : {};
      exchange.response.writeHead(200, { 'x-session': 'canary-session', 'x-trace': 'of session-1', ...encoding });
      return send(exchange);
    },
  });
  const { body } = await connect(connector).stream('/files/7');
  const error = await rejection(bytesOf(body));
  expect(error).toMatchObject({ code, attempts: 2, response: { status: 200, text: '' } });
  const shown = ['x-session', 'x-trace'].map((name) => error.response.headers.get(name));
  expect(shown).toEqual(['[redacted]', 'of [redacted]']);
  expect(Object.keys(error)).not.toContain('response');
});

it('a Node stream can be made of it', async () => {
  const connector = await scriptedConnector({ handle: wholeFile });
  const { body } = await connect(connector).stream('/files/7');
  const chunks: Buffer[] = [];
  for await (const chunk of Readable.fromWeb(body as never)) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(content)).toBe(true);
});

describe('a client whose places are all taken by streams that nobody has read for a second goes on (G9)', () => {
  /** Files are stored; how many are open at once is counted. */
  async function fileStore() {
    const stored = new Map<string, number>();
    const store = { most: 0, stored };
    let open = 0;
    const connector = await scriptedConnector({
      early: true,
      handle: async (exchange) => {
        open++;
        store.most = Math.max(store.most, open);
        exchange.response.on('close', () => open--);
        if (exchange.method === 'GET') return wholeFile(exchange);
        let bytes = 0;
        try {
          for await (const chunk of exchange.response.req) bytes += chunk.length;
        } catch {
          return; // the client gave this attempt up, and makes another
        }
        stored.set(exchange.path, bytes);
        exchange.reply(204);
      },
    });
    return Object.assign(store, { connector });
  }

  const copy = (from: ConnectorClient, to: ConnectorClient, name: string) =>
    to.put(`/copies/${name}`, { body: async () => (await from.stream(`/files/${name}`)).body });
  const names = Array.from({ length: 20 }, (_, index) => String(index));

  it.each(transports)('copying files within one connector, by %s', async (_name, transport) => {
    const store = await fileStore();
    const { client, clock } = connectVirtually(store.connector, { ...transport(), concurrency: 4 });
    await clock.runUntil(Promise.all(names.map((name) => copy(client, client, name))));
    expect([...store.stored.values()]).toEqual(names.map(() => content.length));
    expect(store.most).toBeLessThanOrEqual(6);
  });

  it('copying both ways between two', async () => {
    const [a, b] = [await fileStore(), await fileStore()];
    const { client: first, clock } = connectVirtually(a.connector, { concurrency: 4 });
    const second = connect(b.connector, { clock, concurrency: 4 });
    const copies = names.flatMap((name) => [copy(first, second, name), copy(second, first, name)]);
    await clock.runUntil(Promise.all(copies));
    for (const { stored } of [a, b]) expect(stored.size).toBe(names.length);
  });

  it('asking about a file before reading it', async () => {
    const { connector } = await fileStore();
    connector.handle = (exchange) =>
      exchange.path.startsWith('/files') ? wholeFile(exchange) : exchange.reply(200, 1);
    const { client, clock } = connectVirtually(connector, { concurrency: 2 });
    const sizes = names.map(async (name) => {
      const { body } = await client.stream(`/files/${name}`);
      await client.get(`/about/${name}`);
      return (await bytesOf(body)).length;
    });
    expect(await clock.runUntil(Promise.all(sizes))).toEqual(names.map(() => content.length));
  });

  it('but not while a slow reader reads them now and then: no more are opened', async () => {
    const connector = await scriptedConnector({ handle: wholeFile });
    const { client, clock } = connectVirtually(connector, { concurrency: 2 });
    let wasRead = 0;
    let most = 0;
    const reading = names.slice(0, 12).map(async (name) => {
      const { body } = await client.stream(`/files/${name}`);
      most = Math.max(most, connector.requests.length - wasRead);
      for await (const _chunk of body) await new Promise<void>((resolve) => clock.setTimer(100, resolve));
      wasRead++;
    });
    await clock.runUntil(Promise.all(reading));
    expect(wasRead).toBe(12);
    expect(most).toBeLessThanOrEqual(4); // a body that has arrived has no place, and is being read still
  });

  it('but not while one is being read', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => {
        if (exchange.number === 1) return wholeFile(exchange);
        exchange.response.writeHead(200);
        exchange.response.write('beginning');
      },
    });
    const { client, clock } = connectVirtually(connector, { concurrency: 2 });
    const [unread, slow] = [await client.stream('/unread'), await client.stream('/slow')];
    const next = client.get('/items', { responseType: 'stream' });
    await clock.advance(5000);
    expect(connector.requests).toHaveLength(2);
    await slow.body.cancel();
    await next;
    await unread.body.cancel();
  });
});
