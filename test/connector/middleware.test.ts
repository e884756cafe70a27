import { ForbiddenError } from 'concordat';
import { createConnector } from 'concordat/connector';
import { type Context, Hono, type Next } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Sent, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const credentials = JSON.stringify({ user: 'alice', password: 'canary-password' });

/** A connector with one route of each sort, and with middleware that writes down what it sees. */
function watched(seen: string[], options: Parameters<typeof makeConnector>[0] = {}) {
  const connector = makeConnector({ cleanup: () => {}, maxBodyBytes: 1_000, ...options });
  connector.use(requestId({ generator: () => 'id-1' }), cors());
  connector.use(async (c, next) => {
    await next();
    seen.push(`${c.req.method} ${c.req.path} ${c.res.status}`);
  });
  connector.get('/items', (c) => c.json([]));
  connector.post('/items', async (c) => c.json(await c.req.json()));
  connector.get('/denied', () => {
    throw new ForbiddenError('Not yours');
  });
  return connector;
}

describe('middleware of a connector sees every request (D6)', () => {
  test.each<[string, Sent, number]>([
    ['a login', { method: 'POST', path: '/initialize', body: credentials }, 200],
    ['a login that is refused', { method: 'POST', path: '/initialize', body: '{}' }, 400],
    ['the end of a session', { method: 'POST', path: '/cleanup', headers: withToken }, 204],
    ['the end of a session that there is not', { method: 'POST', path: '/cleanup' }, 401],
    ['a request', { path: '/items', headers: withToken }, 200],
    ['one without a session', { path: '/items' }, 401],
    ['one with a session that is refused', { path: '/items', headers: { 'x-token': 'no' } }, 401],
    ['one whose session is over', { path: '/items', headers: { 'x-token': 'dead' } }, 401],
    ['an error', { path: '/denied', headers: withToken }, 403],
    ['an unknown path', { path: '/nope', headers: withToken }, 404],
    ['an unknown path without a session', { path: '/nope' }, 404],
    ['a body that is too large', { method: 'POST', path: '/items', headers: withToken, body: 'x'.repeat(1_001) }, 413],
  ])('%s', async (_what, request, status) => {
    const seen: string[] = [];
    const url = await start(watched(seen, { verify: (session) => session['X-Token'] !== 'dead' }));
    const answer = await send(url, { ...request, headers: { ...request.headers, origin: 'https://ui.example.com' } });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'id-1', 'access-control-allow-origin': '*' });
    expect(seen).toEqual([`${request.method ?? 'GET'} ${request.path} ${status}`]);
  });

  test('and answers a preflight, which has no session', async () => {
    const url = await start(watched([]));
    for (const path of ['/items', '/initialize', '/nope']) {
      const answer = await send(url, {
        method: 'OPTIONS',
        path,
        headers: { origin: 'https://ui.example.com', 'access-control-request-method': 'GET' },
      });
      expect([path, answer.status]).toEqual([path, 204]);
      expect(answer.headers['access-control-allow-methods']).toContain('GET');
    }
  });

  test('also below a prefix, below a base path, and mounted', async () => {
    for (const [prefix, put] of [
      ['/api', (connector: Hono) => new Hono().route('/api', connector)],
      ['/api', (connector: Hono) => new Hono().mount('/api', connector.fetch)],
      ['/api', (connector: Hono) => new Hono().basePath('/api').route('/', connector)],
    ] as const) {
      const seen: string[] = [];
      const url = await start(put(watched(seen) as unknown as Hono));
      await send(url, { method: 'POST', path: `${prefix}/initialize`, body: credentials });
      await send(url, { path: `${prefix}/items` });
      await send(url, { path: `${prefix}/nope` });
      expect(seen.map((line) => line.replace('/api', ''))).toEqual([
        'POST /initialize 200',
        'GET /items 401',
        'GET /nope 404',
      ]);
    }
  });

  test('also where a route takes all paths: logins stay logins', async () => {
    const seen: string[] = [];
    const connector = watched(seen);
    connector.all('*', (c) => c.text('proxied'));
    const url = await start(connector);
    expect((await send(url, { method: 'POST', path: '/initialize', body: credentials })).status).toBe(200);
    expect((await send(url, { method: 'POST', path: '/cleanup', headers: withToken })).status).toBe(204);
    expect((await send(url, { method: 'POST', path: '/other', headers: withToken })).body).toBe('proxied');
    expect((await send(url, { method: 'POST', path: '/other' })).status).toBe(401);
    expect(seen).toEqual(['POST /initialize 200', 'POST /cleanup 204', 'POST /other 200', 'POST /other 401']);
  });

  test('it runs for routes that are added after it, as in every Hono app (control)', async () => {
    const seen: string[] = [];
    const connector = makeConnector();
    connector.get('/before', (c) => c.text('ok'));
    connector.use(async (c, next) => {
      seen.push(c.req.path);
      await next();
    });
    connector.get('/after', (c) => c.text('ok'));
    const url = await start(connector);
    await send(url, { path: '/before', headers: withToken });
    await send(url, { path: '/after', headers: withToken });
    expect(seen).toEqual(['/after']);
  });
});

