import { createServer, type IncomingMessage, request as nodeRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Admin } from 'concordat/admin';
import { toNodeHandler } from 'concordat/connector/node';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A way to put the administration below a path of a host. */
export interface Mount {
  readonly name: string;
  readonly basePath: string;
  listener(admin: Admin): Listener | Promise<Listener>;
}

const honoListener = (app: Hono): Listener => getRequestListener(app.fetch);

async function inFastify(admin: Admin): Promise<Listener> {
  const administration = toNodeHandler(admin);
  const app = fastify();
  app.register(async (scope) => {
    // The body stays unread: the administration reads it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const handler = (request: { raw: IncomingMessage }, reply: { raw: ServerResponse; hijack(): void }) => {
      reply.hijack();
      return administration(request.raw, reply.raw);
    };
    scope.all('/admin', handler);
    scope.all('/admin/*', handler);
  });
  await app.ready();
  return (request, response) => app.routing(request, response);
}

export const mounts: readonly Mount[] = [
  { name: 'node:http at the root', basePath: '', listener: (admin) => toNodeHandler(admin) },
  { name: 'node:http', basePath: '/admin', listener: (admin) => toNodeHandler(admin) },
  { name: 'node:http, nested', basePath: '/a/b/admin', listener: (admin) => toNodeHandler(admin) },
  { name: 'express', basePath: '/admin', listener: (admin) => express().use('/admin', toNodeHandler(admin)) },
  {
    name: 'express, nested',
    basePath: '/a/settings',
    listener: (admin) => express().use('/a', express.Router().use('/settings', toNodeHandler(admin))),
  },
  {
    name: 'express behind body parsers',
    basePath: '/admin',
    listener: (admin) =>
      express()
        .use(express.json(), express.urlencoded({ extended: true }))
        .use('/admin', toNodeHandler(admin)),
  },
  { name: 'fastify', basePath: '/admin', listener: inFastify },
  {
    name: "hono's mount",
    basePath: '/admin',
    listener: (admin) => honoListener(new Hono().mount('/admin', admin.fetch)),
  },
  {
    name: "hono's all",
    basePath: '/admin',
    listener: (admin) => honoListener(new Hono().all('/admin/*', (c) => admin.fetch(c.req.raw, c.env))),
  },
  {
    name: "hono's all, nested",
    basePath: '/a/admin',
    listener: (admin) =>
      honoListener(
        new Hono().route(
          '/a',
          new Hono().all('/admin/*', (c) => admin.fetch(c.req.raw, c.env)),
        ),
      ),
  },
  {
    name: "hono's mount, nested",
    basePath: '/a/admin',
    listener: (admin) => honoListener(new Hono().route('/a', new Hono().mount('/admin', admin.fetch))),
  },
  {
    name: "hono's mount that keeps the path",
    basePath: '/admin',
    listener: (admin) => honoListener(new Hono().mount('/admin', admin.fetch, { replaceRequest: false })),
  },
  {
    name: 'a proxy that keeps the path',
    basePath: '/admin',
    listener: (admin) => proxyTo(toNodeHandler(admin), { remove: '' }),
  },
  {
    name: 'a proxy that removes the path',
    basePath: '/admin',
    listener: (admin) => proxyTo(toNodeHandler(admin), { remove: '/admin' }),
  },
];

/** As nginx does by default: the service sees the proxy's address and its own host name. */
export async function proxyTo(target: Listener, { remove }: { remove: string }): Promise<Listener> {
  const upstream = createServer(target);
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  upstream.unref();
  const { port } = upstream.address() as AddressInfo;
  return (request, response) => {
    const path = request.url?.startsWith(remove) ? request.url.slice(remove.length) || '/' : request.url;
    const headers = {
      ...request.headers,
      host: `upstream.internal:${port}`,
      'x-forwarded-host': 'keys.example.com',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': remove,
      'x-forwarded-for': '203.0.113.7',
    };
    const forwarded = nodeRequest({ host: '127.0.0.1', port, method: request.method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  };
}
