// A route that gave up an upload halfway answered as if the connection could go on. Nobody read the rest of the body, so the
// next request on that connection was lost, and a POST is not sent again. Somebody whose disk was full found it. Ending the
// connection was no cure: a service that is still sending does not get the response then.
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { BadRequestError } from 'concordat';
import { serve } from 'concordat/connector';
import { connectorErrorHandler } from 'concordat/connector/express';
import { connectorPlugin } from 'concordat/connector/fastify';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { Pool, request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { makeConnector, withToken } from '../connector/support/start.js';
import { until } from '../helpers/until.js';

async function giveUp(body: AsyncIterable<Uint8Array>): Promise<never> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > 100_000) throw new BadRequestError('enough');
  }
  throw new Error('unreachable');
}

const servers: Record<string, () => Promise<string>> = {
  createConnector: async () => {
    const connector = makeConnector({ maxBodyBytes: 10_000_000 });
    connector.put('/files', (c) => giveUp(c.req.raw.body as never));
    connector.post('/items', async (c) => c.json(await c.req.json()));
    const server = await serve(connector, { port: 0 });
    onTestFinished(() => server.close({ graceMs: 0 }));
    return server.url;
  },
  'any fetch handler': async () => {
    const app = new Hono();
    app.put('/files', (c) => giveUp(c.req.raw.body as never).catch(() => c.json({ status: 'enough' }, 400)));
    app.post('/items', async (c) => c.json(await c.req.json()));
    const server = await serve(app, { port: 0 });
    onTestFinished(() => server.close({ graceMs: 0 }));
    return server.url;
  },
  Express: async () => {
    const app = express();
    app.put('/files', (request, _response, next) => giveUp(request).catch(next));
    app.post('/items', express.json(), (request, response) => void response.json(request.body));
    app.use(connectorErrorHandler({ onError: () => {} }));
    const server = app.listen(0, '127.0.0.1');
    onTestFinished(() => void server.closeAllConnections());
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  Fastify: async () => {
    const app = fastify({ forceCloseConnections: true });
    await app.register(connectorPlugin, { onError: () => {} });
    app.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body));
    app.put('/files', (request) => giveUp(request.body as never));
    app.post('/items', async (request) => request.body);
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
};

it.each(Object.keys(servers))('requests after an upload that was given up arrive: %s (E4, G7)', async (name) => {
  const pool = new Pool(await (servers[name] as () => Promise<string>)(), { connections: 1 });
  onTestFinished(() => pool.destroy());
  const headers = { ...withToken, 'content-type': 'application/octet-stream' };
  for (let round = 0; round < 3; round++) {
    const given = await pool.request({ method: 'PUT', path: '/files', headers, body: Buffer.alloc(2_000_000) });
    expect(given.statusCode).toBe(400);
    expect(await given.body.text()).toContain('enough');
    for (const title of ['first', 'second']) {
      const json = { ...withToken, 'content-type': 'application/json' };
      const created = await pool.request({
        method: 'POST',
        path: '/items',
        headers: json,
        body: JSON.stringify({ title }),
        headersTimeout: 30_000,
      });
      expect(await created.body.json()).toEqual({ title });
    }
  }
});

it('the error arrives although the service is still sending (E4)', async () => {
  for (const start of Object.values(servers)) {
    const url = await start();
    for (let round = 0; round < 3; round++) {
      const body = Readable.from(Array(100).fill(Buffer.alloc(100_000)));
      const headers = { ...withToken, 'content-type': 'application/octet-stream' };
      const given = await request(`${url}/files`, { method: 'PUT', headers, body });
      expect(given.statusCode).toBe(400);
      await given.body.dump();
    }
  }
});

it('a body that is read on after the response is read to its end', async () => {
  let bytes = 0;
  const read = async (body: ReadableStream<Uint8Array>) => {
    for await (const chunk of body) bytes += chunk.length;
  };
  const app = new Hono().put('/files', (c) => {
    void read(c.req.raw.body as ReadableStream<Uint8Array>);
    return c.json({}, 202);
  });
  const server = await serve(app, { port: 0 });
  onTestFinished(() => server.close({ graceMs: 0 }));
  const accepted = await request(`${server.url}/files`, { method: 'PUT', body: Buffer.alloc(2_000_000) });
  expect(accepted.statusCode).toBe(202);
  await until(() => bytes === 2_000_000);
});
