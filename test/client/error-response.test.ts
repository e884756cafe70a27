// What an error of a call carries of the response (rule E9).

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { type AnyConnectorError, isConnectorError } from 'concordat';
import { type CallError, InitializeError, isInitializeError, isRequestError, RequestError } from 'concordat/client';
import { virtualClock } from 'concordat/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { connect, password } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection, until } from '../helpers/until.js';
import { leaksOf, show } from '../helpers/visible.js';

const told = { etag: '"7"', 'x-request-id': 'request-1', location: '/issues/8', 'set-cookie': ['sid=new-canary-1'] };
const secretName = { 'x-session': 'new-canary-2' };

describe('the response of an error (E9)', () => {
  it.each([
    ['bad-request', 400],
    ['forbidden', 403],
    ['not-found', 404],
    ['other', 409],
    ['other', 412],
    ['other', 500],
  ])('%s, %i', async (kind, status) => {
    const handle = (exchange: Exchange) => exchange.fail(status, 'CODE', 'no', { ...told, ...secretName });
    const connector = await scriptedConnector({ handle });
    const error = await rejection(connect(connector, { retry: { retries: 1 } }).get('/issues/7'));
    expect(error).toMatchObject({ kind, status, attempts: status === 500 ? 2 : 1 });
    const { response } = error;
    expect(response.status).toBe(status);
    expect(response.headers.get('etag')).toBe('"7"');
    expect(response.headers.get('x-request-id')).toBe('request-1');
    expect(response.headers.get('location')).toBe('/issues/8');
    expect(JSON.parse(response.text)).toEqual({ errors: { code: 'CODE', message: 'no' } });
    expect(Object.keys(error)).not.toContain('response');
    // A new session or cookie is a secret by its name alone.
    expect(leaksOf(['new-canary-1', 'new-canary-2'], show(error))).toEqual([]);
  });

  it.each([
    ['parked', { rateLimit: { onLimit: 'reject' as const } }],
    ['longer than `maxWaitMs`', { rateLimit: { maxWaitMs: 1000 } }],
  ])('is on a limit that is %s', async (_what, options) => {
    const handle = (exchange: Exchange) => exchange.fail(403, 'CODE', 'no', { ...told, 'retry-after': '60' });
    const connector = await scriptedConnector({ handle });
    const error = await rejection(connect(connector, options).get('/'));
    expect(error).toMatchObject({ kind: 'rate-limit', attempts: 1, response: { status: 403 } });
    expect(error.response.headers.get('x-request-id')).toBe('request-1');
  });

  it('shows nothing that its request held under the name of a secret, in headers or query (E5)', async () => {
    const handle = ({ path, headers, fail }: Exchange) =>
      fail(
        400,
        'BAD',
        `you sent ${path} and ${headers['x-my-token']}, ${headers['x-shared-secret']}, ${headers['x-trace']}`,
      );
    const connector = await scriptedConnector({ handle });
    const client = connect(connector, { headers: { 'x-shared-secret': 'canary-of-client' } });
    const calls = [
      client.get('/a?api_key=canary-in-path&page=page-7', {
        headers: { 'X-My-Token': 'canary-of-call', 'x-trace': 'trace-7' },
      }),
      client.get('/b', { query: { access_token: 'canary/of query', page: 'page-7' } }),
    ];
    for (const call of calls) {
      const error = await rejection(call);
      expect(leaksOf(['canary'], show(error))).toEqual([]);
      expect(error.message).toContain('page=page-7'); // control
    }
    expect((await rejection(calls[0] as Promise<unknown>)).message).toContain('trace-7'); // control
  });

  it('is on a refused login, and its secrets are taken out', async () => {
    const initialize = (exchange: Exchange) => exchange.fail(401, 'NO', `wrong: ${password}`, told);
    const error = await rejection(connect(await scriptedConnector({ initialize })).get('/'));
    expect(error).toMatchObject({ kind: 'initialize', response: { status: 401 } });
    expect(error.response.headers.get('x-request-id')).toBe('request-1');
    expect(leaksOf([password], show(error))).toEqual([]);
  });

  it.each([
    ['an error', 404, {}],
    ['a limit', 403, { 'retry-after': '60' }],
    ['a success that cannot be read', 200, { 'content-type': 'application/json' }],
  ])('of %s does not show the next value of a session header, whatever its name', async (_what, status, headers) => {
    const initialize = (exchange: Exchange) =>
      exchange.reply(200, [
        { key: 'X-Handle', value: 'old-canary', sensitive: true },
        { key: 'x-org', value: 'acme', sensitive: false },
      ]);
    const handle = (exchange: Exchange) =>
      exchange.reply(status, '{', { ...headers, 'x-handle': 'new-canary', 'x-org': 'other' });
    const connector = await scriptedConnector({ initialize, handle, guard: false });
    const { response } = await rejection(connect(connector, { rateLimit: { onLimit: 'reject' } }).get('/'));
    expect(response.headers.get('x-handle')).toBe('[redacted]');
    expect(response.headers.get('x-org')).toBe('other');
  });

  it('is absent if there was no response', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.drop() });
    const error = await rejection(connect(connector, { retry: { retries: 2 } }).get('/'));
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', attempts: 3 });
    expect(error.response).toBeUndefined();
  });

  it('is bounded, and holds no part of a body that was cut', async () => {
    const text = `start${'é'.repeat(100_000)}`;
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(404, text) });
    const error = await rejection(connect(connector).get('/'));
    expect(Buffer.byteLength(error.response.text)).toBeLessThanOrEqual(16 * 1024);
    expect(error.response.text).toMatch(/^starté+… \[cut\]$/);
  });

  it('holds nothing of a text larger than 1 MiB', async () => {
    const page = `<html>${'x'.repeat(2 ** 20)}`;
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(200, page) });
    const error = await rejection(connect(connector).request({ method: 'GET', path: '/', responseType: 'json' }));
    expect(error).toMatchObject({ code: 'INVALID_JSON', response: { status: 200, text: '' } });
  });

  it.each(['GET', 'HEAD'])('of a %s without a body says so, and blames nobody', async (method) => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(404, '') });
    const error = await rejection(connect(connector).request({ method, path: '/' }));
    expect(error.message).toContain('is not available. (the response has no body)');
  });

  it('of a redirect shows the origin that it leads to', async () => {
    const location = 'https://elsewhere.example/canary?canary';
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(302, 'canary', { location }) });
    const error = await rejection(connect(connector).get('/'));
    expect(error.response.headers.get('location')).toBe('https://elsewhere.example');
    expect(error.message).toContain(
      'the connector redirects to https://elsewhere.example; redirects are not followed, so `baseUrl` and the path have to',
    );
    expect(show(error)).not.toContain('canary');
  });

  it.each([
    ['/sign-in?next=canary#canary', '/sign-in'],
    ['/items/8;jsessionid=canary', '/items/8'],
    ['8?token=canary', '/api/items/8'],
    ['../sign-in', '/api/sign-in'],
    ['?token=canary', '/api/items/7'],
    ['OWN/a%20b?canary', '/a%20b'],
    ['http://canary:canary@HOST/sign-in', '/sign-in'],
    ['//elsewhere.example/canary', 'http://elsewhere.example'],
    ['http://localhost:1/canary', 'http://localhost:1'],
    ['https://HOST/canary', 'https://HOST'],
  ])('of a redirect to %s shows %s: at the own origin the path (S7)', async (to, shown) => {
    const connector = await scriptedConnector();
    const { host } = new URL(connector.url);
    const location = to.replace('OWN', connector.url).replace('HOST', host);
    connector.handle = (exchange) => exchange.reply(302, '', { location });
    const transports = [{}, { fetch: globalThis.fetch }];
    const clients = transports.map((options) => connect({ url: `${connector.url}/api` }, options));
    for (const error of await Promise.all(clients.map((client) => rejection(client.get('/items/7'))))) {
      const target = shown.replace('HOST', host);
      expect(error.response.headers.get('location')).toBe(target);
      expect(error.message).toContain(`the connector redirects to ${target};`);
      expect(show(error)).not.toContain('canary');
    }
  });

  it('of a redirect of a login shows the path, too, without its secrets (E5, S7)', async () => {
    const location = `/wrong/${password}/sign-in`;
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.reply(302, '', { location }) });
    const error = await rejection(connect(connector).get('/'));
    expect(error.message).toContain('the connector redirects to /wrong/[redacted]/sign-in;');
    expect(error.response.headers.get('location')).toBe('/wrong/[redacted]/sign-in');
    expect(leaksOf([password], show(error))).toEqual([]);
  });

  it.each([
    ['/items', '/items/?page=canary', 'redirects to /items/, to this path with a slash at its end;'],
    [
      '/items?page=2',
      'https://c.example/api/items/',
      'redirects to https://c.example, to this path with a slash at its end;',
    ],
    ['/items/', '/items', 'redirects to /items, to this path without the slash at its end;'],
    ['/', '/x', 'redirects to /x;'],
    ['/items', '/x', 'redirects to /x;'],
    ['/items/', '', 'redirects;'],
  ])('of a redirect from %s to %s says: %s', async (path, location, message) => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(307, '', { location }) });
    const error = await rejection(connect(connector).get(path));
    expect(error.message).toContain(`the connector ${message}`);
    expect(show(error)).not.toContain('canary');
  });

  it.each([
    'mailto:canary@elsewhere.example',
    'http://[canary',
    `https://${'a'.repeat(270)}.example/`,
    `/${'a'.repeat(270)}`,
  ])('of a redirect to %s shows no target: it is none, or too long', async (location) => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(302, '', { location }) });
    const error = await rejection(connect(connector).get('/'));
    expect(error.response.headers.get('location')).toBe('');
  });

  it.each([
    ['was not asked for', 206, { 'content-range': 'bytes 0-3/9' }],
    ['has a status that HTTP does not know', 600, {}],
  ])('is there if it %s', async (_what, status, headers) => {
    const handle = (exchange: Exchange) => exchange.reply(status, 'text', { ...told, ...headers });
    const error = await rejection(connect(await scriptedConnector({ handle })).get('/'));
    expect(error).toMatchObject({ code: 'UNEXPECTED_STATUS', status, response: { status, text: 'text' } });
    expect(error.response.headers.get('x-request-id')).toBe('request-1');
  });

  it.each(['undici', 'fetch'])(
    'has the head of a success whose body does not come in time, by %s',
    async (transport) => {
      const handle = ({ response }: Exchange) =>
        void response.writeHead(201, { ...told, ...secretName }).write('{"id":');
      const clock = virtualClock();
      let resolve = () => {};
      const arrived = new Promise<void>((done) => {
        resolve = done;
      });
      const onHead = (message: unknown) =>
        (message as { request: { path: string } }).request.path === '/issues' && resolve();
      const fetch: typeof globalThis.fetch = async (...parameters) => {
        const response = await globalThis.fetch(...parameters);
        if (response.status === 201) resolve();
        return response;
      };
      if (transport === 'undici') subscribe('undici:request:headers', onHead);
      const options = { clock, timeoutMs: 1000, ...(transport === 'fetch' && { fetch }) };
      const call = rejection(connect(await scriptedConnector({ handle }), options).post('/issues', { json: {} }));
      await arrived;
      unsubscribe('undici:request:headers', onHead);
      await setImmediate();
      await clock.advance(1000);
      const error = await call;
      expect(error).toMatchObject({ code: 'TIMEOUT', status: 201, response: { status: 201, text: '' } });
      expect(error.response.headers.get('location')).toBe('/issues/8');
      expect(leaksOf(['new-canary-1', 'new-canary-2'], show(error))).toEqual([]);
    },
  );

  it.each([
    ['a part', (exchange: Exchange) => exchange.reply(206, '{"a":"new-canary-2"}', { 'content-range': 'bytes 0-3/9' })],
    ['late', ({ response }: Exchange) => void response.writeHead(200, { 'x-odd': 'new-canary-2' }).write('{')],
  ])('is absent on a login whose success is %s', async (_what, initialize) => {
    const options = { initialize: { parameters: {}, timeoutMs: 200 }, retry: { retries: 0 } };
    const error = await rejection(connect(await scriptedConnector({ initialize }), options).get('/'));
    expect(error.name).toBe('InitializeError');
    expect([error.response, (error.cause as { response?: unknown } | undefined)?.response]).toEqual([
      undefined,
      undefined,
    ]);
    expect(leaksOf(['new-canary-2'], show(error))).toEqual([]);
  });

  it('has no bytes that are no text', async () => {
    const handle = (exchange: Exchange) => exchange.reply(404, Buffer.from([1, 2]), { 'content-type': 'image/png' });
    expect((await rejection(connect(await scriptedConnector({ handle })).get('/'))).response.text).toBe('');
  });
});

