// What `close()` promises: a service that goes on calling while its connector is restarted loses no request.
import { createServer, Agent as NodeAgent, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createConnectorClient } from 'concordat/client';
import { type RunningServer, serve } from 'concordat/connector';
import { gracefulClose } from 'concordat/connector/node';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { Agent, buildConnector } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { send } from './support/send.js';

/** Ten restarts: only they can lose a request. `RESTART_REQUESTS=10000` asks more of it. */
const requests = Number(process.env.RESTART_REQUESTS ?? 750);
const betweenRestarts = 75;
const atOnce = 20;

const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Answers at once, a little later, or in pieces: what `close()` may find under way. */
function connector(): Hono {
  return new Hono()
    .post('/initialize', (c) => c.json([]))
    .get('/now', (c) => c.text('done'))
    .post('/later', async (c) => {
      await c.req.text();
      await later(3);
      return c.json('done');
    })
    .get('/pieces', (c) => {
      let pieces = 0;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (++pieces > 3) return controller.close();
          await later(2);
          controller.enqueue(new TextEncoder().encode('piece'));
        },
      });
      return c.body(body);
    });
}

type Running = Pick<RunningServer, 'port' | 'close'>;

/** The same in servers that Concordat did not start. */
const servers: Record<string, () => Promise<Running>> = {
  serve: () => serve(connector(), { port: 0 }),
  async Express() {
    const app = express()
      .post('/initialize', (_request, response) => void response.json([]))
      .get('/now', (_request, response) => void response.send('done'))
      .post('/later', (_request, response) => void later(3).then(() => response.json('done')))
      .get('/pieces', async (_request, response) => {
        for (let piece = 0; piece < 3; piece++) {
          response.write('piece');
          await later(2);
        }
        response.end();
      });
    const server = await new Promise<Server>((resolve) => {
      const listening: Server = app.listen(0, '127.0.0.1', () => resolve(listening));
    });
    return { port: (server.address() as AddressInfo).port, close: gracefulClose(server) };
  },
  async Fastify() {
    const app = fastify()
      .post('/initialize', async () => [])
      .get('/now', async () => 'done')
      .post('/later', () => later(3).then(() => ({})))
      .get('/pieces', (_request, reply) => {
        reply.hijack();
        reply.raw.write('piece');
        void later(2).then(() => reply.raw.end('piece'));
      });
    const close = gracefulClose(app.server);
    await app.listen({ port: 0 });
    return {
      port: (app.server.address() as AddressInfo).port,
      close: (options) => close(options).then(() => app.close()),
    };
  },
};

/** One server after the other; callers are led to the newest, as a load balancer would, and keep their connections. */
async function startDeployment(start: () => Promise<Running>) {
  let current = await start();
  let answered = 0;
  const closing: Promise<void>[] = [];
  onTestFinished(() => current.close({ graceMs: 0 }));
  return {
    port: () => current.port,
    async count() {
      answered += 1;
      if (answered % betweenRestarts > 0) return;
      const old = current;
      current = await start();
      // A connection that nobody has accepted yet would be reset (Linux): this one was made after all the others.
      await send(`http://127.0.0.1:${old.port}`, { path: '/now' });
      closing.push(old.close());
    },
    closed: () => Promise.all(closing),
  };
}

type Deployment = Awaited<ReturnType<typeof startDeployment>>;

async function callAll(deployment: Deployment, call: (index: number) => Promise<unknown>): Promise<string[]> {
  const lost: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const index = next++;
      await call(index).catch((error: Error & { code?: string }) => lost.push(`${error.code}: ${error.message}`));
      await deployment.count();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await deployment.closed();
  return lost;
}

const routes = ['/now', '/later', '/pieces'] as const;
const routeOf = (index: number) => routes[index % routes.length] as (typeof routes)[number];

