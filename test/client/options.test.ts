import type { ConnectorClientOptions } from 'concordat/client';
import { createConnectorClient, memoryState } from 'concordat/client';
import { describe, expect, it, vi } from 'vitest';
import { connect } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection } from '../helpers/until.js';
import { virtualClock } from '../helpers/virtual-clock.js';

const good: ConnectorClientOptions = { baseUrl: 'http://127.0.0.1:1', initialize: { parameters: {} } };

describe('wrong options are a TypeError that names the option in backticks', () => {
  const wrong: [string, unknown, string][] = [
    ['no options', undefined, 'options'],
    ['no baseUrl', { ...good, baseUrl: undefined }, 'baseUrl'],
    ['a baseUrl that is none', { ...good, baseUrl: 'localhost' }, 'baseUrl'],
    ['an empty baseUrl', { ...good, baseUrl: '' }, 'baseUrl'],
    ['another protocol', { ...good, baseUrl: 'ftp://h/' }, 'baseUrl'],
    ['a file', { ...good, baseUrl: 'file:///etc/passwd' }, 'baseUrl'],
    ['credentials in the baseUrl', { ...good, baseUrl: 'http://u:canary-p@h/' }, 'baseUrl'],
    ['no initialize', { baseUrl: good.baseUrl }, 'initialize'],
    ['initialize as text', { ...good, initialize: 'x' }, 'initialize'],
    ['initialize without parameters', { ...good, initialize: {} }, 'initialize.parameters'],
    ['a parameter without a key', { ...good, initialize: { parameters: [{ value: 'a' }] } }, 'initialize.parameters'],
    [
      'a parameter that is no text',
      { ...good, initialize: { parameters: [{ key: 'a', value: 1 }] } },
      'initialize.parameters',
    ],
    ['a record with a number', { ...good, initialize: { parameters: { a: 1 } } }, 'initialize.parameters'],
    ['a Map', { ...good, initialize: { parameters: new Map([['user', 'ada']]) } }, 'initialize.parameters'],
    ['an initialize path without a slash', { ...good, initialize: { parameters: {}, path: 'x' } }, 'initialize.path'],
    ['a time-out of zero', { ...good, initialize: { parameters: {}, timeoutMs: 0 } }, 'initialize.timeoutMs'],
    ['a header that is none', { ...good, rateLimit: { header: 'Retry After' } }, 'rateLimit.header'],
    ['an empty header', { ...good, rateLimit: { header: '' } }, 'rateLimit.header'],
    ['a header with a line break', { ...good, rateLimit: { header: 'a\r\nb' } }, 'rateLimit.header'],
    ['a format that does not exist', { ...good, rateLimit: { format: 'minutes' } }, 'rateLimit.format'],
    ['a negative fallback', { ...good, rateLimit: { fallbackWaitMs: -1 } }, 'rateLimit.fallbackWaitMs'],
    ['a fallback that is no number', { ...good, rateLimit: { fallbackWaitMs: '60' } }, 'rateLimit.fallbackWaitMs'],
    ['maxWaitMs NaN', { ...good, rateLimit: { maxWaitMs: Number.NaN } }, 'rateLimit.maxWaitMs'],
    ['maxWaitMs negative', { ...good, rateLimit: { maxWaitMs: -1 } }, 'rateLimit.maxWaitMs'],
    ['maxTotalWaitMs negative', { ...good, rateLimit: { maxTotalWaitMs: -1 } }, 'rateLimit.maxTotalWaitMs'],
    ['jitterMs negative', { ...good, rateLimit: { jitterMs: -1 } }, 'rateLimit.jitterMs'],
    ['jitterMs endless', { ...good, rateLimit: { jitterMs: Number.POSITIVE_INFINITY } }, 'rateLimit.jitterMs'],
    ['a scope that is no function', { ...good, rateLimit: { scope: 'x' } }, 'rateLimit.scope'],
    ['retries negative', { ...good, retry: { retries: -1 } }, 'retry.retries'],
    ['retries in part', { ...good, retry: { retries: 1.5 } }, 'retry.retries'],
    ['a retried status that is none', { ...good, retry: { statusCodes: [503, 200] } }, 'retry.statusCodes[1]'],
    ['a retried status that is not in a list', { ...good, retry: { statusCodes: 503 } }, 'retry.statusCodes'],
    ['retries as text', { ...good, retry: { retries: '3' } }, 'retry.retries'],
    ['minTimeoutMs negative', { ...good, retry: { minTimeoutMs: -1 } }, 'retry.minTimeoutMs'],
    ['maxTimeoutMs NaN', { ...good, retry: { maxTimeoutMs: Number.NaN } }, 'retry.maxTimeoutMs'],
    ['timeoutMs zero', { ...good, timeoutMs: 0 }, 'timeoutMs'],
    ['timeoutMs negative', { ...good, timeoutMs: -5 }, 'timeoutMs'],
    ['timeoutMs as text', { ...good, timeoutMs: '5' }, 'timeoutMs'],
    ['a cleanup path without a slash', { ...good, cleanup: { path: 'x' } }, 'cleanup.path'],
    ['a fetch that is no function', { ...good, fetch: 'x' }, 'fetch'],
    [
      'a login by GET with a fetch, which cannot send it',
      { ...good, fetch, initialize: { parameters: {}, method: 'GET' } },
      'initialize.method',
    ],
  ];
  it.each(wrong)('%s', (_name, options, option) => {
    const attempt = () => createConnectorClient(options as never);
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(`\`${option}\``);
    expect(attempt).not.toThrow(/canary/);
  });

  it('control: the good ones pass, and nothing is sent for them', async () => {
    const connector = await scriptedConnector();
    const options: ConnectorClientOptions = {
      baseUrl: connector.url,
      initialize: { path: '/login', method: 'PUT', parameters: { a: 'b' }, timeoutMs: 5 },
      cleanup: { path: '/bye' },
      rateLimit: {
        header: 'X-RateLimit-Reset',
        format: 'epoch-seconds',
        fallbackWaitMs: 0,
        maxWaitMs: Number.POSITIVE_INFINITY,
        maxTotalWaitMs: 1,
        jitterMs: 0,
      },
      retry: { retries: 0, minTimeoutMs: 0, maxTimeoutMs: 0 },
      timeoutMs: 1,
    };
    expect(() => createConnectorClient(options)).not.toThrow();
    await grace(5);
    expect(connector.sockets.size).toBe(0);
  });

  it('the baseUrl may be a URL, whose path is kept', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(200, exchange.path) });
    const client = createConnectorClient({ ...good, baseUrl: new URL('/api/', connector.url) });
    expect(await client.get('/issues')).toBe('/api/issues');
    await client.close();
    expect(() => createConnectorClient({ ...good, baseUrl: new URL('file:///etc/passwd') })).toThrow(/`baseUrl`/);
  });

  it("are the caller's: they are not changed", async () => {
    const connector = await scriptedConnector();
    const options = {
      baseUrl: connector.url,
      initialize: { parameters: [{ key: 'a', value: 'b', sensitive: false }] },
      rateLimit: {},
      retry: {},
    };
    const before = structuredClone(options);
    deepFreeze(options);
    const client = createConnectorClient(options);
    await client.request({ method: 'GET', path: '/' });
    await client.close();
    expect(options).toEqual(before);
  });
});

