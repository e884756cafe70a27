import { Agent, request } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type AdminOptions, createAdmin } from 'concordat/admin';
import { toNodeHandler } from 'concordat/connector/node';
import express from 'express';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AdminHost, basic, inDays, listen, send, startAdmin } from './helpers/admin-host.js';
import { accept, initialize } from './helpers/mcp.js';

type Handler = Parameters<typeof listen>[0];

/** Ways in which a host puts the administration below /admin. */
const mounts: [string, (admin: ReturnType<typeof createAdmin>) => Handler][] = [
  ['toNodeHandler(admin)', (admin) => toNodeHandler(admin)],
  ['toNodeHandler(admin.fetch)', (admin) => toNodeHandler(admin.fetch)],
  [
    "hono's app.mount",
    (admin) => {
      const app = new Hono().get('/', (c) => c.text('host'));
      app.mount('/admin', admin.fetch);
      return getRequestListener(app.fetch);
    },
  ],
  [
    "hono's app.mount that keeps the path",
    (admin) => {
      const app = new Hono().get('/', (c) => c.text('host'));
      app.mount('/admin', admin.fetch, { replaceRequest: false });
      return getRequestListener(app.fetch);
    },
  ],
  [
    "hono's app.all",
    (admin) => getRequestListener(new Hono().all('/admin/*', (c) => admin.fetch(c.req.raw, c.env)).fetch),
  ],
  ["express's app.use", (admin) => express().use('/admin', toNodeHandler(admin))],
];

const directory = (host: AdminHost) => ({
  findById: async (id: string) => host.users.get(id),
  findByUsername: async (name: string) => host.users.get(`u-${name}`),
});

it('a client in a browser gets CORS from the host, and the id of its session', async () => {
  const host = await startAdmin();
  const origin = 'https://assistant.example.com';
  const admin = createAdmin({
    apiKeys: host.apiKeys,
    users: directory(host),
    edition: 'Professional',
    basePath: '/admin',
    allowedHosts: ['assistant.example.com'],
  });
  onTestFinished(() => admin.close());
  const app = new Hono();
  app.use('/admin/mcp', cors({ origin, exposeHeaders: ['mcp-session-id'] }));
  app.all('/admin/*', (c) => admin.fetch(c.req.raw, c.env));
  const preflight = await app.request('http://localhost/admin/mcp', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x-api-key']);
  const { key } = await host.key('u-alice', 'Assistant');
  const headers = new Headers({ origin, 'x-api-key': key });
  for (let index = 0; index < accept.length; index += 2) headers.set(String(accept[index]), String(accept[index + 1]));
  const begun = await app.request('http://localhost/admin/mcp', {
    method: 'POST',
    headers,
    body: JSON.stringify(initialize),
  });
  expect(begun.status).toBe(200);
  expect(begun.headers.get('access-control-allow-origin')).toBe(origin);
  expect(begun.headers.get('access-control-expose-headers')).toBe('mcp-session-id');
  expect(begun.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/);
  await begun.body?.cancel();
});

it.each(mounts)("the client's address is that of the socket: %s", async (_, mount) => {
  const host = await startAdmin();
  const addresses: string[] = [];
  const admin = createAdmin({
    apiKeys: host.apiKeys,
    users: directory(host),
    edition: 'Professional',
    basePath: '/admin',
    onAuthenticationFailure: (_failure, address) => addresses.push(address),
  });
  const server = await listen(mount(admin));
  onTestFinished(async () => {
    await admin.close();
    await server.close();
  });
  expect((await send(server.port, { path: '/admin/api/v1/me', headers: ['x-api-key', 'wrong'] })).status).toBe(401);
  expect(addresses).toEqual(['127.0.0.1']);
});

it.each(mounts)('a large body that is refused leaves the connection for the next request: %s', async (_, mount) => {
  const host = await startAdmin();
  const admin = createAdmin({
    apiKeys: host.apiKeys,
    users: directory(host),
    edition: 'Professional',
    basePath: '/admin',
  });
  const server = await listen(mount(admin));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(async () => {
    agent.destroy();
    await admin.close();
    await server.close();
  });
  const sockets = new Set<unknown>();
  const post = (body: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { port: server.port, method: 'POST', path: '/admin/api/v1/api-keys', agent };
      request(options, (response) => {
        sockets.add(response.socket);
        response.resume().once('end', () => resolve(response.statusCode));
      })
        .once('error', reject)
        .end(body);
    });
  expect(await post('x'.repeat(900_000))).toBe(401);
  expect(await post('{}')).toBe(401);
  expect(sockets.size).toBe(1);
});