describe('the session in middleware (D6)', () => {
  test('is there where the request brings one, and undefined where it brings none', async () => {
    const seen: unknown[] = [];
    const connector = makeConnector();
    connector.use(async (c, next) => {
      seen.push(c.get('session'));
      await next();
      seen.push(c.get('session'));
    });
    connector.get('/items', (c) => c.json([]));
    const url = await start(connector);
    await send(url, { path: '/items', headers: withToken });
    await send(url, { path: '/items' });
    await send(url, { method: 'POST', path: '/initialize', body: credentials });
    const session = { 'X-Token': 'token-of-alice' };
    expect(seen).toEqual([session, session, undefined, undefined, undefined, undefined]);
  });

  test('middleware that fails for want of it is a 401 and no 500', async () => {
    const connector = makeConnector();
    connector.use('/items', async (c, next) => {
      c.header('x-user', c.get('session')['X-Token']);
      await next();
    });
    connector.get('/items', (c) => c.json([]));
    const url = await start(connector);
    expect((await send(url, { path: '/items' })).status).toBe(401);
    expect((await send(url, { method: 'POST', path: '/items' })).status).toBe(404); // nobody else handles it
    expect((await send(url, { path: '/items', headers: withToken })).headers['x-user']).toBe('token-of-alice');
  });

  test.each<[string, string, number, (next: Next) => Promise<void>]>([
    ['a refusal of its own', '/items', 403, () => Promise.reject(new ForbiddenError('Not from here'))],
    ['a failure at a login, which needs none', '/initialize', 500, () => Promise.reject(new Error('no table'))],
    ['a failure after it went on', '/items', 500, (next) => next().then(() => Promise.reject(new Error('no table')))],
  ])('%s, thrown by middleware, stays what it is', async (_what, path, status, fail) => {
    const connector = makeConnector();
    connector.use(async (_c, next) => fail(next));
    expect((await send(await start(connector), { method: 'POST', path, body: credentials })).status).toBe(status);
  });
});

describe('nothing is served without a session (D6)', () => {
  const serving: Record<string, (c: Context, next: Next) => Promise<Response | undefined>> = {
    'returns it': async (c, _next) => c.text('a secret'),
    'sets it': async (c, _next) => {
      c.res = new Response('a secret');
      return undefined;
    },
    redirects: async (c, _next) => c.redirect('https://secret.example.com'),
  };
  test.each(Object.entries(serving))('by middleware that %s', async (_how, middleware) => {
    const connector = makeConnector({ verify: (session) => session['X-Token'] !== 'dead' });
    connector.use('/files/*', middleware);
    const url = await start(connector);
    for (const headers of [{}, { 'x-token': 'dead' }]) {
      const answer = await send(url, { path: '/files/1', headers });
      expect([answer.status, JSON.stringify(answer)]).toEqual([401, expect.not.stringContaining('secret')]);
    }
    expect(JSON.stringify(await send(url, { path: '/files/1', headers: withToken }))).toContain('secret');
  });

  test('by a handler that takes no `next`, and by one that is mounted: they do not even run', async () => {
    const ran: string[] = [];
    const connector = makeConnector();
    connector.use('/used', (c) => {
      ran.push('used');
      return Promise.resolve(c.text('a secret'));
    });
    connector.mount('/mounted', () => {
      ran.push('mounted');
      return new Response('a secret');
    });
    connector.route(
      '/routed',
      new Hono().use(async (c, _next) => {
        ran.push('routed');
        return c.text('a secret');
      }),
    );
    const url = await start(connector);
    for (const path of ['/used', '/mounted', '/routed/1']) {
      expect((await send(url, { method: 'DELETE', path })).status).toBe(401);
    }
    expect(ran).toEqual([]);
  });

  test('by a connector behind the middleware: that of the first is asked', async () => {
    const make = (name: string) =>
      createConnector({
        initialize: { parameters: z.object({}), handler: () => ({ [`x-${name}`]: '1' }) },
        session: z.object({ [`x-${name}`]: z.string() }),
      }) as unknown as Hono;
    const [a, b] = [make('a'), make('b')];
    let ran = false;
    a.use(async (_c, next) => next());
    b.get('/secret', (c) => {
      ran = true;
      return c.text('a secret');
    });
    const url = await start(new Hono().route('/', a).route('/', b));
    expect((await send(url, { path: '/secret', headers: { 'x-b': '1' } })).status).toBe(401);
    expect(ran).toBe(false);
    expect((await send(url, { path: '/secret', headers: { 'x-a': '1', 'x-b': '1' } })).body).toBe('a secret');
  });
});

describe('compress() before a route that fails', () => {
  const failing = async () => {
    const connector = makeConnector();
    connector.use(compress({ threshold: 1 }));
    connector.get('/thrown', () => {
      throw new ForbiddenError('Not yours', { code: 'CLOSED' });
    });
    connector.get('/returned', (c) => c.json({ message: 'Not yours' }, 403));
    connector.get('/fine', (c) => c.json({ ok: true }));
    return start(connector);
  };

  test.each(['/thrown', '/returned', '/nope'])('leaves an error that can be read: %s', async (path) => {
    const response = await fetch((await failing()) + path, { headers: withToken });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect((await response.json()).errors.message).toMatch(/Not yours|no route/);
  });

  test('and a success as before (control)', async () => {
    const response = await fetch(`${await failing()}/fine`, { headers: withToken });
    expect(await response.json()).toEqual({ ok: true });
  });
});
