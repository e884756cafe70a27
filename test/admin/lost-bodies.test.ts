import { createAdmin } from 'concordat/admin';
import { toNodeHandler } from 'concordat/connector/node';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inDays, listen, send, startAdmin } from './helpers/admin-host.js';
import { accept, initialize } from './helpers/mcp.js';

type Listener = Parameters<typeof listen>[0];
type Wrap = (admin: ReturnType<typeof createAdmin>) => Listener | Promise<Listener>;

/** Hosts that read a body and keep nothing of it. */
const readers: [string, Wrap][] = [
  [
    'an express middleware',
    (admin) =>
      express()
        .use((request, _response, next) => {
          request.resume().on('end', next);
        })
        .use('/admin', toNodeHandler(admin)),
  ],
  [
    "fastify's parsers",
    async (admin) => {
      const administration = toNodeHandler(admin);
      const app = fastify();
      app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
        done(null, body),
      );
      app.all('/admin/*', (request, reply) => {
        reply.hijack();
        return administration(request.raw, reply.raw);
      });
      await app.ready();
      return (request, response) => app.routing(request, response);
    },
  ],
  [
    "hono's middleware, with the path",
    (admin) =>
      toNodeHandler(
        new Hono()
          .use(async (c, next) => {
            if (c.req.method === 'POST') await c.req.raw.arrayBuffer();
            await next();
          })
          .all('/admin/*', (c) => admin.fetch(c.req.raw, c.env)),
      ),
  ],
  [
    "hono's middleware, without the path",
    (admin) =>
      toNodeHandler(async (request: Request) => {
        const below = new Request(request.url.replace('/admin', ''), request);
        await below.arrayBuffer();
        return await admin.fetch(below);
      }),
  ],
];

describe.each(readers)('a body that %s has read', (_, wrap) => {
  it('is reported as that, to the client and to the host', async () => {
    const host = await startAdmin();
    const errors: unknown[] = [];
    const admin = createAdmin({
      apiKeys: host.apiKeys,
      users: { findById: (id) => host.users.get(id), findByUsername: (name) => host.users.get(`u-${name}`) },
      edition: 'Professional',
      basePath: '/admin',
      onError: (error) => errors.push(error),
    });
    const server = await listen(await wrap(admin));
    onTestFinished(async () => {
      await admin.close();
      await server.close();
    });
    const { key } = await host.key('u-alice', 'Export');
    const post = (path: string, headers: readonly string[], body: object | string) =>
      send(server.port, { method: 'POST', path: `/admin${path}`, headers: ['x-api-key', key, ...headers], body });
    const said = /The body of this request was read before the administration got it\. Mount/;
    const answers = [
      await post('/api/v1/api-keys', [], { name: 'New', expiresOn: inDays(1) }),
      await post('/mcp', accept, initialize),
      await post('/sign-in', ['content-type', 'application/x-www-form-urlencoded'], 'username=alice'),
    ];
    expect(answers.map(({ status, text }) => [status, said.test(text)])).toEqual(Array(3).fill([500, true]));
    expect(errors).toHaveLength(3);
    for (const error of errors) expect(String((error as Error).message)).toMatch(said);
  });
});

describe('a body that a parser of express has read', () => {
  it('is a 400 when it is nested too deeply to be made again, and a 401 without credentials', async () => {
    const host = await startAdmin({ admin: { basePath: '/admin' } });
    const listener = express().use(express.json()).use('/admin', toNodeHandler(host.admin));
    const server = await listen(listener);
    onTestFinished(() => server.close());
    const { key } = await host.key('u-alice', 'Export');
    const post = (headers: readonly string[]) =>
      send(server.port, {
        method: 'POST',
        path: '/admin/api/v1/api-keys',
        headers: ['content-type', 'application/json', ...headers],
        body: '['.repeat(30_000) + ']'.repeat(30_000),
      });
    const refused = await post(['x-api-key', key]);
    expect([refused.status, refused.body]).toEqual([
      400,
      { errorMessage: expect.stringContaining('The request body must be a JSON object'), stackTrace: null },
    ]);
    expect((await post([])).status).toBe(401);
  });

  it('is a 400 when a form has a field that holds an object, which no page sends', async () => {
    const host = await startAdmin({ admin: { basePath: '/admin' } });
    const listener = express()
      .use(express.urlencoded({ extended: true }))
      .use('/admin', toNodeHandler(host.admin));
    const server = await listen(listener);
    onTestFinished(() => server.close());
    const headers = ['content-type', 'application/x-www-form-urlencoded'];
    const body = 'username[a]=b&password=c';
    const answer = await send(server.port, { method: 'POST', path: '/admin/sign-in', headers, body });
    expect([answer.status, host.errors]).toEqual([400, []]);
    expect(answer.text).toContain('The form could not be read.');
  });
});
