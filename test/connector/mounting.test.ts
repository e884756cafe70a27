import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { UnauthorizedError } from 'concordat';
import { createConnector } from 'concordat/connector';
import { toNodeHandler } from 'concordat/connector/node';
import express from 'express';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

/** A second copy of Hono in the process, as where an app and the connector need different versions. */
const { Hono: OtherHono } = createRequire(import.meta.url)('hono') as typeof import('hono');

const credentials = JSON.stringify({ user: 'alice', password: 'abc' });

function listen(app: ReturnType<typeof express>): Promise<string> {
  const server = createServer(app);
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function withItems() {
  const connector = makeConnector({ cleanup: () => {} });
  connector.get('/items/:id', (c) => c.text(c.req.param('id')));
  return connector as unknown as Hono;
}

const places: Record<string, (connector: Hono) => Promise<string>> = {
  route: (connector) => start(new Hono().route('/sdk-api/1.0', connector)),
  'route, beside middleware': (connector) =>
    start(new Hono().use(async (_c, next) => next()).route('/sdk-api/1.0', connector)),
  'route of a route': (connector) => start(new Hono().route('/sdk-api', new Hono().route('/1.0', connector))),
  'route of another copy of Hono': (connector) => start(new OtherHono().route('/sdk-api/1.0', connector)),
  mount: (connector) => start(new Hono().mount('/sdk-api/1.0', connector.fetch)),
  'basePath of the app': (connector) => start(new Hono().basePath('/sdk-api').route('/1.0', connector)),
  'a router of Express': (connector) => listen(express().use('/sdk-api/1.0', toNodeHandler(connector))),
};

describe.each(Object.entries(places))('below a path, by %s', (_how, put) => {
  const at = '/sdk-api/1.0';

  test('login, routes and logout are there', async () => {
    const url = await put(withItems());
    const login = await send(url, {
      method: 'POST',
      path: `${at}/initialize`,
      body: credentials,
      headers: { 'content-type': 'application/json' },
    });
    expect(login.status).toBe(200);
    expect((await send(url, { path: `${at}/items/7`, headers: withToken })).body).toBe('7');
    expect((await send(url, { method: 'POST', path: `${at}/cleanup`, headers: withToken })).status).toBe(204);
  });

  test('unknown routes have the body of the contract, and so have requests without a session (E4)', async () => {
    const url = await put(withItems());
    for (const headers of [withToken, {}]) {
      for (const [method, path] of [
        ['GET', '/nope'],
        ['DELETE', '/items/7'],
        ['GET', '/'],
      ] as const) {
        const answer = await send(url, { method, path: at + path, headers });
        expect([answer.status, errorsOf(answer).code]).toEqual([404, 'NOT_FOUND']);
      }
    }
    const refused = await send(url, { path: `${at}/items/7` });
    expect([refused.status, errorsOf(refused).code]).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('below a base path of the connector', () => {
  const make = () => {
    const connector = makeConnector({ cleanup: () => {} })
      .basePath('/sdk-api')
      .basePath('/1.0');
    connector.get('/items/:id', (c) => c.text(c.req.param('id')));
    connector.all('*', (c) => c.text('proxied'));
    return connector;
  };

  test('login, routes and logout are there, and a route for all paths does not take them', async () => {
    const url = await start(make());
    for (const at of ['/sdk-api/1.0', '']) {
      expect((await send(url, { method: 'POST', path: `${at}/initialize`, body: credentials })).status).toBe(200);
      expect((await send(url, { method: 'POST', path: `${at}/cleanup`, headers: withToken })).status).toBe(204);
      expect((await send(url, { method: 'POST', path: `${at}/cleanup` })).status).toBe(401);
    }
    expect((await send(url, { path: '/sdk-api/1.0/items/7', headers: withToken })).body).toBe('7');
    expect((await send(url, { path: '/sdk-api/1.0/items/7' })).status).toBe(401);
    expect((await send(url, { path: '/sdk-api/1.0/other', headers: withToken })).body).toBe('proxied');
  });

  test('and below a path of another app at the same time', async () => {
    const url = await start(new Hono().route('/outer', make()));
    const login = { method: 'POST', body: credentials };
    expect((await send(url, { ...login, path: '/outer/sdk-api/1.0/initialize' })).status).toBe(200);
    expect(errorsOf(await send(url, { path: '/outer/nope' })).code).toBe('NOT_FOUND');
  });

  test('where another connector is put, the login is that one’s', async () => {
    const outer = makeConnector();
    const inner = createConnector({
      initialize: { parameters: z.object({}), handler: () => ({ 'x-inner': 'of inner' }) },
      session: z.object({ 'x-inner': z.string() }),
    });
    outer.basePath('/v2').route('/', inner as never);
    const url = await start(outer);
    const login = await send(url, { method: 'POST', path: '/v2/initialize', headers: withToken, body: '{}' });
    expect(login.body).toContain('of inner');
  });
});

test('what comes behind a connector at the same path is reached', async () => {
  const app = new Hono();
  app.route('/api', withItems());
  app.get('/api/public', (c) => c.text('public'));
  app.route('/api', makeConnector().get('/more', (c) => c.text('more')) as never);
  const url = await start(app);
  expect((await send(url, { path: '/api/public' })).body).toBe('public');
  expect((await send(url, { path: '/api/more', headers: withToken })).body).toBe('more');
  expect(errorsOf(await send(url, { path: '/api/nope' })).code).toBe('NOT_FOUND');
});

test('what an app of another copy of Hono throws in a connector is answered as in any route (E4)', async () => {
  const other = new OtherHono();
  other.get('/items', () => {
    throw new UnauthorizedError('Gone', { code: 'GONE' });
  });
  const handled = new OtherHono().onError((_error, c) => c.text('Handled', 404));
  handled.route('/', other);
  const url = await start(withItems().route('/other', other).route('/handled', handled));
  const ask = async (path: string) => {
    const answer = await send(url, { path, headers: withToken });
    return [answer.status, errorsOf(answer)];
  };
  expect(await ask('/other/items')).toEqual([401, { code: 'GONE', message: 'Gone' }]);
  expect(await ask('/handled/items')).toEqual([404, { code: 'NOT_FOUND', message: 'Handled' }]);
});

test('the routes of a connector are listed for tools that read them', () => {
  const connector = makeConnector({ cleanup: () => {} });
  connector.use(async (_c, next) => next());
  connector.get('/items', (c) => c.text('ok'));
  expect(connector.routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'ALL /*',
    'GET /items',
    'POST /initialize',
    'POST /cleanup',
    'ALL /*',
  ]);
});

describe('a tenant in the path', () => {
  const make = () => {
    const seen: (string | undefined)[] = [];
    const connector = createConnector({
      initialize: {
        path: '/:tenant/initialize',
        parameters: z.object({ user: z.string() }),
        handler: ({ parameters: { user }, c }) => ({ 'x-session': `${c.req.param('tenant')}-${user}` }),
      },
      session: z.object({ 'x-session': z.string() }),
      verify: (session, c) => {
        seen.push(c.req.param('tenant'));
        return session['x-session'].startsWith(`${c.req.param('tenant')}-`);
      },
      cleanup: {
        path: '/:tenant/cleanup',
        handler: ({ session, c }) => {
          seen.push(`${c.req.param('tenant')} ended ${session['x-session']}`);
          if (c.req.param('tenant') === 'closed') throw new UnauthorizedError();
        },
      },
    });
    connector.use(async (_c, next) => next());
    connector.get('/:tenant/items', (c) => c.text(`${c.req.param('tenant')}: ${c.get('session')['x-session']}`));
    return { connector, seen };
  };

  test.each([
    ['alone', '', (connector: Hono) => connector],
    ['below a path', '/api', (connector: Hono) => new Hono().route('/api', connector)],
  ])('initialize, verify and cleanup get the context: %s', async (_where, at, put) => {
    const { connector, seen } = make();
    const url = await start(put(connector as unknown as Hono));
    const login = await send(url, { method: 'POST', path: `${at}/acme/initialize`, body: '{"user":"ada"}' });
    expect(JSON.parse(login.body)).toEqual([{ key: 'x-session', value: 'acme-ada', sensitive: true }]);
    const headers = { 'x-session': 'acme-ada' };
    expect((await send(url, { path: `${at}/acme/items`, headers })).body).toBe('acme: acme-ada');
    expect((await send(url, { path: `${at}/other/items`, headers })).status).toBe(401);
    expect((await send(url, { method: 'POST', path: `${at}/acme/cleanup`, headers })).status).toBe(204);
    expect(seen).toEqual(['acme', 'other', 'acme', 'acme ended acme-ada']);
  });
});
