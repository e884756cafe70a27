// What the connector uses of Hono beyond its documentation. A version that moves it fails here, not in a connector.
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { inspectRoutes } from 'hono/dev';
import { findTargetHandler } from 'hono/utils/handler';
import { expect, test } from 'vitest';
import { makeConnector } from './support/start.js';

const handler = () => new Response('ok');

test('`findTargetHandler` of hono/utils/handler finds the handler that `route` has wrapped', async () => {
  const inner = new Hono().onError(() => new Response('inner')).get('/items', handler);
  const middle = new Hono().onError(() => new Response('middle')).route('/v1', inner);
  const [route] = new Hono().route('/api', middle).routes;
  expect(route?.handler).not.toBe(handler);
  expect(findTargetHandler(route?.handler as never)).toBe(handler);
});

test("what describes an app of Hono finds a connector's routes, and the marks of its handlers", () => {
  const mark = Symbol('openapi');
  const marked = Object.assign((c: Context) => c.text('ok'), { [mark]: 'described' });
  const connector = makeConnector();
  connector.use(async (_c, next) => next());
  connector.get('/items', marked);
  const routes = inspectRoutes(connector).filter(({ path }) => path === '/items');
  expect(routes).toMatchObject([{ method: 'GET', isMiddleware: false }]);
  const handlers = connector.routes.filter(({ path }) => path === '/items').map((route) => route.handler);
  expect(handlers).toMatchObject([{ [mark]: 'described' }]);
});

test('`matchedRoutes` and `routeIndex` of a request tell which handlers a request matches, and which is running', async () => {
  const seen: [number, unknown[]][] = [];
  const app = new Hono();
  const middleware: MiddlewareHandler = async (c, next) => {
    seen.push([c.req.routeIndex, c.req.matchedRoutes.map((route) => route.handler)]);
    await next();
  };
  app.get('/other', middleware).use(middleware).use('/items', middleware).get('/items', handler);
  await app.request('/items');
  const all = [middleware, middleware, handler];
  expect(seen).toEqual([
    [0, all],
    [1, all],
  ]);
});

test('every handler passes `add` of the `router` option, with the route that `routes` lists', () => {
  const { router } = new Hono();
  const added: string[] = [];
  const { add } = router;
  const watched: typeof router = {
    name: 'watched',
    add(method, path, target) {
      added.push(`${method} ${path} ${target[0] === target[1].handler}`);
      add.call(router, method, path, target);
    },
    match: (method, path) => router.match(method, path),
  };
  const app = new Hono({ router: watched });
  app
    .use(async (_c, next) => next())
    .get('/a', handler)
    .on('PURGE', '/b', handler)
    .all('/c', handler)
    .mount('/d', handler);
  app.route('/e', new Hono().get('/f', handler));
  app.basePath('/g').post('/h', handler);
  expect(added).toEqual([
    'ALL /* true',
    'GET /a true',
    'PURGE /b true',
    'ALL /c true',
    'ALL /d/* true',
    'GET /e/f true',
    'POST /g/h true',
  ]);
});

test('`c.req.bodyCache` holds what has been read of a body', async () => {
  const app = new Hono().post('/', async (c) => {
    const before = Object.keys(c.req.bodyCache).length;
    await c.req.json().catch(() => {});
    return c.json([before, Object.keys(c.req.bodyCache).length, await c.req.text()]);
  });
  const response = await app.request('/', { method: 'POST', body: '{"broken' });
  expect(await response.json()).toEqual([0, 1, '{"broken']);
});
