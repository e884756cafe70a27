import { createConnectorClient } from 'concordat/client';
import { simulateConnector, undiciInterceptor, virtualClock } from 'concordat/testing';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { baseUrl, connect } from './helpers/connect.js';

const routes = { '/issues': { items: [1, 2] } };

function listenWith(...handlers: Parameters<typeof setupServer>) {
  const server = setupServer(...handlers);
  server.listen({ onUnhandledRequest: 'bypass' });
  onTestFinished(() => server.close());
  return server;
}

describe('as handlers of msw', () => {
  it('answers the global fetch, and only below its base URL', async () => {
    const connector = simulateConnector({ session: false, routes });
    listenWith(
      ...connector.handlers(`${baseUrl}/api`),
      http.get(`${baseUrl}/other`, () => HttpResponse.text('not mine')),
    );
    expect(await (await fetch(`${baseUrl}/api/issues?page=1`)).json()).toEqual({ items: [1, 2] });
    expect(await (await fetch(`${baseUrl}/other`)).text()).toBe('not mine');
    expect((await fetch(`${baseUrl}/api/users`)).status).toBe(404);
    expect(connector.journal.map(({ path, query }) => [path, query])).toEqual([
      ['/issues', { page: '1' }],
      ['/users', {}],
    ]);
  });

  it('the client on the global fetch logs in, waits and goes on (G1)', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({
      rateLimit: { limit: 1, windowMs: 60_000 },
      session: { maxRequests: 1 },
      clock,
    });
    listenWith(...connector.handlers(`${baseUrl}/`));
    const client = connect({ fetch: globalThis.fetch, clock });
    const calls = Promise.all([client.get('/a'), client.get('/b'), client.get('/c')]);
    await clock.runUntil(calls);
    expect(clock.monotonic()).toBe(120_000);
  });

  it('a reset is a network error, a body that is cut off fails', async () => {
    const connector = simulateConnector({
      session: false,
      routes,
      faults: [
        { kind: 'reset', at: 1 },
        { kind: 'truncated', at: 2 },
      ],
    });
    listenWith(...connector.handlers(baseUrl));
    await expect(fetch(`${baseUrl}/issues`)).rejects.toThrow(TypeError);
    await expect(fetch(`${baseUrl}/issues`).then((answer) => answer.json())).rejects.toThrow();
    expect(await (await fetch(`${baseUrl}/issues`)).json()).toEqual({ items: [1, 2] });
  });

  it.each(['connector.test', '', undefined as unknown as string])('`baseUrl` %j is refused', (url) => {
    expect(() => simulateConnector().handlers(url)).toThrow(/`baseUrl` must be a URL/);
  });
});

