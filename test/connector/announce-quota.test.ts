import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announceQuota, definePreset, endSystemFetch } from 'concordat/connector';
import { connectorErrorHandler } from 'concordat/connector/express';
import { connectorErrors } from 'concordat/connector/hono';
import express from 'express';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { asyncRoute } from './support/async-route.js';
import { endSystem } from './support/end-system.js';
import { send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';
import { connectorOf } from './support/telling.js';

describe('every kind of response carries it (W8)', () => {
  const headers = { 'x-ratelimit-remaining': '5' };
  test.each([
    ['/announced', 200, { status: 200, headers }],
    ['/raw', 200, { status: 200, headers }],
    ['/proxied', 200, { status: 200, headers }],
    ['/announced', 404, { status: 404, headers }],
    ['/raw', 502, { status: 500, headers }],
    ['/raw', 403, { status: 429, headers }],
  ])('%s with %i', async (path, status, reply) => {
    const answer = await (await connectorOf([reply]))(path);
    expect([answer.status, answer.headers.ratelimit]).toEqual([status, '"generic";r=5']);
  });

  test('not that of a handler that does not ask for it (control)', async () => {
    const ask = await connectorOf([{ status: 200, headers }]);
    expect((await ask('/silent')).headers.ratelimit).toBeUndefined();
  });

  test('not over what the handler has announced itself', async () => {
    const url = await endSystem({ status: 200, headers, body: {} });
    const generic = endSystemFetch();
    const connector = makeConnector();
    connector.get('/', async (c) => {
      await announceQuota(c, generic)(url);
      return new Response('ok', { headers: { ratelimit: '"own";r=1' } });
    });
    expect((await send(await start(connector), { headers: withToken })).headers.ratelimit).toBe('"own";r=1');
  });

  test('beside the policy of the connector itself', async () => {
    const rateLimit = { policy: { limit: 2, windowMs: 1000 } };
    const reply = { status: 200, headers: { 'ratelimit-policy': '"burst";q=10;w=1' } };
    for (const path of ['/announced', '/raw', '/proxied']) {
      const answer = await (await connectorOf([reply], 'generic', { rateLimit }))(path);
      expect(answer.headers['ratelimit-policy']).toBe('"default";q=2;w=1, "burst";q=10;w=1');
    }
  });

  test('initialize, too', async () => {
    const url = await endSystem({ status: 200, headers, body: {} });
    const generic = endSystemFetch();
    const connector = makeConnector({
      initialize: {
        parameters: z.object({}) as never,
        handler: async ({ c }) => {
          await announceQuota(c, generic)(url);
          return { 'x-token': 'abc' };
        },
      },
    });
    const answer = await send(await start(connector), { method: 'POST', path: '/initialize', body: '{}' });
    expect([answer.status, answer.headers.ratelimit]).toEqual([200, '"generic";r=5']);
  });

  test('a function is called only if there is something to announce', async () => {
    const told = vi.fn();
    const ask = announceQuota(told, endSystemFetch());
    await ask(await endSystem({ status: 200 }));
    await ask(await endSystem({ status: 200, headers }));
    expect(told.mock.calls).toEqual([[{ RateLimit: '"generic";r=5' }]]);
  });

  test('in Express, its errors included', async () => {
    const ok = await endSystem({ status: 200, headers, body: {} });
    const gone = await endSystem({ status: 404, headers, body: {} });
    const generic = endSystemFetch();
    const app = express();
    app.get(
      '/:which',
      asyncRoute(async (request, response) => {
        const ask = announceQuota((told) => response.set(told), generic);
        await ask(request.params.which === 'ok' ? ok : gone);
        response.json({});
      }),
    );
    app.use(connectorErrorHandler());
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const [path, status] of [['/ok', 200] as const, ['/gone', 404] as const]) {
      const answer = await send(url, { path });
      expect([answer.status, answer.headers.ratelimit]).toEqual([status, '"generic";r=5']);
    }
  });

  test('and a response that has begun takes none, which costs no call', async () => {
    const ok = await endSystem({ status: 200, headers, body: {} });
    const set = () => {
      throw new Error('Cannot set headers after they are sent to the client');
    };
    const response = await announceQuota(set, endSystemFetch())(ok);
    expect(response.status).toBe(200);
  });

  test('in a plain Hono app, its errors included', async () => {
    const gone = await endSystem({ status: 404, headers, body: {} });
    const app = new Hono();
    app.onError(connectorErrors());
    const generic = endSystemFetch();
    app.get('/', async (c) => c.text(await (await announceQuota(c, generic)(gone)).text()));
    const answer = await app.request('/');
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([404, '"generic";r=5']);
  });
});

describe('wrong arguments are TypeErrors', () => {
  test('a fetch of somebody else', () => {
    expect(() => announceQuota(() => {}, globalThis.fetch)).toThrow(/^`endSystem` must be made by `endSystemFetch`/);
  });

  test('a target that is none', () => {
    expect(() => announceQuota({} as never, endSystemFetch())).toThrow(/^`target`/);
    expect(() => announceQuota(undefined as never, endSystemFetch())).toThrow(/^`target`/);
  });

  test.each([
    ['quota', 'x-left'],
    ['quota[0].remaining', [{}]],
    ['quota[0].remaining', [{ remaining: 'x left' }]],
    ['quota[0].remainin', [{ remainin: 'x-left' }]],
    ['quota[0].limit', [{ remaining: 'x-left', limit: 5 }]],
    ['quota[0].remaining.pattern', [{ remaining: { header: 'x-left', pattern: /(\d+)/g } }]],
    ['quota[0].reset.unit', [{ remaining: 'x-left', reset: { header: 'x-more', unit: 'minutes' } }]],
    ['quota[0].reset.header', [{ remaining: 'x-left', reset: { unit: 'seconds' } }]],
    ['quota[0].window', [{ remaining: 'x-left', window: -1 }]],
    ['quota[0].when.x-of', [{ remaining: 'x-left', when: { 'x-of': 7 } }]],
  ])('a wrong `%s` of a preset', (name, quota) => {
    const define = () => definePreset({ name: 'x', rules: [], quota: quota as never });
    expect(define).toThrow(TypeError);
    expect(define).toThrow(`\`${name}\``);
  });
});
