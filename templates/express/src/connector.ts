import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { logError } from 'concordat/connector';
import { connectorErrorHandler, connectorNotFound } from 'concordat/connector/express';
import { gracefulClose } from 'concordat/connector/node';
import express from 'express';
import * as endSystem from './end-system.js';
import { read, readParameters, readSession, sessionHeaders, toParameters } from './read.js';

export const connector = express();
connector.disable('x-powered-by');
connector.use(express.json({ limit: '1mb' }));

// Needs no session: the Dockerfile's health check.
connector.get('/health', (_request, response) => {
  response.json({ ok: true });
});

connector.post('/initialize', async (request, response) => {
  const session = await endSystem.logIn(readParameters(request.body));
  response.set('cache-control', 'no-store').json(toParameters(session));
});

connector.post('/cleanup', async (request, response) => {
  await endSystem.logOut(readSession(request.headers));
  response.status(204).end();
});

connector.get('/items', async (request, response) => {
  const session = readSession(request.headers);
  const query = read(endSystem.itemQuery, request.query, 'The query is not valid');
  response.json(await endSystem.listItems(session, query));
});

connector.get('/items/:id', async (request, response) => {
  const session = readSession(request.headers);
  response.json(await endSystem.getItem(session, request.params.id));
});

connector.get('/items/:id/file', async (request, response) => {
  const session = readSession(request.headers);
  const { headers, body } = await endSystem.getFile(session, request.params.id);
  // Not `set`, which rewrites a content type.
  await pipeline(Readable.from(body), response.setHeaders(new Map(Object.entries(headers))));
});

connector.post('/items', async (request, response) => {
  const session = readSession(request.headers);
  const item = read(endSystem.newItem, request.body, 'The request body is not valid');
  response.status(201).json(await endSystem.createItem(session, item));
});

connector.put('/items/:id', async (request, response) => {
  const session = readSession(request.headers);
  const update = read(endSystem.itemUpdate, request.body, 'The request body is not valid');
  response.json(await endSystem.updateItem(session, request.params.id, update));
});

// Last: these two turn unknown routes and all errors into responses of the contract, and log them with file and line.
connector.use(connectorNotFound());
connector.use(connectorErrorHandler({ sessionHeaders, onError: logError }));

export async function start({ port, hostname = '127.0.0.1' }: { port: number; hostname?: string }) {
  const server = await new Promise<Server>((resolve, reject) => {
    const listening: Server = connector.listen(port, hostname, (error) => (error ? reject(error) : resolve(listening)));
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${actual}`,
    /** Loses no request that finishes within 10 seconds; the rest is cut off. */
    close: gracefulClose(server),
  };
}