test.each(Object.entries(servers))(
  'a rolling restart of %s resets no request of keep-alive connections',
  async (_name, start) => {
    const deployment = await startDeployment(start);
    const agent = new NodeAgent({ keepAlive: true, maxSockets: atOnce });
    Object.assign(agent, { createConnection: () => connect(deployment.port(), '127.0.0.1') });
    onTestFinished(() => agent.destroy());
    const lastUsed = new WeakMap<object, number>();
    const call = (index: number) =>
      new Promise<void>((resolve, reject) => {
        const path = routeOf(index);
        const method = path === '/later' ? 'POST' : 'GET';
        let idleMs = 0;
        // The same name for all, so that the agent keeps one set of connections.
        request({ host: 'connector.test', method, path, agent }, (response) => {
          const { socket } = response;
          response.resume().once('error', reject);
          response.once('end', () => {
            lastUsed.set(socket, performance.now());
            resolve();
          });
        })
          .once('socket', (socket) => {
            idleMs = performance.now() - (lastUsed.get(socket) ?? Number.POSITIVE_INFINITY);
          })
          // On a busy machine a connection is idle for the 250 ms that are promised: then the request is sent again.
          .once('error', (error) => (idleMs > 200 ? call(index).then(resolve, reject) : reject(error)))
          .end(method === 'POST' ? 'body' : undefined);
      });
    expect(await callAll(deployment, call)).toEqual([]);
  },
  120_000,
);

test.each(Object.entries(servers))(
  'a rolling restart of %s loses no call of the client, whose POSTs nobody repeats',
  async (_name, start) => {
    const deployment = await startDeployment(start);
    const open = buildConnector({});
    const dispatcher = new Agent({
      connections: atOnce,
      connect: (options, callback) =>
        open({ ...options, hostname: '127.0.0.1', port: `${deployment.port()}` }, callback),
    });
    const client = createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize: { parameters: {} },
      concurrency: atOnce,
      dispatcher,
    });
    onTestFinished(async () => {
      await client.close();
      await dispatcher.close();
    });
    const call = (index: number) =>
      routeOf(index) === '/later' ? client.post('/later', { json: {} }) : client.get(routeOf(index));
    expect(await callAll(deployment, call)).toEqual([]);
    expect(client.status.counters).toMatchObject({ retries: 0 });
  },
  120_000,
);

test('a connection that stays busy is closed, too', async () => {
  const server = await (servers.Express as () => Promise<Running>)();
  const agent = new NodeAgent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  let isClosed = false;
  const closing = later(50)
    .then(() => server.close())
    .then(() => {
      isClosed = true;
    });
  let last: unknown;
  while (!isClosed) {
    last = await new Promise((resolve) => {
      request({ host: '127.0.0.1', port: server.port, path: '/now', agent }, (response) => {
        response.resume().once('end', () => resolve(response.headers.connection));
      })
        .once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
        .end();
    });
  }
  await closing;
  // The system resets a connection that it had accepted for a server that is gone.
  expect(['close', 'ECONNREFUSED', 'ECONNRESET']).toContain(last);
});

test('a connection that the system accepts in time is served, although the server was too busy to see it', async () => {
  const server = createServer((_request, response) => void response.end());
  const close = gracefulClose(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const idle = connect(port, '127.0.0.1');
  onTestFinished(() => void idle.destroy());
  await new Promise((resolve) => server.once('connection', resolve));
  const closing = close();
  const answered = new Promise((resolve, reject) => {
    // Timers come next, before what has arrived.
    setImmediate(() => {
      request({ host: '127.0.0.1', port, agent: false }, (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end();
      const end = performance.now() + 400;
      while (performance.now() < end);
    });
  });
  expect(await answered).toBe(200);
  await closing;
});

test('called when there are connections, it ends them, too, when the grace is over', async () => {
  const server = createServer((_request, response) => void response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new NodeAgent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  await new Promise((resolve) => {
    request({ host: '127.0.0.1', port, agent }, (response) => void response.resume().once('end', resolve)).end();
  });
  await gracefulClose(server)({ graceMs: 10 });
  expect(server.listening).toBe(false);
});

test.each([[undefined], [{}], [{ close() {} }]])('%o is no server: a TypeError says so', (server) => {
  expect(() => gracefulClose(server as never)).toThrow(
    new TypeError('`server` must be a server of node:http, node:https or node:http2.'),
  );
});
