import { createHash } from 'node:crypto';
import { createServer, request as nodeRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { limitBody, serve } from 'concordat/connector';
import { Hono, type MiddlewareHandler } from 'hono';
import { serve as serveWithSrvx } from 'srvx';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorsOf, send, sendBytes } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const mebibyte = 1024 * 1024;

/** A route that answers with the length of what it was sent. */
function asText(app: unknown, path: string, ...middleware: MiddlewareHandler[]): void {
  (app as Hono).on('POST', [path], ...middleware, async (c) => c.text(String((await c.req.text()).length)));
}

function connectorWithLimits() {
  const connector = makeConnector({ maxBodyBytes: 1_000 });
  asText(connector, '/default');
  asText(connector, '/small', limitBody(10));
  asText(connector, '/large', limitBody(5_000));
  asText(connector, '/both', limitBody(10), limitBody(5_000));
  const passes: MiddlewareHandler = async (_c, next) => next();
  asText(connector, '/behind', passes, limitBody(5_000));
  connector.use('/files/*', limitBody(5_000));
  asText(connector, '/files/used');
  const part = new Hono();
  asText(part, '/part', limitBody(5_000));
  connector.route('/deep', part);
  connector.post('/unread', limitBody(10), (c) => c.text('unread'));
  return connector;
}

/** Sends so many bytes, with their length or in chunks. */
function upload(url: string, path: string, bytes: number, isChunked: boolean) {
  const body = 'x'.repeat(bytes);
  const headers = { ...withToken, ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}) };
  return send(url, { method: 'POST', path, headers, body });
}

describe.each([
  ['with its length', false],
  ['in chunks', true],
])('limitBody, for a body sent %s (E4)', (_how, isChunked) => {
  test.each([
    ['/default', 1_000],
    ['/small', 10],
    ['/large', 5_000],
    ['/both', 5_000],
    ['/behind', 5_000],
    ['/files/used', 5_000],
    ['/deep/part', 5_000],
  ])('%s takes %i bytes, and no more', async (path, limit) => {
    const url = await start(connectorWithLimits());
    expect(await upload(url, path, limit, isChunked)).toMatchObject({ status: 200, body: String(limit) });
    const refused = await upload(url, path, limit + 1, isChunked);
    expect([refused.status, errorsOf(refused)]).toEqual([
      413,
      { code: 'PAYLOAD_TOO_LARGE', message: `The request body exceeds the limit of ${limit} bytes.` },
    ]);
  });

  test('in a Hono app without a connector it refuses by itself', async () => {
    const app = new Hono();
    app.onError((error) => new Response(error.message, { status: (error as { status?: number }).status ?? 500 }));
    asText(app, '/', limitBody(10));
    const url = await start(app);
    expect((await upload(url, '/', 10, isChunked)).body).toBe('10');
    expect((await upload(url, '/', 11, isChunked)).status).toBe(413);
  });

  test('many more bytes than the limit are refused in an answer that arrives', async () => {
    const url = await start(connectorWithLimits());
    const refused = await upload(url, '/small', 8 * mebibyte, isChunked);
    expect([refused.status, errorsOf(refused).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await upload(url, '/small', 10, isChunked)).status).toBe(200);
  });
});

test('a declared length is refused even where nobody reads the body', async () => {
  const url = await start(connectorWithLimits());
  expect((await upload(url, '/unread', 11, false)).status).toBe(413);
  expect((await upload(url, '/unread', 10, false)).body).toBe('unread');
});

test('middleware that reads the body before the guard is bounded too', async () => {
  const connector = makeConnector({ maxBodyBytes: 100 });
  connector.use(async (c, next) => {
    await c.req.text();
    await next();
  });
  const url = await start(connector);
  expect((await upload(url, '/initialize', 101, true)).status).toBe(413);
  expect((await upload(url, '/initialize', 101, false)).status).toBe(413);
});

test('a declared length fails at once for middleware that reads, before any byte has arrived (E4)', async () => {
  const connector = makeConnector({ maxBodyBytes: 100 });
  const reads: unknown[] = [];
  connector.use(async (c, next) => {
    reads.push(await c.req.text().catch(({ code }) => code));
    await next();
  });
  const head = ['POST / HTTP/1.1', 'host: h', 'connection: close', 'content-length: 101', '', ''];
  expect(await sendBytes(await start(connector), head.join('\r\n'))).toMatch(/^HTTP\/1\.1 413 /);
  expect(reads).toEqual(['PAYLOAD_TOO_LARGE']);
});

test('the limit of a `use` counts for initialize, that of a route in its place does not (D5)', async () => {
  const connector = makeConnector();
  connector.use('/initialize', limitBody(60));
  asText(connector, '/initialize', limitBody(10));
  const url = await start(connector);
  const login = async (password: string) => {
    const body = JSON.stringify({ user: 'alice', password });
    return [body.length, (await send(url, { method: 'POST', path: '/initialize', body })).status];
  };
  expect(await login('x'.repeat(30))).toEqual([60, 200]);
  expect(await login('x'.repeat(31))).toEqual([61, 413]);
});

test('of a body that is refused halfway no more is read than a server throws away', async () => {
  const connector = makeConnector({ maxBodyBytes: 100 });
  asText(connector, '/');
  const part = new Uint8Array(mebibyte);
  let parts = 0;
  const body = new ReadableStream({
    pull(controller) {
      parts += 1;
      controller.enqueue(part);
      if (parts === 200) controller.close();
    },
  });
  const init = { method: 'POST', headers: withToken, body, duplex: 'half' } as RequestInit;
  expect((await connector.request('/', init)).status).toBe(413);
  await expect.poll(() => parts).toBeGreaterThan(60);
  await new Promise(setImmediate);
  expect(parts).toBeLessThan(70);
});

