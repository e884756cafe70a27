// What is behind the middleware of a connector is guarded by it, whatever it is and whoever put it there (rule D6).
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono, type Next } from 'hono';
import { mount } from 'hono/mount';
import { describe, expect, test } from 'vitest';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

/** Requests that are not admitted: without a session, with one that the schema refuses, and with one that is over. */
const refused = [{}, { 'x-token': 'no' }, { 'x-token': 'dead' }];

const make = (options: Parameters<typeof makeConnector>[0] = {}) =>
  makeConnector({ verify: async (session) => session['X-Token'] !== 'dead', ...options });

function behindMiddleware() {
  const connector = make();
  connector.use(async (_c, next) => next());
  connector.get('/known', (c) => c.text('known'));
  return new Hono().route('/', connector);
}

describe('what another app has behind the middleware of a connector', () => {
  const places: Record<string, (app: Hono, serving: (c: Context) => Response) => unknown> = {
    'app.mount': (app, serving) => app.mount('/', new Hono().all('*', serving).fetch),
    'app.all with mount()': (app, serving) => app.all('/*', mount(new Hono().all('*', serving).fetch)),
    'app.use that answers': (app, serving) => app.use('*', async (c, _next: Next) => serving(c)),
    'app.all that takes `next`': (app, serving) => app.all('*', async (c, _next: Next) => serving(c)),
    'app.get and app.delete': (app, serving) => app.get('*', serving).delete('*', serving),
    'another connector that is mounted': (app, serving) =>
      app.mount('/', makeConnector({ verify: () => true }).all('*', serving as never).fetch),
  };

  test.each(Object.entries(places))('by %s, runs for no refused request', async (_how, put) => {
    let runs = 0;
    const app = behindMiddleware();
    put(app, (c) => {
      runs += 1;
      return c.text('served');
    });
    const url = await start(app);
    for (const headers of refused) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await send(url, { method, path: '/secret', headers });
        expect([answer.status, errorsOf(answer).code]).toEqual([401, 'UNAUTHORIZED']);
      }
    }
    expect(runs).toBe(0);
    expect((await send(url, { path: '/secret', headers: withToken })).body).toBe('served');
  });

  test('files of serveStatic stay where they are', async () => {
    const app = behindMiddleware();
    app.use('*', serveStatic({ root: './docs' }));
    const url = await start(app);
    for (const headers of refused) expect((await send(url, { path: '/rules.md', headers })).status).toBe(401);
    expect((await send(url, { path: '/rules.md', headers: withToken })).status).toBe(200);
  });

  test('where there is nothing, it is a 404 for everybody (control)', async () => {
    const url = await start(behindMiddleware());
    for (const headers of [...refused, withToken]) {
      expect((await send(url, { path: '/nope', headers })).status).toBe(404);
    }
  });
});

describe('a route for all paths is a 401 for a session that is over, so that the service logs in again', () => {
  const routes: Record<string, (connector: Hono) => unknown> = {
    'connector.mount': (connector) => connector.mount('/', () => new Response('served')),
    'connector.all that takes `next`': (connector) => connector.all('*', async (c, _next) => c.text('served')),
    'a part with a handler for all': (connector) =>
      connector.route(
        '/',
        new Hono().all('*', async (c, _next) => c.text('served')),
      ),
  };
  test.each(Object.entries(routes))('%s', async (_how, add) => {
    for (const use of [false, true]) {
      const connector = make();
      if (use) connector.use(async (_c, next) => next());
      add(connector as unknown as Hono);
      const url = await start(connector);
      for (const headers of refused) expect((await send(url, { path: '/any', headers })).status).toBe(401);
      expect((await send(url, { path: '/any', headers: withToken })).body).toBe('served');
    }
  });
});
