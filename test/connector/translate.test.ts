import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { BadRequestError, ConnectorError, NotFoundError } from 'concordat';
import { endSystemFetch, serve } from 'concordat/connector';
import { connectorErrorHandler } from 'concordat/connector/express';
import { connectorPlugin } from 'concordat/connector/fastify';
import { connectorErrors } from 'concordat/connector/hono';
import { toNodeHandler } from 'concordat/connector/node';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

class DatabaseError extends Error {
  constructor(readonly code: string) {
    super('canary: SELECT * FROM password');
  }
}

interface Options {
  translate: (error: unknown) => ConnectorError | undefined;
  onError: (error: unknown) => void;
}

/** As a connector would have it for PostgreSQL. */
const translate = (error: unknown): ConnectorError | undefined => {
  if (!(error instanceof DatabaseError)) return undefined;
  if (error.code === '23505') return new BadRequestError('There is one already.', { code: error.code, cause: error });
  if (error.code === '55P03') return new ConnectorError('The database is busy.', { status: 503, cause: error });
  return undefined;
};

describe('`translate`', () => {
  test('says what a failure means that is not HTTP; the rest stays a 500 that tells nothing (E4)', async () => {
    const onError = vi.fn();
    const connector = makeConnector({ translate, onError });
    connector.get('/:code', (c) => {
      throw new DatabaseError(c.req.param('code'));
    });
    const url = await start(connector);
    const ask = async (path: string) => {
      const answer = await send(url, { path, headers: withToken });
      return [answer.status, errorsOf(answer)];
    };
    expect(await ask('/23505')).toEqual([400, { code: '23505', message: 'There is one already.' }]);
    expect(await ask('/55P03')).toEqual([503, { code: 'CONNECTOR_ERROR', message: 'The database is busy.' }]);
    expect(await ask('/XX000')).toEqual([
      500,
      { code: 'INTERNAL_ERROR', message: expect.not.stringContaining('canary') },
    ]);
    // The log has what was thrown.
    expect(onError.mock.calls.map(([error]) => error)).toEqual(Array(3).fill(expect.any(DatabaseError)));
  });

  test('gets the context, and what was thrown even where that is no Error; it may throw', async () => {
    const seen: unknown[] = [];
    const connector = makeConnector({
      translate: (error, c) => {
        seen.push([error, c.req.path]);
        if (error === 'throw') throw new NotFoundError('thrown');
        if (error === 'fail') throw new Error('canary');
        if (error === 'nonsense') return 'nonsense' as never;
        return new NotFoundError('returned');
      },
    });
    connector.get('/:what', (c) => {
      throw c.req.param('what');
    });
    const url = await start(connector);
    const messages = [];
    for (const what of ['throw', 'fail', 'nonsense', 'other']) {
      messages.push(errorsOf(await send(url, { path: `/${what}`, headers: withToken })).message);
    }
    const internal = 'The connector failed while handling this request.';
    expect(messages).toEqual(['thrown', internal, internal, 'returned']);
    expect(seen[0]).toEqual(['throw', '/throw']);
  });

  test('is not asked about errors of the contract, and is asked about those of initialize', async () => {
    const asked = vi.fn(() => new BadRequestError('translated'));
    const connector = makeConnector({
      translate: asked,
      initialize: {
        parameters: (await import('./support/start.js')).parameters,
        handler: () => {
          throw new DatabaseError('1');
        },
      },
    });
    connector.get('/', () => {
      throw new NotFoundError('mine');
    });
    const url = await start(connector);
    expect(errorsOf(await send(url, { headers: withToken })).message).toBe('mine');
    expect(asked).not.toHaveBeenCalled();
    const login = await send(url, { method: 'POST', path: '/initialize', body: '{"user":"a","password":"abc"}' });
    expect(errorsOf(login).message).toBe('translated');
  });

  test.each<[string, () => Promise<string>]>([
    ['express', async () => listen(express().get('/', fail).use(connectorErrorHandler({ translate })))],
    [
      'fastify',
      async () => {
        const app = fastify();
        await app.register(connectorPlugin, { translate });
        app.get('/', fail);
        onTestFinished(() => app.close());
        return app.listen({ port: 0, host: '127.0.0.1' });
      },
    ],
    ['hono', async () => start(new Hono().get('/', fail).onError(connectorErrors({ translate })))],
    ['node', async () => listen(toNodeHandler(fail, { translate }))],
  ])('is an option of the adapters too: %s', async (_name, startApp) => {
    const answer = await send(await startApp());
    expect([answer.status, errorsOf(answer).code]).toEqual([400, '23505']);
  });

  test.each<[string, (options: Options) => Promise<string>]>([
    ['a connector', async (options) => start(makeConnector(options).get('/', fail))],
    ['express', async (options) => listen(express().get('/', fail).use(connectorErrorHandler(options)))],
    ['node', async (options) => listen(toNodeHandler(fail, options))],
  ])('that is async is reported, and leaves the failure as it is: %s', async (_name, startApp) => {
    const heard: unknown[] = [];
    const onError = (error: unknown) => heard.push(error);
    // As in JavaScript. One rejects, which must not end the process.
    for (const answer of [async () => new BadRequestError('late'), async () => Promise.reject(new Error('canary'))]) {
      const url = await startApp({ translate: answer as never, onError });
      const { code, message } = errorsOf(await send(url, { headers: withToken }));
      expect([code, message]).toEqual(['INTERNAL_ERROR', 'The connector failed while handling this request.']);
    }
    const mistake = new TypeError('`translate` returned a promise, which is ignored: it must not be async.');
    expect(heard).toEqual([mistake, expect.any(DatabaseError), mistake, expect.any(DatabaseError)]);
  });

  test('that is no function is a TypeError', () => {
    expect(() => makeConnector({ translate: 'no' as never })).toThrow('`translate`');
    expect(() => connectorErrors({ translate: 'no' as never })).toThrow('`translate`');
  });
});

