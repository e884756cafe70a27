import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ForbiddenError, NotFoundError } from 'concordat';
import { createConnector, serve } from 'concordat/connector';
import { connectorErrorHandler, connectorNotFound as expressNotFound } from 'concordat/connector/express';
import { connectorPlugin } from 'concordat/connector/fastify';
import { connectorErrors, connectorNotFound as honoNotFound, onConnectorError } from 'concordat/connector/hono';
import { toNodeHandler } from 'concordat/connector/node';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { z } from 'zod';
import { asyncRoute } from './async-route.js';

export interface HostOptions {
  rateLimit?: { header: string; format: 'milliseconds' };
  exposeDetail?: boolean;
  sessionHeaders?: string[];
  onError?: (error: unknown) => void;
}

/**
 * A server on a free port: `GET /fail` throws what `fail` throws, `GET /ok` answers 200, `GET /late` fails half-way, and
 * `GET /stale` has prepared headers for another answer when it fails.
 */
export interface Host {
  url: string;
  close(): Promise<unknown>;
}

type Start = (fail: () => unknown, options?: HostOptions) => Promise<Host>;

const ok = { ok: true };

const stale = {
  'Retry-After': '5',
  ETag: '"1"',
  'Content-Encoding': 'gzip',
  Trailer: 'x-checksum',
  'Transfer-Encoding': 'chunked',
  'CDN-Cache-Control': 'max-age=60',
  'X-Request-Id': 'id-1',
};

function denied(): never {
  throw new ForbiddenError('Not yours');
}

function lateStream(): ReadableStream<Uint8Array> {
  let chunks = 0;
  return new ReadableStream({
    pull(controller) {
      chunks += 1;
      if (chunks > 3) throw new Error('canary: the stream failed');
      controller.enqueue(new TextEncoder().encode(`chunk ${chunks}\n`));
      return new Promise((resolve) => setTimeout(resolve, 2));
    },
  });
}

/** Every way to host a connector; one suite runs over all of them. */
export const hosts: Record<string, Start> = {
  createConnector: async (fail, options = {}) => {
    const { sessionHeaders = [], ...own } = options;
    const session = z.object(Object.fromEntries(sessionHeaders.map((name) => [name, z.string().optional()])));
    const connector = createConnector({
      initialize: { parameters: z.object({}), handler: () => ({}) },
      session,
      ...own,
    });
    connector.get('/ok', (c) => c.json(ok));
    connector.get('/fail', async () => (await fail()) as Response);
    connector.get('/late', () => new Response(lateStream()));
    connector.get('/stale', (c) => {
      for (const [name, value] of Object.entries(stale)) c.header(name, value);
      return denied();
    });
    return serve(connector, { port: 0, onError: options.onError });
  },

  hono: async (fail, options) => {
    const app = new Hono();
    app.onError(options ? connectorErrors(options) : onConnectorError);
    app.notFound(honoNotFound);
    app.get('/ok', (c) => c.json(ok));
    app.get('/fail', async () => (await fail()) as Response);
    app.get('/late', () => new Response(lateStream()));
    app.get('/stale', (c) => {
      for (const [name, value] of Object.entries(stale)) c.header(name, value);
      return denied();
    });
    return serve(app, { port: 0, onError: options?.onError });
  },

  express: async (fail, options) => {
    const app = express();
    app.use(express.json());
    app.get('/ok', (_request, response) => {
      response.json(ok);
    });
    app.get(
      '/fail',
      asyncRoute(async () => fail()),
    );
    app.get(
      '/late',
      asyncRoute(async (_request, response) => {
        response.write('chunk 1\n');
        await new Promise((resolve) => setTimeout(resolve, 2));
        throw new Error('canary: the stream failed');
      }),
    );
    app.get('/stale', (_request, response) => {
      response.set(stale).status(200);
      denied();
    });
    app.post('/json', (request, response) => {
      response.json(request.body);
    });
    app.use(expressNotFound());
    app.use(connectorErrorHandler(options));
    return listen(createServer(app));
  },

  fastify: async (fail, options = {}) => {
    const app = fastify();
    await app.register(connectorPlugin, options);
    app.get('/ok', async () => ok);
    app.get('/fail', async () => fail());
    app.get('/late', async (_request, reply) => {
      reply.raw.writeHead(200);
      reply.raw.write('chunk 1\n');
      await new Promise((resolve) => setTimeout(resolve, 2));
      throw new Error('canary: the stream failed');
    });
    app.get('/stale', async (_request, reply) => {
      reply.headers(stale).code(200);
      denied();
    });
    app.post('/json', async (request) => request.body);
    app.post('/checked', { schema: { body: { type: 'object', required: ['title'] } } }, async () => ok);
    const odd = Object.assign(new Error('title is odd'), { code: 'ODD' });
    app.post('/odd', { schema: { body: {} }, validatorCompiler: () => () => ({ error: odd }) }, async () => ok);
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return { url, close: () => app.close() };
  },

  node: async (fail, options) => {
    const handler = async (request: Request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/ok') return Response.json(ok);
      if (pathname === '/late') return new Response(lateStream());
      if (pathname === '/fail') return (await fail()) as Response;
      if (pathname === '/stale') denied();
      throw new NotFoundError(`There is no route for ${request.method} ${pathname}.`);
    };
    return listen(createServer(toNodeHandler(handler, options)));
  },
};

/** Listens on a free port. */
export async function listen(server: ReturnType<typeof createServer>): Promise<Host> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