describe('problems of RFC 9457 (E9)', () => {
  const problem = { 'content-type': 'application/problem+json; charset=utf-8' };
  it.each([
    [{ title: 'Not valid', detail: 'title too long', code: 42 }, { code: '42', detail: 'title too long' }, 'Not valid'],
    [{ type: 'https://h/too-long', title: 'Not valid' }, { code: 'https://h/too-long' }, 'Not valid'],
    [{ type: 'about:blank', detail: 'title too long' }, { code: 'CONNECTOR_ERROR' }, 'title too long'],
    [{ status: 422 }, { code: 'CONNECTOR_ERROR' }, 'no error body'],
  ])('%j', async (body, expected, message) => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(422, JSON.stringify(body), problem),
    });
    const error = await rejection(connect(connector).get('/'));
    expect(error).toMatchObject({ ...expected, origin: 'unknown' });
    expect(error.message).toContain(message);
  });

  it('are second to a body of the contract', async () => {
    const body = JSON.stringify({ title: 'title', errors: { code: 'CODE', message: 'message' } });
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(422, body, problem) });
    expect(await rejection(connect(connector).get('/'))).toMatchObject({ code: 'CODE', origin: 'connector' });
  });
});

it('calls that waited for the same login tell how often each was sent (E9)', async () => {
  const connector = await scriptedConnector();
  const client = connect(connector);
  await client.get('/');
  const hold = holdAll();
  connector.initialize = hold.handler;
  connector.expireSessions();
  const sent = rejection(client.get('/'));
  await until(() => hold.held.length === 1);
  const unsent = [rejection(client.get('/')), rejection(client.get('/'))];
  hold.release((exchange) => exchange.fail(401, 'NO', 'Wrong password'));
  const errors = await Promise.all([sent, ...unsent]);
  const later = await rejection(client.get('/'));
  expect([...errors, later].map(({ attempts }) => attempts)).toEqual([1, 0, 0, 0]);
  const [first, second] = errors as [InitializeError, InitializeError];
  expect(second).toBeInstanceOf(InitializeError);
  expect({ ...second, message: second.message }).toEqual({ ...first, message: first.message, attempts: 0 });
  expect(second.response).toBe(first.response);
  expect(second.response?.status).toBe(401);
});

