import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { serve, streamRecords } from 'concordat/connector';
import { toNodeHandler } from 'concordat/connector/node';
import { Hono } from 'hono';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectionOf, held } from './support/held.js';
import { errorsOf, send, sendBytes } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

/** A grace that no test lives to see the end of: what is over before did not need it. */
const hourMs = 3_600_000;

test('it resolves when it listens, on this machine only by default, and closes', async () => {
  const server = await serve(makeConnector(), { port: 0 });
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect((await send(server.url)).status).toBe(404);
  await server.close();
  await expect(send(server.url)).rejects.toThrow('ECONNREFUSED');
  await server.close();
});

test('listening on all addresses gives a URL that can be called', async () => {
  const server = await serve(makeConnector(), { port: 0, hostname: '0.0.0.0' });
  onTestFinished(() => server.close());
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect((await send(server.url)).status).toBe(404);
});

test('a port that is taken rejects', async () => {
  const first = await serve(makeConnector(), { port: 0 });
  onTestFinished(() => first.close());
  await expect(serve(makeConnector(), { port: first.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('the times of connections are those of Node, unless the author says otherwise', async () => {
  const times: unknown[] = [];
  const note = (message: unknown) => {
    const { requestTimeout, keepAliveTimeout, headersTimeout } = (message as { server: Server }).server;
    times.push({ requestTimeout, keepAliveTimeout, headersTimeout });
  };
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  const all = [{}, { requestTimeoutMs: Number.POSITIVE_INFINITY, keepAliveTimeoutMs: 65_000 }];
  for (const options of all) {
    const server = await serve(makeConnector(), { port: 0, ...options });
    onTestFinished(() => server.close());
    await send(server.url);
  }
  expect(times).toEqual([
    { requestTimeout: 300_000, keepAliveTimeout: 5_000, headersTimeout: 60_000 },
    { requestTimeout: 0, keepAliveTimeout: 65_000, headersTimeout: 60_000 },
  ]);
  const wrong = { port: 0, requestTimeoutMs: 0 };
  await expect(serve(makeConnector(), wrong)).rejects.toThrow('`requestTimeoutMs` must be a number of milliseconds');
});

test('close ends idle keep-alive connections at once', async () => {
  const server = await serve(makeConnector(), { port: 0 });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  await new Promise<void>((resolve) => {
    request(server.url, { agent }, (response) => response.resume().on('end', resolve)).end();
  });
  await server.close({ graceMs: hourMs });
});

test('close ends a keep-alive connection as soon as its last answer is out', async () => {
  const { arrived, hold, release } = held();
  const app = new Hono().get('/', async (c) => {
    await hold();
    return c.text('done');
  });
  const server = await serve(app, { port: 0 });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  // Awaited: the agent that is destroyed at the end may not have read it yet when the server has closed.
  const answered = new Promise<void>((resolve, reject) => {
    request(server.url, { agent }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
  await arrived;
  const closed = server.close({ graceMs: hourMs });
  release();
  await Promise.all([answered, closed]);
});

test('close lets a request that is being answered finish, and cuts it after the grace', async () => {
  const app = new Hono();
  let release: () => void = () => {};
  const arrived = new Promise<void>((arrive) => {
    app.get('/', async (c) => {
      arrive();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return c.text('done');
    });
  });
  const server = await serve(app, { port: 0 });
  const answer = send(server.url);
  await arrived;
  const closed = server.close();
  release();
  expect((await answer).body).toBe('done');
  await closed;

  const hung = await serve(
    new Hono().get('/', () => new Promise(() => {})),
    { port: 0 },
  );
  const cut = expect(send(hung.url)).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await hung.close({ graceMs: 1 });
  await cut;
});

test.each([Number.NaN, -1, '5'])('close takes no grace of %s', async (graceMs) => {
  const server = await serve(makeConnector(), { port: 0 });
  expect(() => server.close({ graceMs: graceMs as number })).toThrow(TypeError);
  expect(() => server.close({ graceMs: graceMs as number })).toThrow('`graceMs` must be a number of milliseconds');
  await server.close();
});

test('close cuts nothing before a grace without end', async () => {
  const { arrived, hold, release } = held();
  const app = new Hono().get('/', async (c) => {
    await hold();
    return c.text('done');
  });
  const server = await serve(app, { port: 0 });
  onTestFinished(() => server.close());
  const answer = send(server.url).catch((error: Error) => error.message);
  await arrived;
  const closed = server.close({ graceMs: Number.POSITIVE_INFINITY });
  // The last thing that closing does by itself is to refuse connections.
  await expect.poll(() => sendBytes(server.url, '').catch(({ code }) => code)).toBe('ECONNREFUSED');
  release();
  expect(await answer).toMatchObject({ status: 200, body: 'done' });
  await closed;
});

test.each(['keep-alive', 'close'])(
  'what a fetched response says of its own connection (%s) does not hold for that of the server',
  async (connection) => {
    const upstream = await start(new Hono().get('/', (c) => c.text('done')));
    const { arrived, hold, release } = held();
    const app = new Hono()
      .get('/', () => fetch(upstream, { headers: { connection } }))
      .get('/held', async () => {
        await hold();
        return fetch(upstream, { headers: { connection } });
      });
    expect((await fetch(upstream, { headers: { connection } })).headers.get('connection')).toBe(connection); // control
    const server = await serve(app, { port: 0 });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    expect(await connectionOf(`${server.url}/`, agent)).toBe('keep-alive');
    const last = connectionOf(`${server.url}/held`, agent);
    await arrived;
    const closed = server.close();
    release();
    expect(await last).toBe('close');
    await closed;
  },
);

test.each<[string, () => Response]>([
  ['that was read', () => respond(async (response) => void (await response.text()))],
  ['that somebody reads', () => respond((response) => void response.body?.getReader())],
  ['that says that fetch failed', () => Response.error()],
  ['without the bytes of its content-length', () => new Response(null, { headers: { 'content-length': '9' } })],
])('a response %s is a 500, of which `onError` hears', async (_what, make) => {
  const heard: unknown[] = [];
  const connector = makeConnector({ onError: (error) => void heard.push(error) });
  connector.get('/', make);
  connector.get('/next', (c) => c.text('fine'));
  const url = await start(connector);
  expect((await send(url, { headers: withToken })).status).toBe(500);
  expect(heard).toEqual([expect.any(Error)]);
  expect((await send(url, { path: '/next', headers: withToken })).body).toBe('fine');
});

function respond(use: (response: Response) => unknown): Response {
  const response = Response.json({ id: 7 });
  void use(response);
  return response;
}

test('the response to a HEAD has the length of the one to a GET', async () => {
  const connector = makeConnector();
  connector.get('/', () => new Response(null, { headers: { 'content-length': '9' } }));
  const { status, headers } = await send(await start(connector), { method: 'HEAD', headers: withToken });
  expect([status, headers['content-length']]).toEqual([200, '9']);
});

test.each([
  ['headers', 'POST /initialize HTTP/1.1\r\nhost: h\r\nx-part:'],
  ['body', 'POST /initialize HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\nhalf'],
])('a request whose %s take longer than `requestTimeoutMs` to arrive is a 408', async (_what, bytes) => {
  const server = await serve(makeConnector(), { port: 0, requestTimeoutMs: 100.5 });
  onTestFinished(() => server.close({ graceMs: 0 }));
  expect(await sendBytes(server.url, bytes)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
});

test.each([
  ['takes too long', () => {}, 'ConnectorError: The request took too long to arrive.'],
  ['goes on as no HTTP', (socket: Socket) => socket.write('\r\n'), 'ConnectorError: The request is not valid HTTP.'],
  [
    'just ends',
    (socket: Socket) => socket.end(),
    'AbortError: The connection was closed before the end of the response.',
  ],
])('`onError` hears the truth about a body that %s (E4)', async (what, goOn, expected) => {
  const { arrived, hold } = held();
  const onError = vi.fn();
  const connector = makeConnector({ onError });
  connector.put('/', async (c) => {
    for await (const _ of c.req.raw.body ?? []) void hold();
    return c.body(null, 204);
  });
  const requestTimeoutMs = what === 'takes too long' ? 500 : hourMs;
  const server = await serve(connector, { port: 0, requestTimeoutMs });
  onTestFinished(() => server.close({ graceMs: 0 }));
  const head = 'PUT / HTTP/1.1\r\nhost: h\r\nx-token: token-of-alice\r\ntransfer-encoding: chunked';
  const socket = connect(server.port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n4\r\nhalf\r\n`));
  socket.on('error', () => {});
  await arrived;
  goOn(socket);
  await expect.poll(() => onError.mock.calls.map(([error]) => String(error))).toEqual([expected]);
});

test('a response with a `trailer` that announces none goes out', async () => {
  const url = await start(new Hono().get('/', () => new Response('done', { headers: { trailer: 'x-sum' } })));
  expect(await send(url)).toMatchObject({ status: 200, body: 'done' });
});

test.each([
  ['no HTTP at all', 'nonsense\r\n\r\n', '400 Bad Request'],
  [
    'headers without end',
    `GET / HTTP/1.1\r\nhost: h\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
  ],
  ['a host that is none', 'GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n', '400 Bad Request'],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', '400 Bad Request'],
  ['an unknown `Expect`', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: x\r\n\r\n', '417 Expectation Failed'],
])('%s is answered with a contract body (E1)', async (_what, bytes, status) => {
  const answer = await sendBytes(await start(makeConnector()), bytes);
  const [head, body] = answer.split('\r\n\r\n') as [string, string];
  expect(head.split('\r\n', 1)).toEqual([`HTTP/1.1 ${status}`]);
  expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8');
  expect(head.toLowerCase()).toContain('cache-control: no-store');
  expect(JSON.parse(body).errors).toEqual({ code: expect.any(String), message: expect.any(String) });
});

test('a health check over HTTP/1.0 needs no Host header (RFC 9112, 3.2)', async () => {
  const connector = makeConnector({ openPaths: ['/health'] });
  connector.get('/health', (c) => c.text('fine'));
  const url = await start(connector);
  expect(await sendBytes(url, 'GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nfine$/s);
  expect(await sendBytes(url, 'GET /health HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /); // control
});

test('a handler that returns no Response is a 500 (E4)', async () => {
  const url = await start({ fetch: (() => ({ not: 'a response' })) as never });
  const answer = await send(url);
  expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
});

test('a handler that is not async works too', async () => {
  const { createServer } = await import('node:http');
  const server = createServer(
    toNodeHandler((request) => {
      if (request.url.endsWith('/throw')) throw new Error('canary');
      return new Response('plain');
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  expect((await send(url)).body).toBe('plain');
  expect((await send(url, { path: '/throw' })).status).toBe(500);
});

test('a handler that is a method is called on its object', async () => {
  class App {
    name = 'ada';
    fetch() {
      return new Response(this.name);
    }
  }
  const server = await serve(new App(), { port: 0 });
  onTestFinished(() => server.close());
  expect(await send(server.url)).toMatchObject({ status: 200, body: 'ada' });
});

test('many requests at once, good and bad, do not mix', async () => {
  const connector = makeConnector();
  connector.get('/:id', (c) => {
    if (Number(c.req.param('id')) % 2) throw new Error('canary');
    return c.text(c.req.param('id'));
  });
  const url = await start(connector);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, id) => send(url, { path: `/${id}`, headers: withToken })),
  );
  expect(
    answers.map(({ status, body }, id) => status === (id % 2 ? 500 : 200) && (id % 2 === 1 || body === `${id}`)),
  ).toEqual(Array.from({ length: 200 }, () => true));
});

test.each([
  ['longer', '3'],
  ['shorter', '30'],
])(
  'a body that is %s than its content-length breaks its connection, and is no next response (D2)',
  async (what, length) => {
    const defects: unknown[] = [];
    const declared = { headers: { 'content-length': length } };
    const app = new Hono()
      .get('/whole', () => new Response('HTTP/1.1 200 OK', declared))
      .get('/streamed', () => new Response(new Blob(['HTTP/1.1', 'x'.repeat(20_000)]).stream(), declared))
      .get('/exact', () => new Response('abc', { headers: { 'content-length': '3' } }));
    const server = await serve(app, { port: 0, onError: (error) => void defects.push(error) });
    onTestFinished(() => server.close({ graceMs: 0 }));
    const get = (path: string) => sendBytes(server.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).catch(() => '');
    expect(await get('/whole')).not.toContain('200 OK\r\n\r\nHTTP');
    if (what === 'longer') expect(await get('/streamed')).not.toContain('xxxx');
    const message = `The body of a response is ${what} than its content-length of ${length}.`;
    expect(defects).toEqual(Array.from(defects, () => expect.objectContaining({ message })));
    expect(defects).toHaveLength(what === 'longer' ? 2 : 1);
    expect((await send(server.url, { path: '/exact' })).body).toBe('abc'); // control
  },
);

test('so does one that comes in parts and ends too early (D2)', async () => {
  const defects: unknown[] = [];
  const early = () => new Response(new Blob(['x'.repeat(20_000)]).stream(), { headers: { 'content-length': '30000' } });
  const server = await serve(new Hono().get('/', early), { port: 0, onError: (error) => void defects.push(error) });
  onTestFinished(() => server.close({ graceMs: 0 }));
  // Some versions of Node have not sent the headers yet.
  expect((await send(server.url).catch(() => ({ cut: true }))).cut).toBe(true);
  expect(defects).toMatchObject([{ message: 'The body of a response is shorter than its content-length of 30000.' }]);
});

test.each([null, 'text', {}])('an environment whose `outgoing` is %j is none of Node', async (outgoing) => {
  const connector = makeConnector();
  connector.get('/', (c) => c.text('done'));
  const response = await connector.request('/', { headers: withToken }, { outgoing });
  expect(await response.text()).toBe('done');
});

test.each(['/file', '/records', '/routed/file', '/mounted/file', '/nested/file', '/replaced/file'])(
  "a body that fails midway reaches the connector's own onError, once: %s",
  async (path) => {
    const onError = vi.fn();
    const broken = new Error('the disk is gone');
    const connector = makeConnector({ onError, openPaths: ['/file', '/records'] });
    const failing = () =>
      new ReadableStream({
        async pull(controller) {
          controller.enqueue(new TextEncoder().encode('x'.repeat(20_000)));
          await new Promise(setImmediate);
          controller.error(broken);
        },
      });
    connector.get('/file', () => new Response(failing()));
    connector.get('/records', (c) => streamRecords(c, failing()));
    const outer = makeConnector({
      onError: () => expect.unreachable('not the innermost'),
      openPaths: ['/nested/file'],
    });
    const app = new Hono()
      .route('/routed', connector)
      .mount('/mounted', connector.fetch)
      .mount('/nested', outer.mount('/nested', connector.fetch).fetch, { replaceRequest: false })
      .use('/replaced/*', async (c, next) => {
        c.req.raw = new Request(c.req.raw);
        await next();
      })
      .route('/replaced', connector)
      .route('/', connector);
    const server = await serve(app, { port: 0 });
    onTestFinished(() => server.close({ graceMs: 0 }));
    expect((await send(server.url, { path })).cut).toBe(true);
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      broken,
      expect.objectContaining({ req: expect.anything() }),
      expect.any(Function),
    );
  },
);

test('a body that is there at once has a length', async () => {
  const app = new Hono().get('/:size', (c) => new Response('x'.repeat(Number(c.req.param('size')))));
  const server = await serve(app, { port: 0 });
  onTestFinished(() => server.close({ graceMs: 0 }));
  const framing = async (path: string) => {
    const { headers } = await send(server.url, { path });
    return [headers['content-length'], headers['transfer-encoding']];
  };
  expect(await framing('/7')).toEqual(['7', undefined]);
  expect(await framing('/0')).toEqual(['0', undefined]);
});

test('a body without a content type gets none, so that a file that is passed on stays what it is', async () => {
  const connector = makeConnector();
  connector.get('/untyped', (c) => c.body(Uint8Array.of(0x89, 0x50, 0x4e, 0x47)));
  const url = await start(connector);
  const inProcess = await connector.request('/untyped', { headers: withToken });
  expect(inProcess.headers.get('content-type')).toBe(null);
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await send(url, { method, path: '/untyped', headers: withToken });
    expect([method, status, headers['content-type']]).toEqual([method, 200, undefined]);
  }
});

test('HEAD is GET where middleware returns a response besides that of the route, and leaves neither open', async () => {
  const connector = makeConnector();
  const cancelled: string[] = [];
  const open = (name: string) =>
    new Response(new ReadableStream({ cancel: () => void cancelled.push(name) }), { headers: { 'x-of': name } });
  connector.use(async (_c, next) => {
    await next();
    return open('middleware');
  });
  connector.get('/', () => open('route'));
  const got = await connector.request('/', { headers: withToken });
  expect(await connector.request('/', { method: 'HEAD', headers: withToken })).toMatchObject({
    status: 200,
    body: null,
  });
  const answer = await send(await start(connector), { method: 'HEAD', headers: withToken });
  expect(answer.headers['x-of']).toBe(got.headers.get('x-of'));
  expect(cancelled.slice(0, 2).sort()).toEqual(['middleware', 'route']);
});

test.each(['served', 'in another app'])(
  'HEAD leaves nothing open behind the body that it does not send, %s',
  async (where) => {
    const connector = makeConnector();
    let cancelled: (reason?: unknown) => void = () => {};
    const isCancelled = new Promise((resolve) => {
      cancelled = resolve;
    });
    connector.use(async (_c, next) => next());
    connector.get('/file', (c) => {
      c.header('set-cookie', 'a=1');
      c.header('set-cookie', 'b=2', { append: true });
      return c.body(new ReadableStream({ cancel: () => cancelled('cancelled') }), 200, { 'content-length': '7' });
    });
    const url = await start(where === 'served' ? connector : new Hono().route('/', connector));
    const answer = await send(url, { method: 'HEAD', path: '/file', headers: withToken });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': '7', 'set-cookie': ['a=1', 'b=2'] } });
    expect(await isCancelled).toBe('cancelled');
  },
);

test('a caller who goes away while the answer is still coming is no defect; a body that fails is one (control)', async () => {
  const defects: unknown[] = [];
  let closed: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const app = new Hono()
    .get('/endless', () => {
      // As a stream of events does it: a read is always under way, and settles when the stream is cancelled.
      const { readable, writable } = new TransformStream<Uint8Array>();
      const writer = writable.getWriter();
      writer.write(new TextEncoder().encode('first')).catch(() => {});
      writer.closed.catch(closed);
      return new Response(readable);
    })
    .get('/failing', () => {
      const body = new ReadableStream({
        pull: (controller) => controller.error(new Error('canary')),
      });
      return new Response(body);
    });
  const server = await serve(app, { port: 0, onError: (error) => void defects.push(error) });
  onTestFinished(() => server.close({ graceMs: 0 }));
  await new Promise<void>((resolve) => {
    const asked = request(`${server.url}/endless`, (response) => {
      response.on('error', () => {});
      response.once('data', () => {
        asked.destroy();
        resolve();
      });
    }).end();
  });
  await gone;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(defects).toEqual([]);
  await send(server.url, { path: '/failing' }).catch(() => {});
  expect(defects).toMatchObject([{ message: 'canary' }]);
});

test('a response over HTTP/1.0 whose caller goes away halfway is closed, and never finished', async () => {
  const events: string[] = [];
  const { readable, writable } = new TransformStream<Uint8Array>();
  const listener = toNodeHandler(() => new Response(readable));
  let settled: Promise<void> | undefined;
  const server = createServer((incoming, outgoing) => {
    for (const event of ['finish', 'close']) outgoing.on(event, () => events.push(event));
    settled = listener(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  socket.write('GET / HTTP/1.0\r\n\r\n');
  socket.on('data', (bytes) => {
    if (String(bytes).includes('half')) socket.destroy();
  });
  writable
    .getWriter()
    .write(new TextEncoder().encode('half'))
    .catch(() => {});
  await expect.poll(() => events).toContain('close');
  await settled;
  await new Promise(setImmediate);
  expect(events).toEqual(['close']);
});

test('a streamed error that breaks off behind a host is not complete (E4)', async () => {
  const app = new Hono().get('/', () => new Response(failing(), { status: 502 }));
  const server = createServer(toNodeHandler(app, { onError: () => {} }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  expect((await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).cut).toBe(true);
});

/** A body that fails after its first part. */
function failing(): ReadableStream<Uint8Array> {
  let parts = 0;
  return new ReadableStream({
    async pull(controller) {
      if (parts++ > 0) throw new Error('canary');
      controller.enqueue(new TextEncoder().encode('one'));
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  });
}

test("an error behind a host loses the host's headers about another body, a success keeps them (E4)", async () => {
  const app = new Hono().get('/', (c) => c.text('ok'));
  const listener = toNodeHandler(app);
  const server = createServer((incoming, outgoing) => {
    outgoing.setHeader('etag', '"h"').setHeader('expires', 'Wed, 21 Oct 2099 07:28:00 GMT').setHeader('x-host', '1');
    void listener(incoming, outgoing);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const told = async (path: string) => {
    const { status, headers } = await send(url, { path });
    return [status, headers.etag, headers.expires !== undefined, headers['x-host']];
  };
  expect(await told('/')).toEqual([200, '"h"', true, '1']);
  expect(await told('/missing')).toEqual([404, undefined, false, '1']);
});
