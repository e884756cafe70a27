// After `serve()` the global `Response` was the node server's own class, which `Bun.serve` and `Deno.serve` refuse: they
// take what was made by the runtime's constructor. Found by running an app that serves both ways. Now nothing of it is
// left in the global's place, and what goes over the wire is what went before.
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { serve } from 'concordat/connector';
import { toNodeHandler } from 'concordat/connector/node';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { expect, onTestFinished, test } from 'vitest';
import { send } from '../connector/support/send.js';
import { start } from '../connector/support/start.js';

const { Response: NativeResponse } = globalThis;
const native = Object.getOwnPropertyDescriptor(globalThis, 'Response');

/** What the runtime itself can read, and not only what looks like a response. */
const isNative = (response: Response) => {
  const { get } = Object.getOwnPropertyDescriptor(NativeResponse.prototype, 'status') as { get(): number };
  try {
    return Object.getPrototypeOf(response) === NativeResponse.prototype && get.call(response) > 0;
  } catch {
    return false;
  }
};

const endless = () => new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('a')) });

function makeApp() {
  const app = new Hono();
  app.get('/json', (c) => c.json({ text: 'ä' }));
  app.get('/text', (c) => c.text('hello'));
  app.get('/bytes', () => new Response(new Uint8Array([1, 2, 3])));
  app.get('/nothing', (c) => c.body(null, 204));
  app.get('/empty', (c) => c.text(''));
  app.get('/typeless', () => new Response(new Blob(['x']).stream()));
  app.get('/cookies', (c) => {
    c.header('set-cookie', 'a=1');
    c.header('set-cookie', 'b=2', { append: true });
    return c.text('two');
  });
  app.get('/big', (c) => c.text('x'.repeat(3_000_000)));
  app.get('/chunks', () => {
    let left = 50;
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (left-- === 0) return controller.close();
          await new Promise((resolve) => setTimeout(resolve));
          controller.enqueue(new Uint8Array(100_000));
        },
      }),
    );
  });
  app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      await stream.writeSSE({ data: 'one' });
      await stream.writeSSE({ data: 'two' });
    }),
  );
  app.get('/open', () => new Response(endless(), { headers: { 'content-type': 'text/event-stream' } }));
  app.post('/copy', async (c) => c.text(await new Request(c.req.raw, { headers: { x: '1' } }).text()));
  app.post('/echo', async (c) => new Response((await c.req.raw.clone().blob()).stream()));
  return app;
}

test('the global Response stays what it was, before and after (control: it makes native responses)', async () => {
  await start(makeApp());
  toNodeHandler(() => new Response());
  expect(Object.getOwnPropertyDescriptor(globalThis, 'Response')).toEqual(native);
  expect(isNative(new Response('x'))).toBe(true);
  expect(isNative(await makeApp().request('/json'))).toBe(true);
  expect(isNative(Object.create(NativeResponse.prototype) as Response)).toBe(false);
});

test.each([
  ['/json', 200, '{"text":"ä"}', { 'content-type': 'application/json', 'content-length': '13' }],
  ['/text', 200, 'hello', { 'content-type': 'text/plain;charset=UTF-8', 'content-length': '5' }],
  ['/bytes', 200, '\u0001\u0002\u0003', { 'content-type': undefined, 'content-length': '3' }],
  ['/nothing', 204, '', { 'content-length': undefined }],
  ['/empty', 200, '', { 'content-length': '0' }],
  ['/typeless', 200, 'x', { 'content-type': undefined }],
  ['/cookies', 200, 'two', { 'set-cookie': ['a=1', 'b=2'] }],
  ['/big', 200, 'x'.repeat(3_000_000), { 'content-length': '3000000' }],
  ['/chunks', 200, '\0'.repeat(5_000_000), { 'transfer-encoding': 'chunked' }],
  [
    '/events',
    200,
    'data: one\n\ndata: two\n\n',
    { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' },
  ],
  ['/nowhere', 404, '404 Not Found', { 'content-length': '13' }],
] as const)('GET %s is answered as before', async (path, status, body, headers) => {
  const answer = await send(await start(makeApp()), { path });
  expect([answer.status, answer.cut]).toEqual([status, false]);
  expect(answer.body === body).toBe(true);
  expect(answer.headers).toMatchObject(
    Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
  );
  if (path === '/nothing') expect(answer.headers).not.toHaveProperty('content-length');
});

test('HEAD has the headers and no body', async () => {
  const answer = await send(await start(makeApp()), { method: 'HEAD', path: '/json' });
  expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([200, 'application/json', '']);
});

test('a handler may write to the server itself', async () => {
  const fetch = (_request: Request, env: { outgoing: ServerResponse }) => {
    env.outgoing.writeHead(201).end('by hand');
    return RESPONSE_ALREADY_SENT;
  };
  const answer = await send(await start({ fetch } as never));
  expect([answer.status, answer.body]).toEqual([201, 'by hand']);
});

test('requests can be copied and read in every way', async () => {
  const url = await start(makeApp());
  for (const path of ['/copy', '/echo']) {
    expect((await send(url, { method: 'POST', path, body: 'hello' })).body).toBe('hello');
  }
});

test('a stream is sent as it comes, and ends when the caller goes away', async () => {
  let cancelled: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  const server = await serve(
    {
      fetch: () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode('first')),
            cancel: () => cancelled(),
          }),
        ),
    },
    { port: 0 },
  );
  onTestFinished(() => server.close({ graceMs: 0 }));
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n');
  await new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      if (String(bytes).includes('first')) resolve();
    });
  });
  socket.destroy();
  await ended;
});

test('a caller who does not read holds up the body, and not the memory', async () => {
  let pulled = 0;
  const server = await serve(
    {
      fetch: () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              pulled += 1;
              controller.enqueue(new Uint8Array(1_000_000));
            },
          }),
        ),
    },
    { port: 0 },
  );
  onTestFinished(() => server.close({ graceMs: 0 }));
  const socket = connect(server.port, '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n');
  let before = -1;
  while (before !== pulled || pulled === 0) {
    before = pulled;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(pulled).toBeLessThan(100);
});