describe('below /admin', () => {
  it.each(mounts)('%s: the API with bodies and locations, MCP, and the throttle by socket', async (_, mount) => {
    const host = await startAdmin();
    const failures: unknown[] = [];
    const admin = createAdmin({
      apiKeys: host.apiKeys,
      users: directory(host),
      edition: 'Professional',
      basePath: '/admin/',
      onAuthenticationFailure: (failure) => failures.push(failure),
    });
    const server = await listen(mount(admin));
    onTestFinished(async () => {
      await admin.close();
      await server.close();
    });
    const { key } = await host.key('u-alice', 'Acting');
    const created = await send(server.port, {
      method: 'POST',
      path: '/admin/api/v1/api-keys',
      headers: ['x-api-key', key],
      body: { name: 'Export', expiresOn: inDays(300) },
    });
    expect(created.status).toBe(201);
    expect(created.headers.location).toBe(`/admin/api/v1/api-keys/${created.body.id}`);
    const found = await send(server.port, { path: created.headers.location as string, headers: ['x-api-key', key] });
    expect(found.body).toMatchObject({ name: 'Export' });
    const searched = await send(server.port, {
      path: '/admin/api/v1/api-keys?search=exp&limit=1',
      headers: ['x-api-key', key],
    });
    expect(searched.body.items).toMatchObject([{ name: 'Export' }]);
    const session = await send(server.port, {
      method: 'POST',
      path: '/admin/mcp',
      headers: ['x-api-key', key, ...accept],
      body: initialize,
    });
    expect(session.status).toBe(200);
    expect(session.text).toContain('protocolVersion');
    expect((await send(server.port, { path: '/admin/api/v1/openapi.json' })).body.servers).toEqual([
      { url: '/admin/api/v1' },
    ]);
    // Repeated headers are told apart from the list as it arrived (K8).
    const twice = ['authorization', `ApiKey ${key}`, 'authorization', `ApiKey ${key}`];
    expect((await send(server.port, { path: '/admin/api/v1/me', headers: twice })).status).toBe(401);
    expect(failures).toEqual([{ reason: 'repeated-header' }]);
    for (let count = 0; count < 10; count++) {
      await send(server.port, { path: '/admin/api/v1/me', headers: ['x-api-key', 'wrong'] });
    }
    expect((await send(server.port, { path: '/admin/api/v1/me', headers: ['x-api-key', 'wrong'] })).status).toBe(429);
    expect((await send(server.port, { path: '/admin/api/v1/me', headers: ['x-api-key', key] })).status).toBe(200);
  });
});

describe('behind a proxy that removes the beginning of the base path', () => {
  const start = async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Acting');
    return async (basePath: string, removed: string, section?: string) => {
      const fetch = () => new Response('of the host');
      const sections = section === undefined ? [] : [{ name: section, title: 'Own', fetch }];
      const options = { apiKeys: host.apiKeys, users: directory(host), edition: 'Professional', basePath, sections };
      const admin = createAdmin(options);
      const handle = toNodeHandler(admin);
      const server = await listen((request, response) => {
        expect(request.url?.startsWith(removed)).toBe(true);
        request.url = request.url?.slice(removed.length);
        return handle(request, response);
      });
      onTestFinished(async () => {
        await admin.close();
        await server.close();
      });
      return (path: string, more: object = {}) =>
        send(server.port, { path: basePath + path, headers: ['x-api-key', key, ...accept], ...more });
    };
  };

  it.each(['/acme/eu/admin', '/acme/eu/api-keys', '/acme/users/api', '/acme/users/mcp', '/acme/api-keys/sign-in'])(
    '%s: pages, API and MCP are found, whatever is removed',
    async (basePath) => {
      const mounted = await start();
      const [, first, second] = basePath.split('/');
      for (const removed of ['', `/${first}`, `/${first}/${second}`, basePath]) {
        const ask = await mounted(basePath, removed);
        expect((await ask('/api/v1/me')).status).toBe(200);
        expect((await ask('/api/v1/api-keys')).body.items).toHaveLength(1);
        expect((await ask('/mcp', { method: 'POST', body: initialize })).status).toBe(200);
        expect((await ask('/')).headers.location).toBe(`${basePath}/sign-in`);
        expect((await ask('/sign-in')).status).toBe(200);
        for (const page of ['/api-keys', '/users']) {
          const next = encodeURIComponent(basePath + page);
          expect((await ask(page)).headers.location).toBe(`${basePath}/sign-in?next=${next}`);
        }
      }
    },
  );

  it('own paths stay, though a section has the name of what is below them', async () => {
    const mounted = await start();
    expect((await (await mounted('/x/api', '/x/api', 'v1'))('/api/v1/me')).status).toBe(200);
    const next = encodeURIComponent('/x/api-keys/api-keys/new');
    const keys = await mounted('/x/api-keys', '/x/api-keys', 'new');
    expect((await keys('/api-keys/new')).headers.location).toBe(`/x/api-keys/sign-in?next=${next}`);
  });

  it('the own pages of a mount without the whole of it stay', async () => {
    const mounted = await start();
    // `/users` is a page of its own, and not what is left of `/acme/users`.
    const ask = await mounted('/acme/users', '/acme/users');
    expect((await ask('/users')).headers.location).toBe('/acme/users/sign-in?next=%2Facme%2Fusers%2Fusers');
    const api = await mounted('/acme/api/v1', '/acme/api/v1');
    expect((await api('/api/v1/api-keys')).body.items).toHaveLength(1);
  });
});

