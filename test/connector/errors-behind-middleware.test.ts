// What a handler has begun before it failed, and what middleware has begun before it, must not damage the error (rule E4).
import { NotFoundError } from 'concordat';
import { connectorErrors } from 'concordat/connector/hono';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { etag } from 'hono/etag';
import { HTTPException } from 'hono/http-exception';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { describe, expect, test } from 'vitest';
import { endSystem } from './support/end-system.js';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const early: MiddlewareHandler = async (c, next) => {
  c.res.headers.set('x-early', 'set before the handler');
  await next();
};
const middleware: [string, MiddlewareHandler | undefined][] = [
  ['no middleware', undefined],
  ['cors', cors()],
  ['secureHeaders', secureHeaders()],
  ['requestId', requestId()],
  ['compress', compress({ threshold: 1 })],
  ['etag', etag()],
  ['middleware of the author', early],
];

const begin = (c: Context) => {
  c.header('content-length', '3');
  c.header('content-encoding', 'gzip');
  c.header('content-range', 'bytes 0-2/3');
  c.header('content-type', 'application/pdf');
  c.header('cache-control', 'public, max-age=3600');
  c.header('expires', 'Thu, 01 Jan 2099 00:00:00 GMT');
};

const missing = { code: 'FILE_NOT_FOUND', message: 'No such file' };

async function expectMissing(url: string): Promise<void> {
  const answer = await send(url, { path: '/files/7', headers: withToken });
  expect(answer.status).toBe(404);
  expect(errorsOf(answer)).toEqual(missing);
  expect(answer.headers).not.toHaveProperty('content-range');
  expect(answer.headers).not.toHaveProperty('content-encoding');
  // A cache would serve it to others, or when the file is there.
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers).not.toHaveProperty('expires');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
}

describe.each(middleware)('behind %s', (_name, use) => {
  test.each<[string, (c: Context) => Response]>([
    [
      'thrown',
      () => {
        throw new NotFoundError('No such file', { code: 'FILE_NOT_FOUND' });
      },
    ],
    ['returned', (c) => c.json({ errors: missing }, 404)],
  ])('an error is whole that is %s after headers of a file were set', async (_how, fail) => {
    const connector = makeConnector();
    if (use) connector.use(use);
    connector.get('/files/7', (c) => {
      begin(c);
      return fail(c);
    });
    await expectMissing(await start(connector));
  });

  test('nor does it harm what the adapter writes', async () => {
    const app = new Hono().onError(connectorErrors());
    if (use) app.use(use);
    app.get('/files/7', (c) => {
      begin(c);
      throw new NotFoundError('No such file', { code: 'FILE_NOT_FOUND' });
    });
    await expectMissing(await start(app));
  });

  test.each<[string, (error: Error, c: Context) => Response, number]>([
    ['a body of its own', (_error, c) => c.json({ message: 'no such part' }, 404), 1],
    ["the contract's body", (_error, c) => c.json({ errors: { code: 'NOT_FOUND', message: 'no such part' } }, 404), 0],
    ['the response of an HTTPException', () => new HTTPException(404, { message: 'no such part' }).getResponse(), 1],
  ])('an app with an error handler of its own may respond with %s', async (_what, respond, reports) => {
    const failures: unknown[] = [];
    const connector = makeConnector({ onError: (error) => void failures.push(error) });
    if (use) connector.use(use);
    const sub = new Hono().onError(respond);
    sub.get('/x', () => {
      throw new Error('any');
    });
    connector.route('/sub', sub);
    const answer = await send(await start(connector), { path: '/sub/x', headers: withToken });
    expect(answer.status).toBe(404);
    expect(errorsOf(answer)).toMatchObject({ code: 'NOT_FOUND', message: 'no such part' });
    expect(failures.length).toBe(reports);
  });
});

const failures: [string, (c: Context) => Response | Promise<Response>][] = [
  [
    'thrown',
    () => {
      throw new NotFoundError('No such file', { headers: { 'set-cookie': 'e=1' } });
    },
  ],
  ['returned', (c) => c.json({ errors: missing }, 404)],
  ['fetched', async () => fetch(upstream)],
];
let upstream = '';

test.each(failures)('what middleware has set for every response stays on an error that is %s', async (how, fail) => {
  const strangers = { 'access-control-allow-origin': '*', 'x-request-id': 'up', 'set-cookie': 'u=1' };
  upstream = await endSystem({ status: 404, headers: strangers, body: { message: 'No such file' } });
  const connector = makeConnector();
  connector.use(requestId({ generator: () => 'mine' }), cors({ origin: 'https://app.example' }));
  connector.use(async (c, next) => {
    c.res.headers.append('set-cookie', 'm=1');
    c.res.headers.append('set-cookie', 'n=2');
    await next();
  });
  connector.get('/files/7', fail as never);
  const answer = await send(await start(connector), {
    path: '/files/7',
    headers: { ...withToken, origin: 'https://app.example' },
  });
  expect(answer.status).toBe(404);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example',
    'x-request-id': 'mine',
  });
  if (how === 'returned') expect(answer.headers['set-cookie']).toEqual(['m=1', 'n=2']);
  expect(answer.headers['set-cookie']).toEqual(expect.arrayContaining(['m=1', 'n=2']));
});

test('what middleware returns after the response does not replace it, as in Hono', async () => {
  const connector = makeConnector();
  connector.use(async (c, next) => {
    await next();
    return c.json({ errors: missing }, 404);
  });
  connector.get('/files/7', (c) => c.text('here'));
  const answer = await send(await start(connector), { path: '/files/7', headers: withToken });
  expect([answer.status, answer.body]).toEqual([200, 'here']);
});
