import { Readable } from 'node:stream';
import { logError } from 'concordat/connector';
import { connectorFrameworkErrors, connectorPlugin } from 'concordat/connector/fastify';
import { gracefulClose } from 'concordat/connector/node';
import fastify from 'fastify';
import * as endSystem from './end-system.js';
import { read, readParameters, readSession, sessionHeaders, toParameters } from './read.js';

// Turns paths that Fastify cannot decode into responses of the contract; the plugin below does so for unknown routes and errors.
// Both log errors with file and line; as JSON lines with NODE_ENV=production.
const errors = { sessionHeaders, onError: logError };
export const connector = fastify({ frameworkErrors: connectorFrameworkErrors(errors) });
await connector.register(connectorPlugin, errors);

// Needs no session: the Dockerfile's health check.
connector.get('/health', async () => ({ ok: true }));

connector.post('/initialize', async (request, reply) => {
  const session = await endSystem.logIn(readParameters(request.body));
  return reply.header('cache-control', 'no-store').send(toParameters(session));
});

connector.post('/cleanup', async (request, reply) => {
  await endSystem.logOut(readSession(request.headers));
  return reply.code(204).send();
});

connector.get('/items', async (request) => {
  const session = readSession(request.headers);
  const query = read(endSystem.itemQuery, request.query, 'The query is not valid');
  return endSystem.listItems(session, query);
});

connector.get<{ Params: { id: string } }>('/items/:id', async (request) => {
  const session = readSession(request.headers);
  return endSystem.getItem(session, request.params.id);
});

connector.get<{ Params: { id: string } }>('/items/:id/file', async (request, reply) => {
  const session = readSession(request.headers);
  const { headers, body } = await endSystem.getFile(session, request.params.id);
  return reply.headers(headers).send(Readable.from(body));
});

connector.post('/items', async (request, reply) => {
  const session = readSession(request.headers);
  const item = read(endSystem.newItem, request.body, 'The request body is not valid');
  return reply.code(201).send(await endSystem.createItem(session, item));
});

connector.put<{ Params: { id: string } }>('/items/:id', async (request) => {
  const session = readSession(request.headers);
  const update = read(endSystem.itemUpdate, request.body, 'The request body is not valid');
  return endSystem.updateItem(session, request.params.id, update);
});

export async function start({ port, hostname = '127.0.0.1' }: { port: number; hostname?: string }) {
  const closeServer = gracefulClose(connector.server);
  const url = await connector.listen({ port, host: hostname });
  return {
    url,
    /** Loses no request that finishes within 10 seconds; the rest is cut off. */
    async close() {
      await closeServer();
      await connector.close();
    },
  };
}
