// A connector inside a server that has middleware, parsers and handlers of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createConnector, readJson } from 'concordat/connector';
import { connectorErrorHandler, connectorNotFound } from 'concordat/connector/express';
import { connectorFrameworkErrors, connectorPlugin } from 'concordat/connector/fastify';
import { toNodeHandler } from 'concordat/connector/node';
import express, { type RequestHandler } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { errorsOf, type Sent, send } from './support/send.js';
import { parameters, session, withToken } from './support/start.js';

const json = { 'content-type': 'application/json' };
const login = [
  { key: 'user', value: 'alice', sensitive: false },
  { key: 'password', value: 'correct', sensitive: true },
];

function makeApp(onError?: (error: unknown) => void) {
  const connector = createConnector({
    initialize: { parameters, handler: ({ parameters: { user } }) => ({ 'x-token': `token-of-${user}` }) },
    session,
    onError,
    maxBodyBytes: 1000,
  });
  connector.post('/json', async (c) => c.json(await readJson(c, z.object({ title: z.string() }))));
  connector.post('/text', async (c) => c.text(await c.req.text()));
  connector.post('/form', async (c) => c.json(await c.req.parseBody({ all: true })));
  connector.get('/ok', (c) => c.text('done'));
  return connector;
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function inExpress(parsers: RequestHandler[], onError?: (error: unknown) => void): Promise<string> {
  const app = express();
  for (const parser of parsers) app.use(parser);
  app.use('/sdk', toNodeHandler(makeApp(onError)));
  return `${await listening(createServer(app))}/sdk`;
}

const post = (path: string, body: string, headers: Record<string, string> = json): Sent => ({
  method: 'POST',
  path,
  headers: { ...withToken, ...headers },
  body,
});

/** As docs/errors.md mounts it. */
async function inFastify(): Promise<string> {
  const app = fastify();
  const handle = toNodeHandler(makeApp());
  await app.register(async (sdk) => {
    sdk.removeAllContentTypeParsers();
    sdk.addContentTypeParser('*', (_request, _body, done) => done(null));
    sdk.all('/*', async (request, reply) => {
      reply.hijack();
      await handle(request.raw, reply.raw);
    });
  });
  onTestFinished(() => void app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

test.each<[string, string, string | undefined, number]>([
  ['broken JSON', '{bad', 'application/json', 400],
  ['nothing, called JSON', '', 'application/json', 400],
  ['bytes', 'abc', 'application/octet-stream', 400],
  ['no type', '{"title":"a"}', undefined, 200],
])('in Fastify the connector itself reads %s', async (_what, body, type, status) => {
  const url = await inFastify();
  const answer = await send(url, post('/json', body, type === undefined ? {} : { 'content-type': type }));
  expect(answer.status, answer.body).toBe(status);
  if (status === 400) expect(errorsOf(answer).code).toBe('BAD_REQUEST');
  const form = new FormData();
  form.append('file', new Blob(['abc']), 'a.txt');
  form.append('b', 'c');
  const upload = await fetch(`${url}/form`, { method: 'POST', headers: withToken, body: form });
  expect(await upload.json()).toMatchObject({ b: 'c' });
});

describe('a body that was parsed before the connector got it', () => {
  const hosts = {
    'express.json()': () => inExpress([express.json()]),
    'express.text()': () => inExpress([express.text({ type: '*/*' })]),
    'express.raw()': () => inExpress([express.raw({ type: '*/*' })]),
    'no parser (control)': () => inExpress([]),
    'Fastify, with parsers': async () => {
      const app = fastify();
      const handle = toNodeHandler(makeApp());
      app.all('/*', async (request, reply) => {
        reply.hijack();
        await handle(Object.assign(request.raw, { body: request.body }), reply.raw);
      });
      onTestFinished(() => void app.close());
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
    'Fastify, without parsers': inFastify,
  };

  test.each(Object.entries(hosts))('%s: reaches it all the same', async (_name, start) => {
    const url = await start();
    const loggedIn = await send(url, post('/initialize', JSON.stringify(login)));
    expect(JSON.parse(loggedIn.body)).toEqual([{ key: 'x-token', value: 'token-of-alice', sensitive: true }]);
    const created = await send(url, post('/json', '{"title":"Größe"}'));
    expect([created.status, created.body]).toEqual([200, '{"title":"Größe"}']);
    const wrong = await send(url, post('/json', '{"title":7}'));
    expect([wrong.status, errorsOf(wrong).code]).toEqual([400, 'BAD_REQUEST']);
    const empty = await send(url, post('/text', '', { 'content-length': '0' }));
    expect([empty.status, empty.body]).toEqual([200, '']);
    expect((await send(url, { path: '/ok', headers: withToken })).body).toBe('done');
  });

  test('compressed JSON and forms do too, and the limit still counts', async () => {
    const url = await inExpress([express.json({ type: '*/*+json' }), express.json(), express.urlencoded()]);
    const ofVendor = await send(url, post('/json', '{"title":"a"}', { 'content-type': 'application/vnd.api+json' }));
    expect(ofVendor.body).toBe('{"title":"a"}');
    expect((await send(url, post('/text', '', { ...json, 'content-length': '0' }))).body).toBe('');
    const zipped = await fetch(`${url}/json`, {
      method: 'POST',
      headers: { ...withToken, ...json, 'content-encoding': 'gzip' },
      body: gzipSync('{"title":"zipped"}'),
    });
    expect(await zipped.json()).toEqual({ title: 'zipped' });
    const form = await send(
      url,
      post('/form', 'a=1&a=2&b=x%26y', { 'content-type': 'application/x-www-form-urlencoded' }),
    );
    expect(JSON.parse(form.body)).toEqual({ a: ['1', '2'], b: 'x&y' });
    const large = await send(url, post('/json', JSON.stringify({ title: 'x'.repeat(1000) })));
    expect([large.status, errorsOf(large).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('and whose bytes are still there, as `rawBody`, arrives byte for byte (D1)', async () => {
    const keep = (request: object, _response: unknown, rawBody: Buffer) => void Object.assign(request, { rawBody });
    const url = await inExpress([express.json({ verify: keep }), express.urlencoded({ extended: true, verify: keep })]);
    const numbers = '{ "id": 12345678901234567890 }';
    expect((await send(url, post('/text', numbers))).body).toBe(numbers);
    const form = await send(url, post('/text', 'a[b]=1', { 'content-type': 'application/x-www-form-urlencoded' }));
    expect([form.status, form.body]).toEqual([200, 'a[b]=1']);
    const zipped = await fetch(`${url}/text`, {
      method: 'POST',
      headers: { ...withToken, ...json, 'content-encoding': 'gzip' },
      body: gzipSync(numbers),
    });
    expect(await zipped.text()).toBe(numbers);
  });

  test.each<[number, string, string, Uint8Array | string]>([
    [500, 'of a file', 'application/octet-stream', Uint8Array.of(0xff, 0xfe, 0, 1)],
    [500, 'of another charset', 'text/csv; charset=iso-8859-1', Buffer.from('Mü', 'latin1')],
    [200, 'of UTF-8', 'text/csv', 'Mü\uFFFD'],
    [200, 'of ASCII', 'text/csv; charset=iso-8859-1', 'Mu'],
  ])('as text is a %i where its bytes were those %s (D1)', async (status, _what, type, body) => {
    const url = await inExpress([express.text({ type: '*/*' })]);
    const bytes = Buffer.from(body);
    const inOnePiece = { method: 'POST', headers: { ...withToken, 'content-type': type }, body: bytes };
    const chunked = { ...inOnePiece, body: new Blob([bytes]).stream(), duplex: 'half' } as RequestInit;
    for (const request of [inOnePiece, ...(body === 'Mü\uFFFD' ? [] : [chunked])]) {
      const response = await fetch(`${url}/text`, request);
      expect(response.status).toBe(status);
      if (status === 200) expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    }
  });

  test.each(['GET', 'HEAD'])('and belongs to a %s, which has none for the connector (D1)', async (method) => {
    const url = await inExpress([express.json()]);
    const answer = await send(url, { ...post('/ok', '{"a":1}', { ...json, 'content-length': '7' }), method });
    expect([answer.status, answer.body]).toEqual([200, method === 'GET' ? 'done' : '']);
  });

  const deep = '['.repeat(30_000) + ']'.repeat(30_000);
  const isWritable = () => {
    try {
      return JSON.stringify(JSON.parse(deep)) === deep;
    } catch {
      return false;
    }
  };
  // Node 26 can write it.
  test.skipIf(isWritable())('and is nested too deeply to be made again: a 400 (E8)', async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const app = express().use(
      express.json(),
      toNodeHandler(async (request) => Response.json(await request.json()), { onError }),
    );
    const answer = await send(await listening(createServer(app)), post('/', deep));
    expect([answer.status, errorsOf(answer)]).toEqual([
      400,
      { code: 'BAD_REQUEST', message: 'The request body is nested too deeply.' },
    ]);
    expect(errors).toMatchObject([{ cause: expect.any(RangeError) }]);
  });

  test.each(['application/json', 'application/x-www-form-urlencoded'])(
    'and is of another type, which only names %s: nobody knows its bytes (E4)',
    async (type) => {
      const parse: RequestHandler = (request, _response, next) => {
        request.resume().once('end', () => next());
        request.body = { title: 'a' };
      };
      const url = await inExpress([parse]);
      const related = { 'content-type': `multipart/related; type=${type}` };
      expect((await send(url, post('/text', '--x--', related))).status).toBe(500);
      expect((await send(url, post('/text', '--x--', { 'content-type': type }))).status).toBe(200); // control
    },
  );

  test('and is gone: a 500 that says nothing, and an error for the log that says what to do (E4)', async () => {
    const errors: unknown[] = [];
    const drain: RequestHandler = (request, _response, next) => {
      request.resume().once('end', () => next());
    };
    const url = await inExpress([drain], (error) => errors.push(error));
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const answer = await send(url, post('/text', 'title=gone', { 'content-type': type }));
      expect([type, answer.status, errorsOf(answer).code]).toEqual([type, 500, 'INTERNAL_ERROR']);
    }
    const message = expect.stringMatching(/^The body of the request was read before .*`body`/);
    expect(errors).toMatchObject([{ message }, { message }]);
    // What needs no body is answered.
    expect((await send(url, { path: '/ok', headers: withToken })).body).toBe('done');
  });
});

describe('a path that cannot be decoded is the mistake of the caller', () => {
  const malformed = '/items/%E0%A4%A';

  test('Express: 400, and a URIError of a route stays a 500', async () => {
    const app = express();
    app.get('/items/:id', (request, response) => void response.json(request.params.id));
    app.get('/own', () => void decodeURIComponent('%'));
    app.use(connectorNotFound(), connectorErrorHandler());
    const url = await listening(createServer(app));
    const answer = await send(url, { path: malformed });
    expect([answer.status, errorsOf(answer)]).toEqual([
      400,
      { code: 'BAD_REQUEST', message: 'The path of the request cannot be decoded.' },
    ]);
    expect((await send(url, { path: '/items/7' })).body).toBe('"7"');
    expect((await send(url, { path: '/own' })).status).toBe(500);
  });

  test('Fastify: 400, and parts that are too long: 414, with `frameworkErrors`', async () => {
    const onError = vi.fn();
    const app = fastify({ frameworkErrors: connectorFrameworkErrors({ onError }) });
    await app.register(connectorPlugin);
    app.get<{ Params: { id: string } }>('/items/:id', async (request) => request.params.id);
    onTestFinished(() => void app.close());
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const answer = await send(url, { path: malformed });
    expect([answer.status, errorsOf(answer).code]).toEqual([400, 'BAD_REQUEST']);
    const long = await send(url, { path: `/items/${'x'.repeat(101)}` });
    const [major, minor] = app.version.split('.').map(Number) as [number, number];
    const noRoute = `There is no route for GET /items/${'x'.repeat(101)}.`; // before Fastify 5.9
    const [status, code, message, told] =
      major === 4 || minor < 9
        ? [404, 'NOT_FOUND', noRoute, 1]
        : [414, 'CONNECTOR_ERROR', 'A part of the path is too long.', 2];
    expect([long.status, long.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
    expect(errorsOf(long)).toEqual({ code, message });
    expect(onError).toHaveBeenCalledTimes(told as number);
  });
});

describe("Fastify's not-found handler", () => {
  const own = (app: FastifyInstance) => app.setNotFoundHandler((_request, reply) => void reply.code(404).send('own'));

  async function answers(build: (app: FastifyInstance) => unknown, path = '/none') {
    const app = fastify();
    await build(app);
    onTestFinished(() => void app.close());
    const answer = await send(await app.listen({ port: 0, host: '127.0.0.1' }), { path });
    expect(answer.status).toBe(404);
    return answer.body;
  }

  test('that is there already stays', async () => {
    expect(await answers(async (app) => own(app).register(connectorPlugin))).toBe('own');
    const inScope = async (app: FastifyInstance) => {
      own(app);
      await app.register(async (scope) => {
        await scope.register(connectorPlugin);
        scope.get('/fail', () => {
          throw new Error('canary');
        });
      });
    };
    expect(await answers(inScope)).toBe('own');
  });

  test('that comes later is told of by `notFound: false`', async () => {
    const later = async (app: FastifyInstance) => {
      await app.register(connectorPlugin, { notFound: false });
      own(app);
    };
    expect(await answers(later)).toBe('own');
  });

  test('is ours else, and under a prefix of its own (control)', async () => {
    const message = 'There is no route for GET /none.';
    expect(JSON.parse(await answers((app) => app.register(connectorPlugin))).errors.message).toBe(message);
    const prefixed = async (app: FastifyInstance) => {
      own(app);
      await app.register(async (scope) => void (await scope.register(connectorPlugin)), { prefix: '/sdk' });
    };
    expect(JSON.parse(await answers(prefixed, '/sdk/none')).errors.code).toBe('NOT_FOUND');
    expect(await answers(prefixed)).toBe('own');
  });

  test('`notFound` that is no boolean is a TypeError that names it', async () => {
    const app = fastify();
    await expect(app.register(connectorPlugin, { notFound: 'no' } as never).ready()).rejects.toThrow('`notFound`');
  });
});

test.each<[string, RequestHandler]>([
  ['res.sendFile()', (_request, response) => response.sendFile('/nonexistent/7')],
  ['res.download()', (_request, response) => response.download('/nonexistent/7')],
  ['express.static()', express.static('/nonexistent', { fallthrough: false })],
])('a file that is not there is a 404 with %s, and its path is not shown (E4)', async (_name, handler) => {
  const app = express().use('/files', handler).use(connectorErrorHandler());
  const answer = await send(await listening(createServer(app)), { path: '/files/7' });
  expect([answer.status, errorsOf(answer)]).toEqual([
    404,
    { code: 'NOT_FOUND', message: 'The requested resource is not available.' },
  ]);
});