describe('a wrong option of a call is a TypeError that names it, and nothing is sent', () => {
  const wrong: [string, unknown][] = [
    ['idempotent', 'false'],
    ['idempotent', null],
    ['timeoutMs', 0],
    ['timeoutMs', '5'],
    ['totalTimeoutMs', Number.NaN],
    ['priority', '1'],
    ['signal', new AbortController()],
    ['signal', null],
    ['responseType', 'xml'],
  ];
  it.each(wrong)('%s: %o', async (name, value) => {
    const connector = await scriptedConnector();
    const call = { method: 'POST', path: '/', [name]: value };
    const error = await rejection(connect(connector).request(call as never));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(new RegExp(`^\`${name}\` must be `));
    expect(connector.sockets.size).toBe(0);
  });
});

describe('an option that does not exist is refused, with those that do', () => {
  const { baseUrl, initialize } = good;
  const remaining = { header: 'x-left', resetHeader: 'x-reset' };
  it.each<[string, unknown, string]>([
    ['rateLimt', { rateLimt: {} }, '`rateLimt` is not an option: did you mean `rateLimit`?'],
    ['timeoutMS', { timeoutMS: 1 }, '`timeoutMS` is not an option: did you mean `timeoutMs`?'],
    ['timeout', { timeout: 1 }, '`timeout` is not an option: did you mean `timeoutMs`?'],
    ['one that is undefined', { rateLimt: undefined }, '`rateLimt` is not an option'],
    ['one that is far from all', { color: 1 }, '`color` is not an option: there are `baseUrl`, `initialize`, '],
    [
      'initialize.timeoutMS',
      { initialize: { timeoutMS: 1, parameters: {} } },
      '`initialize.timeoutMS` is not an option: did you mean `timeoutMs`?',
    ],
    ['cleanup.pth', { cleanup: { pth: '/x' } }, '`cleanup.pth` is not an option: did you mean `path`?'],
    ['rateLimit.Header', { rateLimit: { Header: 'x' } }, '`rateLimit.Header` is not an option: did you mean `header`?'],
    [
      'rateLimit.remaining.resetFormt',
      { rateLimit: { remaining: { ...remaining, resetFormt: 'seconds' } } },
      '`rateLimit.remaining.resetFormt` is not an option: did you mean `resetFormat`?',
    ],
    [
      'retry.retires',
      { retry: { retires: 0 } },
      '`retry.retires` is not an option: did you mean `retries`? There are `retries`, `minTimeoutMs`, `maxTimeoutMs`, `statusCodes`.',
    ],
    [
      'two of one object',
      { retry: { retires: 0, factor: 2 } },
      '`retry.retires`, `retry.factor` are not options: did you mean `retries`? There are',
    ],
  ])('%s', (_name, wrong, message) => {
    const attempt = () => createConnectorClient({ baseUrl, initialize, ...(wrong as object) });
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(message);
  });

  it('all that is wrong is told at once, and no value that may be secret', () => {
    const parameters = { user: 'canary-user', password: 7 };
    const attempt = () =>
      createConnectorClient({
        baseUrl,
        initialize: { timeoutMS: 1, parameters, method: 'canary-method' },
        rateLimt: { header: 'canary-header' },
        retry: { retires: 0, retries: '3' },
      } as never);
    expect(attempt).toThrow(/`initialize\.timeoutMS` is not.*`rateLimt` is not/);
    for (const name of ['initialize.method', 'initialize.parameters', 'retry.retries', 'retry.retires']) {
      expect(attempt).toThrow(`\`${name}\` `);
    }
    expect(attempt).not.toThrow(/canary-(user|header)/);
  });

  it.each<[string, object, string]>([
    ['querry', { querry: { a: 1 } }, '`querry` is not an option: did you mean `query`?'],
    ['header', { header: {} }, '`header` is not an option: did you mean `headers`?'],
    ['retries', { retries: 1 }, '`retries` is not an option: there are `method`, `path`, `query`,'],
  ])('%s of a request, which is not sent', async (_name, wrong, message) => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    for (const call of [client.get('/', wrong), client.request({ method: 'GET', path: '/', ...wrong })]) {
      const error = await rejection(call);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(message);
    }
    await grace(5);
    expect(connector.requests).toHaveLength(0);
  });
});

