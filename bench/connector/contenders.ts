// Every server answers the same request with the same contract body: an error that its handler throws.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { NotFoundError } from 'concordat';
import { createConnector, serve } from 'concordat/connector';
import { connectorErrorHandler } from 'concordat/connector/express';
import { connectorPlugin } from 'concordat/connector/fastify';
import { onConnectorError } from 'concordat/connector/hono';
import { toNodeHandler } from 'concordat/connector/node';
import express, { type ErrorRequestHandler } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { listen as listenOn } from '../listen.js';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

const type = 'application/json; charset=utf-8';
const code = 'ISSUE_NOT_FOUND';
const messageOf = (id: string | undefined) => `No issue ${id}`;
const bodyOf = (message: string) => ({ errors: { code, message } });
const failure = (id: string | undefined) => new NotFoundError(messageOf(id), { code });
const idOf = (url: string | undefined) => url?.slice('/issues/'.length);

class HttpError extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

function honoApp(): Hono {
  const app = new Hono();
  app.get('/issues/:id', (c) => {
    throw new HTTPException(404, { message: messageOf(c.req.param('id')) });
  });
  app.onError((error, c) => c.json(bodyOf(error.message), (error as HTTPException).status));
  return app;
}

/** Starts a server on a free port and answers with the port. */
export const contenders: Readonly<Record<string, () => Promise<number>>> = {
  'node:http that throws': () =>
    listen((request, response) => {
      try {
        throw new HttpError(messageOf(idOf(request.url)), 404);
      } catch (error) {
        const { status, message } = error as HttpError;
        writeJson(response, status, JSON.stringify(bodyOf(message)));
      }
    }),
  'node:http without an error': () =>
    listen((request, response) => writeJson(response, 404, JSON.stringify(bodyOf(messageOf(idOf(request.url)))))),
  'concordat createConnector + serve': async () => {
    const connector = createConnector({
      initialize: { parameters: z.object({ user: z.string() }), handler: () => ({ 'x-session': 'bench' }) },
      session: z.object({ 'x-session': z.string() }),
    });
    connector.get('/issues/:id', (c) => {
      throw failure(c.req.param('id'));
    });
    return (await serve(connector, { port: 0 })).port;
  },
  'concordat/connector/node': () =>
    listen(
      toNodeHandler((request) => {
        throw failure(request.url.slice(request.url.lastIndexOf('/') + 1));
      }) as Listener,
    ),
  'hono + node-server': () => listen(getRequestListener(honoApp().fetch) as Listener),
  // As Hono has to run beside other servers in the process, which refuse the node server's Response.
  "hono + node-server, the runtime's own Response": () =>
    listen(getRequestListener(honoApp().fetch, { overrideGlobalObjects: false }) as Listener),
  'hono + concordat/connector/hono': () => {
    const app = new Hono();
    app.get('/issues/:id', (c) => {
      throw failure(c.req.param('id'));
    });
    app.onError(onConnectorError);
    return listen(getRequestListener(app.fetch) as Listener);
  },
  'express 5': () => {
    const handler: ErrorRequestHandler = (error, _request, response, _next) => {
      response.status(error.status).json(bodyOf(error.message));
    };
    return listen(expressApp((id) => new HttpError(messageOf(id), 404)).use(handler));
  },
  'express 5 + concordat/connector/express': () => listen(expressApp(failure).use(connectorErrorHandler())),
  'fastify 5': async () => {
    const app = fastify();
    app.setErrorHandler((error, _request, reply) => {
      const { status, message } = error as HttpError;
      return reply.code(status).send(bodyOf(message));
    });
    app.get('/issues/:id', (request) => {
      throw new HttpError(messageOf((request.params as { id: string }).id), 404);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  },
  'fastify 5 + concordat/connector/fastify': async () => {
    const app = fastify();
    await app.register(connectorPlugin);
    app.get('/issues/:id', (request) => {
      throw failure((request.params as { id: string }).id);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  },
};

function expressApp(toError: (id: string | undefined) => Error) {
  const app = express();
  app.get('/issues/:id', (request) => {
    throw toError(request.params.id);
  });
  return app;
}

function writeJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

async function listen(listener: Listener): Promise<number> {
  return Number(new URL(await listenOn(createServer(listener))).port);
}
