// What `close()` promises: a service that goes on calling while its connector is restarted loses no request.
import { Agent as NodeAgent, request } from 'node:http';
import { connect } from 'node:net';
import { createConnectorClient } from 'concordat/client';
import { serve } from 'concordat/connector';
import { Hono } from 'hono';
import { Agent, buildConnector } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

/** 1,500 take seconds; `RESTART_REQUESTS=10000` asks more of it. */
const requests = Number(process.env.RESTART_REQUESTS ?? 1_500);
const betweenRestarts = 150;
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

/** One server after the other; callers are led to the newest, as a load balancer would, and keep their connections. */
async function startDeployment() {
  let current = await serve(connector(), { port: 0 });
  let answered = 0;
  const closing: Promise<void>[] = [];
  onTestFinished(() => current.close({ graceMs: 0 }));
  return {
    port: () => current.port,
    async count() {
      answered += 1;
      if (answered % betweenRestarts > 0) return;
      const old = current;
      current = await serve(connector(), { port: 0 });
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

test('a rolling restart resets no request of keep-alive connections', async () => {
  const deployment = await startDeployment();
  const agent = new NodeAgent({ keepAlive: true, maxSockets: atOnce });
  Object.assign(agent, { createConnection: () => connect(deployment.port(), '127.0.0.1') });
  onTestFinished(() => agent.destroy());
  const call = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const path = routeOf(index);
      const method = path === '/later' ? 'POST' : 'GET';
      // The same name for all, so that the agent keeps one set of connections.
      request({ host: 'connector.test', method, path, agent }, (response) => {
        response.resume().once('end', resolve).once('error', reject);
      })
        .once('error', reject)
        .end(method === 'POST' ? 'body' : undefined);
    });
  expect(await callAll(deployment, call)).toEqual([]);
}, 120_000);

test('nor one of the client, whose POSTs nobody repeats', async () => {
  const deployment = await startDeployment();
  const open = buildConnector({});
  const dispatcher = new Agent({
    connections: atOnce,
    connect: (options, callback) => open({ ...options, hostname: '127.0.0.1', port: `${deployment.port()}` }, callback),
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
}, 120_000);