describe('a service that goes away', () => {
  test.each<[string, (signal: AbortSignal) => Promise<Response>]>([
    [
      'a handler that rejects with the reason of the signal',
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ],
    [
      'a fetch that is given the signal',
      (signal) => fetch('http://127.0.0.1:9/', { signal }).catch(() => fetchHanging(signal)),
    ],
  ])('is an AbortError for `onError`, and no failure: %s', async (_what, handle) => {
    let heard = (_error: unknown) => {};
    const error = new Promise<unknown>((resolve) => {
      heard = resolve;
    });
    const connector = makeConnector({ onError: (thrown) => heard(thrown) });
    const controller = new AbortController();
    connector.get('/', (c) => {
      const handled = handle(c.req.raw.signal);
      setTimeout(() => controller.abort(), 50);
      return handled;
    });
    const server = await serve(connector, { port: 0 });
    onTestFinished(() => server.close({ graceMs: 0 }));
    await fetch(server.url, { headers: withToken, signal: controller.signal }).catch(() => {});
    expect(await error).toBeInstanceOf(Error);
    expect(await error).toMatchObject({ name: 'AbortError', cause: expect.anything() });
  });

  test.each<[string, string, (reason: unknown) => unknown]>([
    ['AbortError', 'that it caused', (cause) => new ConnectorError('Cut off', { status: 502, cause })],
    ['AbortError', 'of that name', () => Object.assign(new Error('Stopped'), { name: 'AbortError' })],
    ['NotFoundError', 'of another cause', () => new NotFoundError('Gone', { cause: new Error('no row') })],
  ])('leaves `onError` an %s for an error %s', async (name, _what, make) => {
    const onError = vi.fn();
    const connector = makeConnector({ onError });
    const service = new AbortController();
    connector.get('/', (c) => {
      service.abort();
      throw make(c.req.raw.signal.reason);
    });
    await connector.request('/', { headers: withToken, signal: service.signal });
    expect(onError.mock.calls).toMatchObject([[{ name }, {}, {}]]);
    expect(onError.mock.calls[0]?.[0] instanceof DOMException).toBe(name === 'AbortError');
  });

  test.each<[string, (body: ReadableStream) => Promise<unknown>]>([
    ['reads it', (body) => new Response(body).arrayBuffer()],
    [
      'forwards it',
      async (body) => {
        const server = createServer((request) => request.resume());
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        onTestFinished(() => void server.close().closeAllConnections());
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        return endSystemFetch()(url, { method: 'POST', body, duplex: 'half' } as RequestInit);
      },
    ],
  ])('in the middle of an upload is an AbortError for `onError`: a handler that %s (E4)', async (_what, read) => {
    let heard = (_error: unknown) => {};
    const error = new Promise<unknown>((resolve) => {
      heard = resolve;
    });
    const connector = makeConnector({ onError: (thrown) => heard(thrown) });
    let reading = () => {};
    const isReading = new Promise<void>((resolve) => {
      reading = resolve;
    });
    connector.post('/', async (c) => {
      reading();
      await read(c.req.raw.body as ReadableStream);
      return c.body(null, 204);
    });
    const url = new URL(await start(connector));
    const socket = connect(Number(url.port), url.hostname);
    const [[name, token]] = Object.entries(withToken) as [[string, string]];
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${name}: ${token}\r\ncontent-length: 1000\r\n\r\nabc`);
    await isReading;
    socket.destroy();
    expect(await error).toMatchObject({ name: 'AbortError', cause: expect.anything() });
  });

  test('a failure is no AbortError (control)', async () => {
    const onError = vi.fn();
    const connector = makeConnector({ onError });
    connector.get('/', () => {
      throw 'a text';
    });
    await send(await start(connector), { headers: withToken });
    expect(onError.mock.calls[0]?.[0]).toBe('a text');
  });
});

function fail(): never {
  throw new DatabaseError('23505');
}

async function fetchHanging(signal: AbortSignal): Promise<Response> {
  const url = await listen(() => {});
  return fetch(url, { signal });
}

async function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