describe('objects of the caller', () => {
  const withoutMethods: [string, unknown][] = [
    ['dispatcher', {}],
    ['clock', { now: Date.now }],
    ['state', {}],
    ['state', Promise.resolve()],
  ];
  it.each(withoutMethods)('%s without its methods is refused', (name, value) => {
    const attempt = () => createConnectorClient({ ...good, [name]: value });
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(`\`${name}\` must have the method`);
  });

  it('are used as they are: nothing is copied', async () => {
    class Clock {
      readonly #clock = virtualClock();
      now = () => this.#clock.now();
      monotonic = () => this.#clock.monotonic();
      setTimer(delayMs: number, callback: () => void) {
        return this.#clock.setTimer(delayMs, callback);
      }
    }
    const clock = new Clock();
    const clocks: unknown[] = [];
    const state = memoryState();
    const renew = vi.spyOn(state, 'renew').mockImplementation(async (_expired, login, given) => {
      clocks.push(given);
      return { generation: 1, headers: await login() };
    });
    const connector = await scriptedConnector();
    await connect(connector, { clock, state }).get('/');
    expect(renew).toHaveBeenCalled();
    expect(clocks[0]).toBe(clock);
  });

  it('may be undefined, which means the default', async () => {
    const connector = await scriptedConnector();
    const absent = Object.fromEntries(
      ['cleanup', 'timeoutMs', 'totalTimeoutMs', 'concurrency', 'pacing', 'snapshot', 'maxResponseBytes']
        .concat('freshSessionGraceMs', 'loginCooldownMs', 'dispatcher', 'fetch', 'clock', 'state')
        .map((name) => [name, undefined]),
    );
    const client = connect(connector, {
      ...absent,
      initialize: { parameters: {}, path: undefined, method: undefined, timeoutMs: undefined },
      retry: { retries: undefined },
      rateLimit: { header: undefined, format: undefined, onLimit: undefined, remaining: undefined, scope: undefined },
    } as never);
    await client.get('/', { query: undefined, timeoutMs: undefined, priority: undefined } as never);
    expect(connector.requests).toHaveLength(1);
  });
});

