import { ForbiddenError, RateLimitError } from 'concordat';
import { forbidden, rateLimited } from 'concordat/connector';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { endSystem } from './support/end-system.js';
import { send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const header = '"default";q=100;w=60';
const rateLimit = { policy: { limit: 100, windowMs: 60_000 } };
const login = { method: 'POST', path: '/initialize', headers: { 'content-type': 'application/json' } };

/** A connector that answers in every way there is. */
async function everything(options: Parameters<typeof makeConnector>[0] = { rateLimit }) {
  const fetched = await endSystem({ status: 200, headers: { 'x-from': 'end system' }, body: 'fetched' });
  const connector = makeConnector({ cleanup: () => {}, verify: () => true, ...options });
  connector.use('/wrapped/*', async (_c, next) => {
    await next();
  });
  connector.use('/replaced', async (c, next) => {
    await next();
    c.res = new Response('replaced');
  });
  connector.get('/json', (c) => c.json({}));
  connector.get('/wrapped/json', (c) => c.json({}));
  connector.get('/replaced', (c) => c.json({}));
  connector.get('/raw', () => new Response('raw'));
  connector.get('/fetched', () => fetch(fetched));
  connector.get('/wrapped/fetched', () => fetch(fetched));
  connector.get('/stream', (c) => c.body(new Response('streamed').body as ReadableStream));
  connector.get('/redirect', () => Response.redirect('http://connector.test/', 302));
  connector.get('/denied', () => {
    throw new ForbiddenError('Not yours');
  });
  connector.get('/denied-by-helper', () => forbidden('Not yours'));
  connector.get('/limited', () => {
    throw new RateLimitError('Slow down', { retryAfterMs: 2000 });
  });
  connector.get('/limited-by-helper', () => rateLimited({ retryAfterMs: 2000 }));
  connector.get('/broken', () => {
    throw 'text';
  });
  connector.route(
    '/sub',
    new Hono().get('/raw', () => new Response('raw')),
  );
  connector.post('/posted', async (c) => c.json(await c.req.json()));
  return start(connector);
}

const asked: [name: string, status: number, request: Parameters<typeof send>[1]][] = [
  ['initialize', 200, { ...login, body: '{"user":"alice","password":"secret"}' }],
  ['initialize with bad parameters', 400, { ...login, body: '{}' }],
  ['initialize with no JSON', 400, { ...login, body: '{' }],
  ['a success', 200, { path: '/json', headers: withToken }],
  ['a success behind middleware', 200, { path: '/wrapped/json', headers: withToken }],
  ['a response that middleware put in place', 200, { path: '/replaced', headers: withToken }],
  ['a Response of the handler', 200, { path: '/raw', headers: withToken }],
  ['a response that was fetched', 200, { path: '/fetched', headers: withToken }],
  ['a fetched response behind middleware', 200, { path: '/wrapped/fetched', headers: withToken }],
  ['a stream', 200, { path: '/stream', headers: withToken }],
  ['a redirect', 302, { path: '/redirect', headers: withToken }],
  ['a route of a sub-app', 200, { path: '/sub/raw', headers: withToken }],
  ['HEAD', 200, { method: 'HEAD', path: '/json', headers: withToken }],
  ['a denial', 403, { path: '/denied', headers: withToken }],
  ['a denial by a helper', 403, { path: '/denied-by-helper', headers: withToken }],
  ['a limit', 403, { path: '/limited', headers: withToken }],
  ['a limit by a helper', 403, { path: '/limited-by-helper', headers: withToken }],
  ['a failure nobody foresaw', 500, { path: '/broken', headers: withToken }],
  ['no session', 401, { path: '/json' }],
  ['an unknown route', 404, { path: '/nowhere', headers: withToken }],
  ['an unknown route without a session', 404, { path: '/nowhere' }],
  [
    'a body that is too large',
    413,
    { method: 'POST', path: '/posted', headers: withToken, body: 'x'.repeat(2_000_000) },
  ],
  ['cleanup', 204, { method: 'POST', path: '/cleanup', headers: withToken }],
];

describe('every response announces the policy (W8)', () => {
  test.each(asked)('%s', async (_name, status, request) => {
    const answer = await send(await everything(), request);
    expect([answer.status, answer.headers['ratelimit-policy']]).toEqual([status, header]);
  });

  test.each(asked)('and only where there is one (control): %s', async (_name, status, request) => {
    const answer = await send(await everything({}), request);
    expect([answer.status, answer.headers['ratelimit-policy']]).toEqual([status, undefined]);
  });

  test('what was fetched goes through whole', async () => {
    const answer = await send(await everything(), { path: '/fetched', headers: withToken });
    expect([answer.body, answer.headers['x-from']]).toEqual(['fetched', 'end system']);
  });

  test('the wait header is as it was (W1, W2)', async () => {
    const url = await everything({ rateLimit: { ...rateLimit, header: 'X-Wait', format: 'milliseconds' } });
    const limited = await send(url, { path: '/limited', headers: withToken });
    expect(limited.headers).toMatchObject({ 'x-wait': '2000', 'ratelimit-policy': header });
    const denied = await send(url, { path: '/denied', headers: withToken });
    expect(denied.headers['x-wait']).toBeUndefined();
  });
});

describe('several policies (W8)', () => {
  const several = [
    { name: 'burst', limit: 10, windowMs: 1500 },
    { limit: 5000, windowMs: 3_600_000 },
  ];

  test('are one header, windows rounded up to seconds', async () => {
    const url = await everything({ rateLimit: { policy: several } });
    const { headers } = await send(url, { path: '/raw', headers: withToken });
    expect(headers['ratelimit-policy']).toBe('"burst";q=10;w=2, "default-2";q=5000;w=3600');
  });

  test('one that the handler has set stays beside them', async () => {
    const connector = makeConnector({ rateLimit });
    connector.get('/', (c) => c.text('', 200, { 'RateLimit-Policy': '"day";q=9;w=86400' }));
    const { headers } = await send(await start(connector), { headers: withToken });
    expect(headers['ratelimit-policy']).toBe(`${header}, "day";q=9;w=86400`);
  });

  test('those of a connector in a connector are both there, once (D5)', async () => {
    const outer = makeConnector({ rateLimit: { policy: { name: 'outer', limit: 1, windowMs: 6000 } } });
    const inner = makeConnector({ rateLimit: { policy: { name: 'inner', limit: 1, windowMs: 60_000 } } });
    inner.use(async (_c, next) => next());
    inner.get('/raw', () => new Response('raw'));
    outer.route('/inner', inner);
    const url = await start(outer);
    const { headers } = await send(url, { path: '/inner/raw', headers: withToken });
    expect(headers['ratelimit-policy']).toBe('"outer";q=1;w=6, "inner";q=1;w=60');
  });
});

describe('a wrong policy is a TypeError that names it (W8)', () => {
  test.each([
    ['rateLimit.policy', []],
    ['rateLimit.policy', 'fast'],
    ['rateLimit.policy', Array.from({ length: 17 }, () => ({ limit: 1, windowMs: 1 }))],
    ['rateLimit.policy', { name: 'x'.repeat(1020), limit: 1, windowMs: 1 }],
    ['rateLimit.policy.limit', { windowMs: 1000 }],
    ['rateLimit.policy.limit', { limit: 0, windowMs: 1000 }],
    ['rateLimit.policy.windowMs', { limit: 1, windowMs: 86_400_001 }],
    ['rateLimit.policy.name', { name: 'größe', limit: 1, windowMs: 1000 }],
    ['rateLimit.policy.window', { limit: 1, windowMs: 1000, window: 1 }],
    [
      'rateLimit.policy[1].limit',
      [
        { limit: 1, windowMs: 1000 },
        { limit: -1, windowMs: 1000 },
      ],
    ],
    [
      'rateLimit.policy[1].name',
      [
        { name: 'default-2', limit: 1, windowMs: 1000 },
        { limit: 2, windowMs: 1000 },
      ],
    ],
  ])('%s', (name, policy) => {
    const create = () => makeConnector({ rateLimit: { policy: policy as never } });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(`\`${name}\``);
  });

  test('right ones are none (control)', () => {
    expect(() => makeConnector({ rateLimit })).not.toThrow();
    expect(() => makeConnector({ rateLimit: { policy: undefined } })).not.toThrow();
  });
});