describe('TRACE', () => {
  it.each(['/admin', '/'])(
    'is a 405, although fetch can make no such request anew: mounted at %s of express',
    async (at) => {
      const host = await startAdmin({ admin: { basePath: '/admin' } });
      const server = await listen(express().use(at, toNodeHandler(host.admin)));
      onTestFinished(() => server.close());
      const { key } = await host.key('u-alice', 'Acting');
      const answer = await send(server.port, {
        method: 'TRACE',
        path: '/admin/api/v1/me',
        headers: ['x-api-key', key],
      });
      expect([answer.status, answer.headers.allow, host.errors]).toEqual([405, 'GET, HEAD', []]);
    },
  );
});

describe('without an adapter', () => {
  it('`fetch` takes a plain Request, and refuses joined headers all the same (K8)', async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Export');
    const get = (headers: [string, string][]) =>
      host.admin.fetch(new Request('http://localhost/api/v1/me', { headers }));
    expect((await get([['x-api-key', key]])).status).toBe(200);
    expect((await get([['authorization', basic('alice')[1] as string]])).status).toBe(200);
    for (const name of ['x-api-key', 'authorization']) {
      const value = name === 'x-api-key' ? key : `ApiKey ${key}`;
      const twice = await get([
        [name, value],
        [name, value],
      ]);
      expect(twice.status).toBe(401);
    }
    expect((await get([['authorization', `${basic('alice')[1]}, ApiKey ${key}`]])).status).toBe(401);
  });

  it('never rejects: a host hook that throws is reported, and the answer stays what it is', async () => {
    const errors: unknown[] = [];
    const host = await startAdmin();
    const admin = createAdmin({
      apiKeys: host.apiKeys,
      users: directory(host),
      edition: 'Professional',
      onAuthenticationFailure: () => {
        throw new Error('the log is full');
      },
      onError: (error) => {
        errors.push(error);
        throw new Error('this one, too');
      },
    });
    onTestFinished(() => admin.close());
    const answer = await admin.fetch(new Request('http://localhost/api/v1/me'));
    expect(answer.status).toBe(401);
    expect(errors).toMatchObject([{ message: 'the log is full' }]);
  });
});

describe('options', () => {
  it.each<[string, unknown, object?]>([
    ['apiKeys', undefined],
    ['apiKeys', {}],
    ['users', undefined],
    ['users', { findById: () => undefined }],
    ['edition', undefined],
    ['edition', ''],
    ['edition', 7],
    ['basePath', 'admin'],
    ['basePath', '/a/../b'],
    ['basePath', '//evil.example'],
    ['basePath', '/admin?x'],
    ['basePath', '/ad min'],
    ['basePath', '/api-keys'],
    ['basePath', '/api/v1/'],
    ['publicUrl', 'keys.example.com'],
    ['publicUrl', 'https://keys.example.com/admin'],
    ['publicUrl', 'ftp://keys.example.com'],
    ['lookUpTimeoutMs', 0],
    ['authenticate', 'session'],
    ['authenticate', undefined, { signInUrl: '/login' }],
    ['signInUrl', 'javascript:alert(1)', { authenticate: () => 'u' }],
    ['verifyPassword', true],
    ['sessionSecret', 'short'],
    ['sessionSecret', new Uint8Array(31)],
    ['sessionSecret', 7],
    ['clock', {}],
    ['throttle', { failed: () => {} }],
    ['clientAddress', 'x-forwarded-for'],
    ['onAuthenticationFailure', true],
    ['onError', 'log'],
    ['session', {}],
    ['basepath', '/admin'],
  ])('a wrong `%s` (%j) is a TypeError that names it', async (name, value, others) => {
    const host = await startAdmin();
    const good: AdminOptions = { apiKeys: host.apiKeys, users: directory(host), edition: 'Professional' };
    const options = { ...good, ...others, [name]: value };
    expect(() => createAdmin(options)).toThrow(TypeError);
    expect(() => createAdmin(options)).toThrow(new RegExp(`^\`${name}\``));
    await createAdmin(good).close();
  });

  it('a base path that begins like a section is a TypeError: where it is removed, the two look alike', async () => {
    const { apiKeys, users } = await startAdmin();
    const sections = [{ name: 'orders', title: 'Orders', fetch: () => new Response() }];
    const directory = { findById: (id: string) => users.get(id), findByUsername: () => undefined };
    const options: AdminOptions = { apiKeys, users: directory, edition: 'Professional', sections };
    expect(() => createAdmin({ ...options, basePath: '/orders/keys' })).toThrow('`basePath` must not begin with');
    await createAdmin({ ...options, basePath: '/shop/orders' }).close();
  });

  it('no options at all is a TypeError', () => {
    expect(() => createAdmin(undefined as never)).toThrow('`options`');
  });

  it.each(['', '/', '/admin', '/admin/', '/a/b-c/~d.e_f'])('the base path %j is fine', async (basePath) => {
    const host = await startAdmin({ admin: { basePath } });
    const path = `${basePath.replace(/\/$/, '')}/api/v1/me`;
    expect((await host.send({ path, headers: basic('alice') })).status).toBe(200);
  });
});