it('an InitializeError has only the properties that it was given', () => {
  expect(Object.keys(new InitializeError('x'))).toEqual(['refused']);
  const given = { status: 400, code: 'BAD', refused: true, retryAt: new Date(0) };
  expect(new InitializeError('x', given)).toMatchObject(given);
});

describe('guards', () => {
  it('know errors of another copy of the package, and nothing else', () => {
    const request = { method: 'GET', path: '/' };
    const requestError = new RequestError('x', { code: 'TIMEOUT', request });
    const initializeError = new InitializeError('x');
    const [ofRequest, ofInitialize] = [RequestError, InitializeError].map(({ prototype }) =>
      Object.create(Object.create(Error.prototype, Object.getOwnPropertyDescriptors(prototype))),
    );
    for (const value of [requestError, ofRequest]) {
      expect([isRequestError(value), isInitializeError(value), isConnectorError(value)]).toEqual([true, false, false]);
    }
    for (const value of [initializeError, ofInitialize]) {
      expect([isRequestError(value), isInitializeError(value), isConnectorError(value)]).toEqual([false, true, false]);
    }
    for (const value of [null, undefined, 'x', {}, new Error('x')]) expect(isRequestError(value)).toBe(false);
  });

  it('narrow by `kind`', () => {
    const check = (error: CallError) => {
      switch (error.kind) {
        case 'rate-limit':
          return expectTypeOf(error.resumeAt).toEqualTypeOf<Date>();
        case 'request':
          return expectTypeOf(error).toEqualTypeOf<RequestError>();
        case 'initialize':
          return expectTypeOf(error.refused).toEqualTypeOf<boolean>();
        default:
          return expectTypeOf(error).toExtend<AnyConnectorError>();
      }
    };
    expect(check).toBeTypeOf('function');
    const narrow = (error: unknown) => {
      if (isConnectorError(error) && error.kind === 'rate-limit') expectTypeOf(error.retryAfterMs).toBeNumber();
    };
    expect(narrow).toBeTypeOf('function');
  });
});
