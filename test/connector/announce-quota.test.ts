import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announceQuota, definePreset, endSystemFetch, type PresetName } from 'concordat/connector';
import { connectorErrorHandler } from 'concordat/connector/express';
import { connectorErrors } from 'concordat/connector/hono';
import express from 'express';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { parseQuota } from '../../src/contract/index.js';
import { endSystem, type Reply } from './support/end-system.js';
import { send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const inSeconds = (seconds: number) => String(Math.ceil(Date.now() / 1000) + seconds);

/** A connector that asks an end system once for each of its replies, and tells what it was told. */
async function connectorOf(
  replies: Reply[],
  preset: PresetName | ReturnType<typeof definePreset> = 'generic',
  options: Parameters<typeof makeConnector>[0] = {},
) {
  let asked = 0;
  const url = await endSystem((_request, response) => {
    const { status, headers, body = {} } = replies[asked++ % replies.length] as Reply;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  const fetchEndSystem = endSystemFetch({ preset });
  const connector = makeConnector(options);
  connector.get('/announced', async (c) => {
    const ask = announceQuota(c, fetchEndSystem);
    for (const _ of replies) await ask(url);
    return c.json({});
  });
  connector.get('/raw', async (c) => {
    await announceQuota(c, fetchEndSystem)(url);
    return new Response('raw');
  });
  connector.get('/proxied', (c) => announceQuota(c, fetchEndSystem)(url));
  connector.get('/silent', async (c) => c.text(await (await fetchEndSystem(url)).text()));
  const connectorUrl = await start(connector);
  return (path = '/announced') => send(connectorUrl, { path, headers: withToken });
}

const announced = async (replies: Reply[], preset?: Parameters<typeof connectorOf>[1]) => {
  const { headers } = await (await connectorOf(replies, preset))();
  return parseQuota({
    policy: headers['ratelimit-policy'] as string,
    current: headers.ratelimit as string,
  });
};

describe('what an end system tells is announced (W8)', () => {
  // After the products' documentation, see the presets; the times are near now, as in the products' answers.
  const products: [
    PresetName,
    Record<string, string>,
    policies: object[],
    left: number,
    resetMs: number | undefined,
  ][] = [
    [
      'github',
      {
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '4987',
        'x-ratelimit-reset': inSeconds(1800),
        'x-ratelimit-used': '13',
        'x-ratelimit-resource': 'core',
      },
      [{ name: 'github', limit: 5000, windowMs: 3_600_000 }],
      4987,
      1_800_000,
    ],
    [
      'gitlab',
      {
        'ratelimit-limit': '600',
        'ratelimit-observed': '67',
        'ratelimit-remaining': '533',
        'ratelimit-reset': inSeconds(30),
        'ratelimit-name': 'throttle_authenticated_web',
      },
      [{ name: 'gitlab', limit: 600, windowMs: 60_000 }],
      533,
      30_000,
    ],
    [
      'hubspot',
      {
        'x-hubspot-ratelimit-max': '190',
        'x-hubspot-ratelimit-remaining': '189',
        'x-hubspot-ratelimit-interval-milliseconds': '10000',
      },
      [{ name: 'hubspot', limit: 190, windowMs: 10_000 }],
      189,
      undefined,
    ],
    [
      'zendesk',
      { 'x-rate-limit': '700', 'x-rate-limit-remaining': '699', 'ratelimit-reset': '41' },
      [{ name: 'zendesk', limit: 700, windowMs: 60_000 }],
      699,
      41_000,
    ],
    [
      'linear',
      {
        'x-ratelimit-requests-limit': '1500',
        'x-ratelimit-requests-remaining': '1499',
        'x-ratelimit-requests-reset': String(Date.now() + 1_800_000),
      },
      [{ name: 'linear', limit: 1500, windowMs: 3_600_000 }],
      1499,
      1_800_000,
    ],
    [
      'intercom',
      { 'x-ratelimit-limit': '83', 'x-ratelimit-remaining': '82', 'x-ratelimit-reset': inSeconds(10) },
      [],
      82,
      10_000,
    ],
    [
      'okta',
      { 'x-rate-limit-limit': '600', 'x-rate-limit-remaining': '598', 'x-rate-limit-reset': inSeconds(20) },
      [],
      598,
      21_000,
    ],
    ['generic', { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '60' }, [], 5, 60_000],
  ];

  test.each(products)('%s', async (preset, headers, policies, left, resetMs) => {
    const quota = await announced([{ status: 200, headers }], preset);
    expect(quota.policies).toEqual(policies);
    expect(quota.current).toEqual([{ name: preset, left, resetMs: resetMs && expect.any(Number) }]);
    // The time goes on while this runs, a little or much.
    const told = quota.current[0]?.resetMs ?? 0;
    expect(told).toBeLessThanOrEqual((resetMs ?? 0) + 2000);
    expect(told).toBeGreaterThanOrEqual((resetMs ?? 0) - 120_000);
  });

  test('the headers of the rule are handed on as they are', async () => {
    const headers = {
      'ratelimit-policy': '"burst";q=10;w=1, "bytes";q=9;w=1;qu="content-bytes"',
      ratelimit: '"burst";r=4;t=1, "bytes";r=0;t=1',
    };
    const answer = await (await connectorOf([{ status: 200, headers }], 'github'))();
    expect(answer.headers).toMatchObject({ 'ratelimit-policy': '"burst";q=10;w=1', ratelimit: '"burst";r=4;t=1' });
  });

  test('by a preset of your own, which may extend one', async () => {
    const ledger = definePreset({
      name: 'lédger',
      extends: 'github',
      rules: [],
      quota: [{ remaining: 'x-left', limit: 'x-most', reset: { header: 'x-more-in', unit: 'seconds' }, window: 1000 }],
    });
    const replies = [{ status: 200, headers: { 'x-left': '1', 'x-most': '2', 'x-more-in': '90' } }];
    const quota = await announced(replies, ledger);
    expect(quota.policies).toEqual([{ name: 'l?dger', limit: 2, windowMs: 1000 }]);
    expect(quota.current).toMatchObject([{ name: 'l?dger', left: 1 }]);
    const core = [{ status: 200, headers: { 'x-ratelimit-remaining': '7', 'x-ratelimit-resource': 'core' } }];
    expect((await announced(core, ledger)).current).toMatchObject([{ name: 'l?dger', left: 7 }]);
  });

  test('of several answers the least that was left counts', async () => {
    const told = (left: string) => ({ status: 200, headers: { 'x-ratelimit-remaining': left } });
    expect((await announced([told('9'), told('7'), told('8')])).current).toMatchObject([{ left: 7 }]);
  });

  test('what was left before a reset says nothing after it', async () => {
    const told = (left: string, reset: string) => ({
      status: 200,
      headers: { 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset },
    });
    expect((await announced([told('0', '0'), told('50', '60')])).current).toMatchObject([{ left: 50 }]);
  });
});

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

  test('in Express, its errors included', async () => {
    const ok = await endSystem({ status: 200, headers, body: {} });
    const gone = await endSystem({ status: 404, headers, body: {} });
    const generic = endSystemFetch();
    const app = express();
    app.get('/:which', async (request, response) => {
      const ask = announceQuota((told) => response.set(told), generic);
      await ask(request.params.which === 'ok' ? ok : gone);
      response.json({});
    });
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

describe('what is no quota of requests is not announced (W8, E8)', () => {
  const core = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4', 'x-ratelimit-resource': 'core' };
  test.each<[string, PresetName, Record<string, string>]>([
    ["GraphQL's points", 'github', { ...core, 'x-ratelimit-resource': 'graphql' }],
    ['another quota of GitHub', 'github', { ...core, 'x-ratelimit-resource': 'search' }],
    ['a fraction', 'generic', { 'x-ratelimit-remaining': '4.5' }],
    ['a negative number', 'generic', { 'x-ratelimit-remaining': '-1' }],
    ['a word', 'generic', { 'x-ratelimit-remaining': 'plenty' }],
    ['a very long number', 'generic', { 'x-ratelimit-remaining': '9'.repeat(2000) }],
    ['a product whose preset knows of none', 'slack', core],
  ])('%s', async (_name, preset, headers) => {
    expect(await announced([{ status: 200, headers }], preset)).toEqual({ policies: [], current: [] });
    expect((await announced([{ status: 200, headers: core }], 'github')).current).toHaveLength(1); // control
  });

  test('a reset that cannot be read leaves what is left', async () => {
    const headers = { ...core, 'x-ratelimit-reset': 'soon', 'x-ratelimit-limit': 'many' };
    expect(await announced([{ status: 200, headers }], 'github')).toEqual({
      policies: [],
      current: [{ name: 'github', left: 4, resetMs: undefined }],
    });
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
