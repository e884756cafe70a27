import { createConnector } from 'concordat/connector';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { errorsOf, send } from './support/send.js';
import { makeConnector, parameters, session, start, withToken } from './support/start.js';

function connectorWithHealth(openPaths = ['/health']) {
  const connector = makeConnector({ openPaths, verify: (session) => session['X-Token'] !== 'dead' });
  connector.get('/health', (c) => c.json({ ok: true, user: c.get('session')?.['X-Token'] }));
  connector.get('/health/deep', (c) => c.text('guarded'));
  connector.get('/pages/:page', (c) => c.text(c.req.param('page')));
  connector.post('/health', (c) => c.text('posted'));
  return connector;
}

describe('`openPaths` (D7)', () => {
  test('need no session, whatever the method; all others do', async () => {
    const url = await start(connectorWithHealth());
    expect((await send(url, { path: '/health' })).body).toBe('{"ok":true}');
    expect((await send(url, { method: 'POST', path: '/health' })).body).toBe('posted');
    expect((await send(url, { path: '/health?deep=1' })).status).toBe(200);
    for (const path of ['/health/deep', '/pages/1']) expect((await send(url, { path })).status).toBe(401);
    for (const path of ['/health/', '/Health', '//health']) {
      expect([path, (await send(url, { path })).status]).toEqual([path, 404]);
    }
  });

  test('a session that comes along is there, and one that is over does no harm', async () => {
    const url = await start(connectorWithHealth());
    expect(JSON.parse((await send(url, { path: '/health', headers: withToken })).body).user).toBe('token-of-alice');
    expect((await send(url, { path: '/health', headers: { 'x-token': 'dead' } })).status).toBe(200);
  });

  test('an open path of a route with parameters opens that path alone', async () => {
    const url = await start(connectorWithHealth(['/pages/about']));
    expect((await send(url, { path: '/pages/about' })).body).toBe('about');
    expect((await send(url, { path: '/pages/other' })).status).toBe(401);
    expect((await send(url, { path: '/health' })).status).toBe(401);
  });

  test('one without a route is a 404', async () => {
    const url = await start(connectorWithHealth(['/health', '/ready']));
    expect((await send(url, { path: '/ready' })).status).toBe(404);
  });

  test.each([
    ['route', (connector: Hono) => new Hono().route('/api/:tenant', connector)],
    ['mount', (connector: Hono) => new Hono().mount('/api/one', connector.fetch)],
    ['a base path of the app', (connector: Hono) => new Hono().basePath('/api').route('/one', connector)],
  ])('are below the path of the connector: %s', async (_how, put) => {
    const url = await start(put(connectorWithHealth() as unknown as Hono));
    expect((await send(url, { path: '/api/one/health' })).status).toBe(200);
    expect((await send(url, { path: '/api/one/health/deep' })).status).toBe(401);
    expect((await send(url, { path: '/health' })).status).toBe(404);
  });

  test('below a base path of the connector', async () => {
    const connector = createConnector({
      initialize: { parameters: parameters, handler: () => ({ 'x-token': 'abc' }) },
      session: session,
      openPaths: ['/api/health', '/items'],
    }).basePath('/api');
    connector.get('/health', (c) => c.text('ok'));
    connector.get('/items', (c) => c.text('ok'));
    for (const [app, prefix] of [
      [connector, ''],
      [new Hono().route('/outer/:name', connector), '/outer/one'],
    ] as const) {
      const url = await start(app);
      expect((await send(url, { path: `${prefix}/api/health` })).body).toBe('ok');
      expect((await send(url, { path: `${prefix}/api/items` })).status).toBe(401);
    }
  });

  test('are no paths of the parts of a connector: each is named whole', async () => {
    const connector = makeConnector({ openPaths: ['/health', '/open/health', '/'] });
    const part = () => new Hono().get('/health', (c) => c.text('ok')).get('/', (c) => c.text('ok'));
    connector.route('/admin', part()).route('/open', part());
    connector.basePath('/group').get('/health', (c) => c.text('ok'));
    connector.get('/', (c) => c.text('ok'));
    for (const [app, prefix] of [
      [connector, ''],
      [new Hono().route('/open', connector), '/open'],
    ] as const) {
      const url = await start(app);
      for (const path of ['/admin/health', '/admin', '/open', '/group/health']) {
        expect([path, (await send(url, { path: prefix + path })).status]).toEqual([path, 401]);
      }
      expect((await send(url, { path: `${prefix}/open/health` })).status).toBe(200);
      expect((await send(url, { path: prefix || '/' })).status).toBe(200);
    }
  });

  test('are not open below a pattern, which may be any number of parts', async () => {
    const connector = connectorWithHealth() as unknown as Hono;
    connector.get('/:any/health', (c) => c.text('guarded'));
    for (const at of ['/:at{a/b|c}', '/:at{.+}']) {
      const url = await start(new Hono().route(at, connector));
      for (const path of ['/c/x/health', '/a/b/health']) expect((await send(url, { path })).status).toBe(401);
      expect((await send(url, { path: '/c/health', headers: withToken })).status).toBe(200);
    }
  });

  test('of a connector below another open nothing of that one (D5)', async () => {
    const outer = makeConnector();
    outer.route('/inner', connectorWithHealth());
    const url = await start(outer);
    expect((await send(url, { path: '/inner/health' })).status).toBe(401);
    expect((await send(url, { path: '/inner/health', headers: withToken })).status).toBe(200);
  });

  test('answer as they are made, a 503 of a health check too; what they throw is the contract', async () => {
    const connector = makeConnector({ openPaths: ['/health', '/broken'] });
    connector.get('/health', (c) => c.json({ database: 'down' }, 503));
    connector.get('/broken', () => {
      throw new Error('canary');
    });
    const url = await start(connector);
    expect(await send(url, { path: '/health' })).toMatchObject({ status: 503, body: '{"database":"down"}' });
    expect(errorsOf(await send(url, { path: '/broken' })).code).toBe('INTERNAL_ERROR');
  });

  test.each([[['health']], [['/a b']], [['/items/:id']], [['/items/*']], [[7]], [[['/health']]], ['/health'], [{}]])(
    '%j is a TypeError',
    (openPaths) => {
      expect(() => makeConnector({ openPaths: openPaths as never })).toThrow(/^`openPaths(\[0\])?` must be/);
    },
  );
});
