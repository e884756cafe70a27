// Whatever middleware makes of a refused request, it makes no success of it (rule D6).
import { type Context, Hono, type Next } from 'hono';
import { describe, expect, test, vi } from 'vitest';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const refused = [{}, { 'x-token': 'no' }, { 'x-token': 'dead' }];

type Middleware = (c: Context, next: Next) => unknown;

function connectorWith(middleware: Middleware, verify = vi.fn(async (_token: string) => {})) {
  let runs = 0;
  const connector = makeConnector({
    verify: async (session) => {
      await verify(session['X-Token']);
      await new Promise((resolve) => setImmediate(resolve));
      return session['X-Token'] !== 'dead';
    },
  });
  connector.use(async (_c, next) => next());
  connector.use(middleware as never);
  connector.get('/items', (c) => {
    runs += 1;
    return c.text('items');
  });
  return { connector: connector as unknown as Hono, runs: () => runs };
}

const places: Record<string, (connector: Hono) => Hono> = {
  alone: (connector) => connector,
  'below a path': (connector) => new Hono().route('/api', connector),
  mounted: (connector) => new Hono().mount('/api', connector.fetch),
};

describe.each(Object.entries(places))('%s', (where, put) => {
  const path = where === 'alone' ? '/items' : '/api/items';

  const successes: Record<string, Middleware> = {
    'is faster than what is behind it': (c, next) => Promise.race([next(), Promise.resolve(c.text('cached'))]),
    'answers while what is behind it is at work': async (c, next) => {
      next();
      return c.text('mine');
    },
    'puts another response in the place': async (c, next) => {
      await next();
      c.res = new Response('mine');
    },
    'puts a redirect in the place': async (c, next) => {
      await next();
      c.res = c.redirect('/mine');
    },
    'takes the response away and answers': async (c, next) => {
      await next();
      c.res = undefined;
      return c.text('mine');
    },
    'answers after all': async (c, next) => {
      await next();
      return c.text('mine');
    },
  };
  test.each(Object.entries(successes))('middleware that %s', async (_how, middleware) => {
    const { connector, runs } = connectorWith(middleware);
    const url = await start(put(connector));
    for (const headers of refused) {
      const answer = await send(url, { path, headers });
      expect([answer.status, errorsOf(answer).code, answer.headers.location]).toEqual([401, 'UNAUTHORIZED', undefined]);
    }
    expect(runs()).toBe(0);
    expect((await send(url, { path, headers: withToken })).status).toBeLessThan(400);
  });

  test('middleware that neither answers nor goes on: a 401, and a 500 for who is admitted (E4)', async () => {
    for (const silent of [async (_c: Context, _next: Next) => {}, async () => {}]) {
      const { connector } = connectorWith(silent);
      const url = await start(put(connector));
      for (const headers of refused) expect((await send(url, { path, headers })).status).toBe(401);
      const answer = await send(url, { path, headers: withToken });
      expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
    }
  });
});

test('`verify` is asked once a request all the same (D5)', async () => {
  const verify = vi.fn(async (_token: string) => {});
  const { connector } = connectorWith(async (c, next) => {
    await next();
    c.res = new Response('mine');
  }, verify);
  const url = await start(connector);
  for (const token of ['dead', 'alive']) await send(url, { path: '/items', headers: { 'x-token': token } });
  expect(verify.mock.calls).toEqual([['dead'], ['alive']]);
});

test('middleware may go on to make another error of a refusal, and answers preflights (control)', async () => {
  const { connector } = connectorWith(async (c, next) => {
    await next();
    c.res = c.req.method === 'OPTIONS' ? new Response(null, { status: 204 }) : c.json({ message: 'Mine' }, 403);
  });
  const url = await start(connector);
  expect((await send(url, { path: '/items' })).status).toBe(403);
  expect((await send(url, { method: 'OPTIONS', path: '/items' })).status).toBe(204);
});
