// Fastify refuses a path that cannot be decoded before any plugin sees the request, and answered `GET /%` with a body of
// its own. An attack found it. The constructor of Fastify takes a function for that, which there is now one for.
import { connectorFrameworkErrors, connectorPlugin } from 'concordat/connector/fastify';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { errorsOf, send } from '../connector/support/send.js';

async function start(options: Parameters<typeof connectorFrameworkErrors>[0]) {
  const app = fastify({ frameworkErrors: connectorFrameworkErrors(options) });
  await app.register(connectorPlugin);
  app.get('/issues/:id', async () => ({ ok: true }));
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

test.each([
  ['/%', 400, 'BAD_REQUEST', 'The path of the request cannot be decoded.'],
  ['/issues/%C3', 400, 'BAD_REQUEST', 'The path of the request cannot be decoded.'],
  ['/nowhere', 404, 'NOT_FOUND', 'There is no route for GET /nowhere.'],
])('GET %s has a contract body (E1, E4)', async (path, status, code, message) => {
  const seen: unknown[] = [];
  const answer = await send(await start({ onError: (error) => void seen.push(error) }), { path });
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
  expect(errorsOf(answer)).toEqual({ code, message });
  expect(seen).toHaveLength(status === 404 ? 0 : 1); // an unknown route is the plugin's
});

test('a path that can be decoded reaches its route (control)', async () => {
  const answer = await send(await start({}), { path: '/issues/%C3%A4' });
  expect([answer.status, answer.body]).toEqual([200, '{"ok":true}']);
});

test('a wrong option is a TypeError that names it', () => {
  expect(() => connectorFrameworkErrors({ sessionHeader: [] } as never)).toThrow('`sessionHeader` is not an option');
});