describe('wrong requests are a TypeError that names the option, and nothing is sent', () => {
  const wrong: [string, unknown, string][] = [
    ['no path', { method: 'GET' }, 'path'],
    ['a number as path', { method: 'GET', path: 7 }, 'path'],
    ['a path without a slash', { method: 'GET', path: 'items' }, 'path'],
    ['an empty path', { method: 'GET', path: '' }, 'path'],
    ['a URL as path', { method: 'GET', path: 'http://evil.invalid/' }, 'path'],
    ['no method', { path: '/' }, 'method'],
    ['a method with a blank', { method: 'GET /', path: '/' }, 'method'],
    ['a method with a line break', { method: 'GET\r\nx: 1', path: '/' }, 'method'],
    ['a header value with a line break', { method: 'GET', path: '/', headers: { 'x-a': 'a\r\nx-b: 1' } }, 'headers'],
    ['headers that are a text', { method: 'GET', path: '/', headers: 'ab' }, 'headers'],
    ['headers that are null', { method: 'GET', path: '/', headers: null }, 'headers'],
    ['headers that are a function', { method: 'GET', path: '/', headers: () => ({}) }, 'headers'],
    ['a header name with a blank', { method: 'GET', path: '/', headers: { 'x a': '1' } }, 'headers'],
    ['a length that may not fit', { method: 'PUT', path: '/', json: 1, headers: { 'Content-Length': '5' } }, 'headers'],
    ['a transfer encoding', { method: 'PUT', path: '/', headers: { 'transfer-encoding': 'chunked' } }, 'headers'],
    ['another host', { method: 'GET', path: '/', headers: { host: 'evil.invalid' } }, 'headers'],
    ['a body that cannot be sent', { method: 'POST', path: '/', body: 7 }, 'body'],
    ['an object as body', { method: 'POST', path: '/', body: {} }, 'body'],
    ['a time-out of zero', { method: 'GET', path: '/', timeoutMs: 0 }, 'timeoutMs'],
    ['a time-out that is none', { method: 'GET', path: '/', timeoutMs: '1' }, 'timeoutMs'],
  ];
  it.each(wrong)('%s', async (_name, request, option) => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    for (const how of [{}, { responseType: 'stream' }]) {
      const error = await rejection(client.request({ ...(request as object), ...how } as never));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`\`${option}`);
    }
    await grace(5);
    expect(connector.requests).toHaveLength(0);
  });
});

describe('a path never leaves the base URL', () => {
  it.each([
    '//evil.invalid/steal',
    '/\\evil.invalid/steal',
    '/../../secret',
    '/a/../../../secret',
    '/%2e%2e/%2e%2e/secret',
    '/..;/secret',
    '/items\r\nx-injected: 1',
    '/items\nHost: evil',
    '/items x',
    '/@evil.invalid/',
    'https://evil.invalid/',
  ])('%j', async (path) => {
    const connector = await scriptedConnector();
    const client = connect({ url: `${connector.url}/api/v1` });
    await client.request({ method: 'GET', path }).catch(() => {});
    await grace(5);
    for (const { path: seen, headers } of connector.requests) {
      expect(seen.startsWith('/api/v1/')).toBe(true);
      expect(seen).not.toMatch(/(^|\/)\.\.(\/|$)/);
      expect(headers.host).toBe(new URL(connector.url).host);
      expect(headers).not.toHaveProperty('x-injected');
    }
  });
});

