import { simulateConnector, virtualClock } from 'concordat/testing';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { baseUrl, connect } from './helpers/connect.js';

const routes = { '/issues': { items: [1, 2] } };

function listenWith(...handlers: Parameters<typeof setupServer>) {
  const server = setupServer(...handlers);
  server.listen({ onUnhandledRequest: 'bypass' });
  onTestFinished(() => server.close());
  return server;
}

describe('as handlers of msw', () => {
  it('answers the global fetch, and only below its base URL', async () => {
    const connector = simulateConnector({ session: false, routes });
    listenWith(
      ...connector.handlers(`${baseUrl}/api`),
      http.get(`${baseUrl}/other`, () => HttpResponse.text('not mine')),
    );
    expect(await (await fetch(`${baseUrl}/api/issues?page=1`)).json()).toEqual({ items: [1, 2] });
    expect(await (await fetch(`${baseUrl}/other`)).text()).toBe('not mine');
    expect((await fetch(`${baseUrl}/api/users`)).status).toBe(404);
    expect(connector.journal.map(({ path, query }) => [path, query])).toEqual([
      ['/issues', { page: '1' }],
      ['/users', {}],
    ]);
  });

  it.each([baseUrl, `${baseUrl}/api/v1`])('has `basePath` in its URLs, as on a port: %s', async (url) => {
    const connector = simulateConnector({ session: false, routes, basePath: '/api/v1' });
    listenWith(...connector.handlers(url));
    expect(await (await fetch(`${baseUrl}/api/v1/issues`)).json()).toEqual({ items: [1, 2] });
  });

  it('the client on the global fetch logs in, waits and goes on (G1)', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({
      rateLimit: { limit: 1, windowMs: 60_000 },
      session: { maxRequests: 1 },
      clock,
    });
    listenWith(...connector.handlers(`${baseUrl}/`));
    const client = connect({ fetch: globalThis.fetch, clock });
    const calls = Promise.all([client.get('/a'), client.get('/b'), client.get('/c')]);
    await clock.runUntil(calls);
    expect(clock.monotonic()).toBe(120_000);
  });

  it('a reset is a network error, a body that is cut off fails', async () => {
    const connector = simulateConnector({
      session: false,
      routes,
      faults: [
        { kind: 'reset', at: 1 },
        { kind: 'truncated', at: 2 },
      ],
    });
    listenWith(...connector.handlers(baseUrl));
    await expect(fetch(`${baseUrl}/issues`)).rejects.toThrow(TypeError);
    await expect(fetch(`${baseUrl}/issues`).then((answer) => answer.json())).rejects.toThrow();
    expect(await (await fetch(`${baseUrl}/issues`)).json()).toEqual({ items: [1, 2] });
  });

  it.each(['connector.test', '', undefined as unknown as string])('`baseUrl` %j is refused', (url) => {
    expect(() => simulateConnector().handlers(url)).toThrow(/`baseUrl` must be a URL/);
  });
});
