import { ConnectorError, ForbiddenError, RateLimitError } from 'concordat';
import { forbidden, notFound, rateLimited } from 'concordat/connector';
import { Hono } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { bearerAuth } from 'hono/bearer-auth';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import { describe, expect, test } from 'vitest';
import { endSystem } from './support/end-system.js';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const ask = (url: string, path: string, headers = {}) => send(url, { path, headers: { ...withToken, ...headers } });

describe('answers that a route returns', () => {
  test('rateLimited() carries the wait header of the connector (W2)', async () => {
    const connector = makeConnector({ rateLimit: { header: 'X-Wait', format: 'milliseconds' } });
    connector.get('/', () => rateLimited({ retryAfterMs: 1_500 }));
    const { status, headers } = await ask(await start(connector), '/');
    expect([status, headers['x-wait'], headers['retry-after']]).toEqual([403, '1500', undefined]);
  });

  test('also where middleware copies the answer', async () => {
    const connector = makeConnector({ rateLimit: { header: 'X-Wait', format: 'milliseconds' } });
    connector.use(cors(), async (c, next) => {
      await next();
      c.header('x-after', '1');
    });
    connector.get('/', () => {
      const response = rateLimited({ retryAfterMs: 1_500 });
      response.headers.set('x-own', '1');
      return response;
    });
    const { headers } = await ask(await start(connector), '/');
    expect(headers).toMatchObject({
      'x-wait': '1500',
      'x-own': '1',
      'x-after': '1',
      'access-control-allow-origin': '*',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(headers['retry-after']).toBeUndefined();
  });

  test('also in a sub-app, and in a connector that is mounted in another app', async () => {
    const connector = makeConnector({ rateLimit: { header: 'X-Wait', format: 'milliseconds' } });
    connector.route(
      '/deep',
      new Hono().get('/limit', async () => rateLimited({ retryAfterMs: 1_500 })),
    );
    const app = new Hono().use(cors()).route('/outer', connector);
    const { status, headers } = await ask(await start(app), '/outer/deep/limit');
    expect([status, headers['x-wait'], headers['retry-after']]).toEqual([403, '1500', undefined]);
  });

  test.each<[unknown, string]>([
    [undefined, 'A handler returned no response and did not await `next()`.'],
    [null, 'A handler returned null instead of a Response: write `return c.json(…)`.'],
    ['text', 'A handler returned a string instead of a Response: write `return c.text(…)`.'],
    [7, 'A handler returned a number instead of a Response: write `return c.json(…)`.'],
    [{ id: 7 }, 'A handler returned an object instead of a Response: write `return c.json(…)`.'],
    [[7], 'A handler returned an array instead of a Response: write `return c.json(…)`.'],
    [new Error('lost'), 'A handler returned an Error instead of a Response: write `throw error`.'],
  ])('%j is none: a 500, and `onError` hears what to write instead (E4)', async (returned, message) => {
    for (const isRouted of [false, true]) {
      const seen: unknown[] = [];
      const rateLimit = { policy: { limit: 2, windowMs: 1_000 } };
      const connector = makeConnector({ rateLimit, onError: (error) => void seen.push(error) });
      connector.get('/', (() => returned) as never);
      const answer = await ask(await start(isRouted ? new Hono().route('/', connector) : connector), '/');
      expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
      expect(seen).toEqual([new Error(message, returned instanceof Error ? { cause: returned } : {})]);
    }
  });

  test('lose the secrets of the session like thrown ones (E5)', async () => {
    const connector = makeConnector();
    connector.get('/', () => notFound('nothing for token-of-alice'));
    expect(errorsOf(await ask(await start(connector), '/')).message).toBe('nothing for [redacted]');
  });

  test('of their own making get the body of the contract, and lose secrets too (E4, E5)', async () => {
    const connector = makeConnector();
    connector.get('/', (c) => c.text('nothing for token-of-alice', 409));
    const answer = await ask(await start(connector), '/');
    expect([answer.status, errorsOf(answer)]).toEqual([
      409,
      { code: 'CONNECTOR_ERROR', message: 'nothing for [redacted]' },
    ]);
  });
});

describe('middleware', () => {
  test.each([
    ['bearerAuth', bearerAuth({ token: 'right' }), 401],
    ['basicAuth', basicAuth({ username: 'a', password: 'b' }), 401],
  ])('%s answers with a contract body', async (_name, middleware, status) => {
    const connector = makeConnector();
    connector.use('/guarded', middleware);
    connector.get('/guarded', (c) => c.text('ok'));
    const answer = await ask(await start(connector), '/guarded');
    expect([answer.status, errorsOf(answer).code]).toEqual([status, 'UNAUTHORIZED']);
    expect(answer.headers['www-authenticate']).toBeDefined();
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('headers that it prepared stay on error answers', async () => {
    const connector = makeConnector();
    connector.use(requestId({ generator: () => 'id-1' }), cors());
    connector.get('/', () => {
      throw new ForbiddenError('Not yours');
    });
    const { status, headers } = await ask(await start(connector), '/');
    expect(status).toBe(403);
    expect(headers).toMatchObject({ 'x-request-id': 'id-1', 'access-control-allow-origin': '*' });
  });

  test('cannot turn a denial into a limit, before the route or after it (W2)', async () => {
    const connector = makeConnector();
    connector.use('/before', async (c, next) => {
      c.res.headers.set('Retry-After', '5');
      await next();
    });
    connector.use('/prepared', async (c, next) => {
      c.header('Retry-After', '5');
      await next();
    });
    connector.use('/after', async (c, next) => {
      await next();
      c.header('Retry-After', '5');
    });
    connector.use('/replaced', async (_c, next) => {
      await next();
      throw new ForbiddenError('Not yours');
    });
    for (const path of ['/before', '/prepared', '/after']) {
      connector.get(path, () => {
        throw new ForbiddenError('Not yours');
      });
    }
    connector.get('/replaced', () => rateLimited({ retryAfterMs: 5_000 }));
    const url = await start(connector);
    for (const path of ['/before', '/prepared', '/after', '/replaced']) {
      const { status, headers, body } = await ask(url, path);
      expect([path, status, headers['retry-after'], body]).toEqual([
        path,
        403,
        undefined,
        '{"errors":{"code":"FORBIDDEN","message":"Not yours"}}',
      ]);
    }
  });

  test.each([
    [200, 'from elsewhere'],
    [404, '{"errors":{"code":"NOT_FOUND","message":"from elsewhere"}}'],
  ])('can put a fetched %i without its wait in the place of an error (W2)', async (status, body) => {
    const other = await endSystem({ status, headers: { 'retry-after': '5' }, body: 'from elsewhere' });
    const connector = makeConnector();
    connector.use(async (c, next) => {
      await next();
      c.res = undefined; // Hono would put the headers of the error over those of the other answer
      c.res = await fetch(other);
    });
    connector.get('/', () => notFound());
    const answer = await ask(await start(connector), '/');
    expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([status, body, undefined]);
  });

  test('an answer that is replaced by an error leaves no length or encoding behind', async () => {
    const connector = makeConnector();
    connector.use(async (_c, next) => {
      await next();
      throw new ConnectorError('Too late', { status: 500 });
    });
    connector.get('/', () => new Response('0123456789', { headers: { 'content-encoding': 'x', etag: '"1"' } }));
    const answer = await ask(await start(connector), '/');
    expect(errorsOf(answer).message).toBe('Too late');
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers.etag).toBeUndefined();
  });
});

describe('onError', () => {
  test('gets every error that is answered, as it was thrown, with the context', async () => {
    const seen: [unknown, string][] = [];
    const connector = makeConnector({ onError: (error, c) => void seen.push([error, c.req.path]) });
    const thrown = [new Error('canary'), new RateLimitError({ retryAfterMs: 1 }), 'text', undefined];
    connector.get('/:index', (c) => {
      throw thrown[Number(c.req.param('index'))];
    });
    connector.get('/returned/it', () => forbidden());
    const url = await start(connector);
    for (const index of thrown.keys()) await ask(url, `/${index}`);
    await ask(url, '/returned/it');
    expect(seen.map(([error]) => error)).toEqual(thrown);
    expect(seen.map(([, path]) => path)).toEqual(['/0', '/1', '/2', '/3']);
  });

  test('may fail, also later, without harm', async () => {
    const connector = makeConnector({ onError: () => Promise.reject(new Error('the log is full')) });
    connector.get('/', () => {
      throw new ForbiddenError();
    });
    expect((await ask(await start(connector), '/')).status).toBe(403);
  });
});

test('a body that fails before its first byte is cut and tells nothing (E4)', async () => {
  const connector = makeConnector();
  connector.get('/', () => {
    const body = new ReadableStream({
      pull() {
        throw new Error('canary');
      },
    });
    return new Response(body);
  });
  connector.get('/ok', (c) => c.text('ok'));
  const url = await start(connector);
  await expect(ask(url, '/').then(({ body, cut }) => ({ canary: body.includes('canary'), cut }))).resolves.toEqual({
    canary: false,
    cut: true,
  });
  expect((await ask(url, '/ok')).body).toBe('ok');
});

test('an answer that fetch has made is passed on as it is', async () => {
  const origin = makeConnector();
  origin.get('/', (c) => c.json({ from: 'origin' }, 200, { 'x-origin': '1' }));
  const originUrl = await start(origin);
  const connector = makeConnector();
  connector.get('/', () => fetch(originUrl, { headers: withToken }));
  const answer = await ask(await start(connector), '/');
  expect([answer.status, answer.body, answer.headers['x-origin']]).toEqual([200, '{"from":"origin"}', '1']);
});