describe('paths and queries', () => {
  const arrived = async (base: string, path: string, query?: unknown) => {
    const connector = await scriptedConnector();
    await connect({ url: connector.url + base }).request({ method: 'GET', path, ...(query ? { query } : {}) } as never);
    return connector.requests[0]?.path;
  };

  it.each([
    ['', '/issues', '/issues'],
    ['/', '/issues', '/issues'],
    ['/api/v1', '/issues', '/api/v1/issues'],
    ['/api/v1/', '/issues', '/api/v1/issues'],
    ['/api/v1', '/issues/caf%C3%A9%2Fbar', '/api/v1/issues/caf%C3%A9%2Fbar'],
    ['/api', '/', '/api/'],
  ])('%j + %j → %s', async (base, path, expected) => {
    expect(await arrived(base, path)).toBe(expected);
  });

  it.each([
    [{ page: 2, open: true }, '?page=2&open=true'],
    [{ q: 'a b&c=d/é' }, '?q=a+b%26c%3Dd%2F%C3%A9'],
    [{ a: undefined, b: 1 }, '?b=1'],
    [{ id: ['1', '2'] }, '?id=1&id=2'],
    [{}, ''],
  ])('the query %j becomes %s', async (query, expected) => {
    const path = (await arrived('', '/items', query)) ?? '';
    expect([...new URLSearchParams(path.split('?')[1])]).toEqual([...new URLSearchParams(expected)]);
    expect(path.split('?')[0]).toBe('/items');
  });

  it('a query is added to the one in the path', async () => {
    expect(await arrived('', '/items?state=open', { page: 2 })).toBe('/items?state=open&page=2');
  });
});

describe('headers', () => {
  it('of a request cannot replace the session, in whatever case they are written', async () => {
    const connector = await scriptedConnector();
    await connect(connector).request({ method: 'GET', path: '/', headers: { 'X-SESSION': 'stolen' } });
    expect(connector.requests[0]?.session).toBe('session-1');
    expect(connector.requests[0]?.rawHeaders.filter((name) => name.toLowerCase() === 'x-session')).toHaveLength(1);
  });

  it('may be a Headers object', async () => {
    const connector = await scriptedConnector();
    await connect(connector).request({ method: 'GET', path: '/', headers: new Headers({ 'x-a': '1' }) });
    expect(connector.requests[0]?.headers['x-a']).toBe('1');
  });
});

describe('a fetch instead of undici', () => {
  const script = (connector: Awaited<ReturnType<typeof scriptedConnector>>) => {
    const steps: ((exchange: Exchange) => unknown)[] = [
      (exchange) => exchange.reply(401),
      (exchange) => exchange.limit(20),
      (exchange) => exchange.reply(503),
      (exchange) => exchange.drop(),
      (exchange) => exchange.reply(200, { body: String(exchange.body), session: exchange.session }),
    ];
    connector.handle = (exchange) => steps.shift()?.(exchange);
  };

  it.each([
    ['undici', undefined],
    ['the fetch of this runtime', globalThis.fetch],
    ['a fetch of the caller', ((input, init) => globalThis.fetch(input, init)) as typeof fetch],
  ])('keeps the same rules: %s', async (_name, fetch) => {
    const connector = await scriptedConnector({ guard: false });
    script(connector);
    const client = connect(connector, {
      ...(fetch ? { fetch } : {}),
      rateLimit: { format: 'milliseconds' },
    });
    const { data } = await client.request({
      method: 'PUT',
      path: '/items?a=1',
      json: { a: 1 },
      headers: { 'x-b': '2' },
    });
    expect(data).toEqual({ body: '{"a":1}', session: 'session-2' });
    expect(connector.requests).toHaveLength(5);
    expect(connector.requests.every(({ path, headers }) => path === '/items?a=1' && headers['x-b'] === '2')).toBe(true);
    connector.handle = (exchange) => exchange.fail(404, 'NO', 'nothing here');
    await expect(client.request({ method: 'GET', path: '/' })).rejects.toMatchObject({ status: 404, code: 'NO' });
    connector.handle = () => {};
    const error = await rejection(client.request({ method: 'POST', path: '/', timeoutMs: 50 }));
    expect(error.message).toContain('POST /');
    const reason = new Error('enough');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 20);
    expect(await rejection(client.request({ method: 'GET', path: '/', signal: controller.signal }))).toBe(reason);
  });
});

function deepFreeze(value: unknown) {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
}