test('a handler that makes something else of the refusal still answers 413', async () => {
  const connector = makeConnector({ maxBodyBytes: 100 });
  connector.post('/', async (c) => {
    await c.req.text().catch(() => {
      throw new Error('canary');
    });
    return c.text('ok');
  });
  expect((await upload(await start(connector), '/', 101, true)).status).toBe(413);
});

test.each([0, -1, 1.5, '5', undefined])('limitBody(%j) is a TypeError', (bytes) => {
  expect(() => limitBody(bytes as never)).toThrow(TypeError);
  expect(() => limitBody(bytes as never)).toThrow('`bytes`');
});

describe('an upload that is sent on (D2)', () => {
  /** Has Node's fetch keep no copy of the body for a redirect. */
  const direct = { redirect: 'error', window: null } as const;

  /** A server that takes as much as it is told to, and then the rest. */
  async function endSystem() {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = createServer(async (request, response) => {
      const hash = createHash('sha256');
      await released;
      request.on('error', () => {}); // of an upload that is refused halfway
      request.on('data', (chunk) => hash.update(chunk));
      request.on('end', () => response.end(hash.digest('hex')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, release };
  }

  test.each([
    ['with its length', true],
    ['in chunks', false],
  ])('goes through as it comes and is never held, sent %s', async (_how, hasLength) => {
    const { url: target, release } = await endSystem();
    const connector = makeConnector();
    connector.post('/files', limitBody(1024 * mebibyte), async (c) => {
      const { body } = c.req.raw;
      const answer = await fetch(target, { method: 'POST', body, duplex: 'half', ...direct } as RequestInit);
      return c.text(await answer.text());
    });
    const server = await serve(connector, { port: 0 });
    onTestFinished(() => server.close({ graceMs: 0 }));

    const size = 64 * mebibyte;
    const block = Buffer.alloc(mebibyte, 'concordat ');
    const expected = createHash('sha256');
    let sent = 0;
    const source = Readable.from(
      (function* () {
        for (; sent < size; sent += block.length) {
          expected.update(block);
          yield block;
        }
      })(),
    );
    const answered = new Promise<string>((resolve, reject) => {
      const outgoing = nodeRequest(`${server.url}/files`, {
        method: 'POST',
        headers: { ...withToken, ...(hasLength ? { 'content-length': size } : {}) },
      });
      outgoing.on('response', async (response) => resolve((await response.toArray()).join('')));
      outgoing.on('error', reject);
      source.pipe(outgoing);
    });
    // Nobody takes anything yet: what is under way stays in the buffers of the sockets.
    let before = -1;
    while (before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(sent).toBeLessThan(size / 2);
    release();
    expect(await answered).toBe(expected.digest('hex'));
  });

  test.each([
    ['with its length', true],
    ['in chunks', false],
  ])('costs no memory that grows with it, sent %s', async (_how, hasLength) => {
    const { url: target, release } = await endSystem();
    release();
    const connector = makeConnector();
    connector.post('/files', limitBody(1024 * mebibyte), async (c) => {
      const { body } = c.req.raw;
      const answer = await fetch(target, { method: 'POST', body, duplex: 'half', ...direct } as RequestInit);
      return c.text(await answer.text());
    });
    const url = await start(connector);
    const size = 384 * mebibyte;
    const block = Buffer.alloc(mebibyte);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const source = Readable.from(
      (function* () {
        for (let sent = 0; sent < size; sent += block.length) {
          most = Math.max(most, process.memoryUsage().arrayBuffers - before);
          yield block;
        }
      })(),
    );
    const headers = { ...withToken, ...(hasLength ? { 'content-length': String(size) } : {}) };
    const status = await new Promise((resolve, reject) => {
      const outgoing = nodeRequest(`${url}/files`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      outgoing.on('error', reject);
      source.pipe(outgoing);
    });
    expect(status).toBe(200);
    expect(most).toBeLessThan(size / 2);
  });

  test('that is too large is a 413, whatever the fetch of the handler makes of it', async () => {
    const { url: target, release } = await endSystem();
    release();
    const connector = makeConnector();
    connector.post('/files', limitBody(mebibyte), async (c) => {
      await fetch(target, { method: 'POST', body: c.req.raw.body, duplex: 'half' } as RequestInit);
      return c.text('ok');
    });
    const refused = await upload(await start(connector), '/files', 2 * mebibyte, true);
    expect([refused.status, errorsOf(refused).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

describe('a server whose requests are not those of Node', () => {
  async function startSrvx() {
    const { fetch } = connectorWithLimits();
    const server = serveWithSrvx({ fetch: (request) => fetch(request), port: 0, hostname: '127.0.0.1', silent: true });
    onTestFinished(() => server.close(true));
    return (await server.ready()).url ?? '';
  }

  test.each([
    [5_000, 200, '5000'],
    [5_001, 413, expect.stringContaining('PAYLOAD_TOO_LARGE')],
  ])('reads a body of %i bytes in chunks (E4)', async (bytes, status, body) => {
    expect(await upload(await startSrvx(), 'large', bytes, true)).toMatchObject({ status, body });
  });
});