describe('undiciInterceptor', () => {
  it('makes the client of undici see handlers of msw, which it otherwise does not (control)', async () => {
    const connector = simulateConnector({ routes });
    listenWith(...connector.handlers('http://127.0.0.1:9'));
    const options = {
      baseUrl: 'http://127.0.0.1:9', // discard: nobody listens
      initialize: { parameters: { user: 'ada' } },
      retry: { retries: 0 },
    };
    const alone = createConnectorClient(options);
    await expect(alone.get('/issues')).rejects.toMatchObject({ name: 'InitializeError' });
    expect(connector.journal).toHaveLength(0);
    await alone.close();

    const dispatcher = new Agent().compose(undiciInterceptor(connector.handlers('http://127.0.0.1:9')));
    const client = createConnectorClient({ ...options, dispatcher });
    expect(await client.get('/issues')).toEqual({ items: [1, 2] });
    expect(connector.journal.map(({ kind, headers }) => [kind, headers['x-session']])).toEqual([
      ['login', undefined],
      ['request', 'simulated-session-1'],
    ]);
    await client.close();
  });

  const through = (connector: ReturnType<typeof simulateConnector>) =>
    new Agent().compose(undiciInterceptor(connector.handlers(baseUrl)));

  it('the client waits, logs in and goes through faults', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({
      clock,
      rateLimit: { limit: 5, windowMs: 60_000 },
      session: { maxRequests: 4 },
      resources: { notes: [] },
      faults: [
        { kind: 'reset', every: 7 },
        { kind: 'truncated', every: 11 },
        { kind: 'slow', delayMs: 1000, every: 3 },
      ],
    });
    const client = connect({ dispatcher: through(connector), clock });
    const ids = Array.from({ length: 30 }, (_, index) => index);
    await clock.runUntil(Promise.all(ids.map((id) => client.put(`/notes/${id}`, { json: { text: `${id}` } }))));
    expect(connector.resource('notes').all()).toHaveLength(30);
    connector.assertAllConsumed();
  });

  it('an answer that never comes can be timed out and aborted', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({ session: false, clock, faults: [{ kind: 'hang' }] });
    const client = connect({
      dispatcher: through(connector),
      clock,
      retry: { retries: 0 },
      timeoutMs: 5000,
      initialize: async () => ({}),
    });
    await expect(clock.runUntil(client.get('/a'))).rejects.toMatchObject({ code: 'TIMEOUT' });
    const controller = new AbortController();
    const call = request(`${baseUrl}/a`, { dispatcher: through(connector), signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  it('takes every sort of body, a stream too, and every sort of headers', async () => {
    const connector = simulateConnector({ session: false });
    const dispatcher = through(connector);
    const send = (body: unknown, headers: unknown = {}) =>
      request(`${baseUrl}/a`, { dispatcher, method: 'POST', body: body as string, headers: headers as string[] });
    async function* stream() {
      yield Buffer.from('from a ');
      yield Buffer.from('stream');
    }
    await send('text', { 'x-one': '1', 'x-many': ['a', 'b'] });
    await send(Buffer.from('bytes'), ['x-one', '1', 'x-many', 'a', 'x-many', 'b']);
    await send(
      stream(),
      new Map<string, string | string[]>([
        ['x-one', '1'],
        ['x-many', ['a', 'b']],
      ]),
    );
    await send(null);
    expect(connector.journal.map(({ body }) => body)).toEqual(['text', 'bytes', 'from a stream', '']);
    for (const { headers } of connector.journal.slice(0, 3))
      expect(headers).toMatchObject({ 'x-one': '1', 'x-many': 'a, b' });
  });

  it('gives status, headers and a large body back as undici does, pauses included', async () => {
    const connector = simulateConnector({ session: false, faults: [{ kind: 'huge', bytes: 3_000_000, at: 1 }] });
    const dispatcher = through(connector);
    const large = await request(`${baseUrl}/a`, { dispatcher });
    let size = 0;
    for await (const chunk of large.body) {
      expect(Buffer.isBuffer(chunk)).toBe(true);
      size += chunk.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([large.statusCode, large.headers['content-type'], size]).toEqual([
      200,
      'application/octet-stream',
      3_000_000,
    ]);
  });

  it('lets through what no handler is for, with its body', async () => {
    const elsewhere = simulateConnector({ session: false });
    const server = await elsewhere.listen();
    onTestFinished(() => server.close());
    const dispatcher = through(simulateConnector({ session: false, routes }));
    async function* stream() {
      yield Buffer.from('still there');
    }
    const answer = await request(`${server.url}/a`, { dispatcher, method: 'POST', body: stream() as never });
    expect([answer.statusCode, await answer.body.json()]).toEqual([200, { method: 'POST', path: '/a' }]);
    expect(elsewhere.journal[0]?.body).toBe('still there');
  });

  it('asks for the handlers at each request: `server.use` and `once` count', async () => {
    const server = setupServer(...simulateConnector({ session: false, routes }).handlers(baseUrl));
    const dispatcher = new Agent().compose(undiciInterceptor(() => server.listHandlers()));
    const ask = async () => (await request(`${baseUrl}/issues`, { dispatcher })).statusCode;
    expect(await ask()).toBe(200);
    server.use(http.get(`${baseUrl}/issues`, () => HttpResponse.json({}, { status: 418 }), { once: true }));
    expect([await ask(), await ask()]).toEqual([418, 200]);
  });

  it('keeps several cookies apart', async () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
    const connector = simulateConnector({ session: false, routes: { '/a': () => new Response('x', { headers }) } });
    const answer = await request(`${baseUrl}/a`, { dispatcher: through(connector) });
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  it('refuses what are no handlers', () => {
    expect(() => undiciInterceptor({} as never)).toThrow(/`handlers` must be an array/);
  });
});
