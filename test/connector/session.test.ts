import { ForbiddenError } from 'concordat';
import { createConnector } from 'concordat/connector';
import { connectorNotFound, onConnectorError } from 'concordat/connector/hono';
import { Hono } from 'hono';
import { etag } from 'hono/etag';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { unhandledRejections } from '../helpers/unhandled-rejections.js';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

function connectorWithRoute(overrides: Parameters<typeof makeConnector>[0] = {}) {
  const connector = makeConnector(overrides);
  connector.get('/issues', (c) => c.json(c.get('session')));
  return connector;
}

describe('every route but initialize asks for the session', () => {
  test('a missing one is a 401 that names the header', async () => {
    const answer = await send(await start(connectorWithRoute()), { path: '/issues' });
    expect([answer.status, errorsOf(answer)]).toEqual([
      401,
      { code: 'UNAUTHORIZED', message: 'The session is missing: X-Token.' },
    ]);
    expect(answer.headers['retry-after']).toBeUndefined();
  });

  test('one that the schema refuses is a 401 that names the header and not its value', async () => {
    const answer = await send(await start(connectorWithRoute()), { path: '/issues', headers: { 'x-token': 'no' } });
    expect(answer.status).toBe(401);
    expect(errorsOf(answer).message).toMatch(/^The session is not valid: X-Token: .*$/);
  });

  test('several missing ones are all named', async () => {
    const session = z.object({ 'X-Token': z.string(), 'X-Kind': z.string() });
    const initialize = { parameters: z.object({}), handler: () => ({ 'X-Token': 'abc', 'X-Kind': 'a' }) };
    const connector = createConnector({ initialize, session, onError: () => {} });
    connector.get('/issues', (c) => c.json([]));
    const refused = await send(await start(connector), { path: '/issues' });
    expect(errorsOf(refused).message).toBe('The session is missing: X-Token, X-Kind.');
  });

  test('the refusal does not quote the value that a literal expects (E5)', async () => {
    const literals = z.object({ 'X-Token': z.literal('expected-9f2c'), 'X-Kind': z.enum(['secret-a', 'secret-b']) });
    const initialize = {
      parameters: z.object({}),
      handler: () => ({ 'X-Token': 'expected-9f2c', 'X-Kind': 'secret-a' as const }),
    };
    const connector = createConnector({ initialize, session: literals, onError: () => {} });
    connector.get('/issues', (c) => c.json([]));
    const url = await start(connector);
    const answer = await send(url, { path: '/issues', headers: { 'x-token': 'guess', 'x-kind': 'guess' } });
    expect(errorsOf(answer).message).toBe('The session is not valid: X-Token: is not valid; X-Kind: is not valid.');
  });

  test("names are read whatever their case; the schema's spelling is the key", async () => {
    const url = await start(connectorWithRoute());
    for (const name of ['x-token', 'X-TOKEN', 'X-Token']) {
      const answer = await send(url, { path: '/issues', headers: { [name]: 'abc' } });
      expect([answer.status, answer.body]).toEqual([200, '{"X-Token":"abc"}']);
    }
  });

  test('the session is what the schema makes of the headers', async () => {
    const connector = createConnector({
      initialize: { parameters: z.object({}), handler: () => ({ 'x-account': '1' }) },
      session: z.object({ 'x-account': z.coerce.number(), 'x-region': z.string().default('eu') }),
    });
    connector.get('/', (c) => c.json(c.get('session')));
    const answer = await send(await start(connector), { headers: { 'x-account': '42', 'x-more': '1' } });
    expect(JSON.parse(answer.body)).toEqual({ 'x-account': 42, 'x-region': 'eu' });
  });

  describe('a schema that throws', () => {
    const serialized = () =>
      z.object({ 'x-session': z.string().transform((text) => JSON.parse(text) as { user: string }) });

    test('refuses the session: 401, and `onError` gets the reason as the cause (S1)', async () => {
      const seen: unknown[] = [];
      const connector = createConnector({
        initialize: { parameters: z.object({}), handler: () => ({ 'x-session': '{"user":"alice"}' }) },
        session: serialized(),
        openPaths: ['/health'],
        onError: (error) => void seen.push(error),
      });
      connector.get('/issues', (c) => c.json(c.get('session')));
      connector.get('/health', (c) => c.text('well'));
      const url = await start(connector);
      const foreign = { 'x-session': 'of an earlier version' };
      const refused = await send(url, { path: '/issues', headers: foreign });
      expect([refused.status, errorsOf(refused)]).toEqual([
        401,
        { code: 'UNAUTHORIZED', message: 'The session is not valid.' },
      ]);
      expect(seen).toMatchObject([{ status: 401, cause: expect.any(SyntaxError) }]);
      expect((await send(url, { path: '/health', headers: foreign })).body).toBe('well');
      const body = '[]';
      expect((await send(url, { method: 'POST', path: '/initialize', headers: foreign, body })).status).toBe(200);
      expect((await send(url, { path: '/issues', headers: { 'x-session': '{"user":"alice"}' } })).body).toBe(
        '{"x-session":{"user":"alice"}}',
      );
    });

    test('a contract error that it throws is the response', async () => {
      const initialize = { parameters: z.object({}), handler: () => ({ 'x-session': 'abc' }) };
      const denied = z.string().transform((): string => {
        throw new ForbiddenError('Not here');
      });
      const connector = createConnector({ initialize, session: z.object({ 'x-session': denied }), onError: () => {} });
      connector.get('/issues', (c) => c.text('ok'));
      const answer = await send(await start(connector), { path: '/issues', headers: { 'x-session': 'abc' } });
      expect([answer.status, errorsOf(answer).message]).toEqual([403, 'Not here']);
    });

    test('that rejects leaves no rejection behind, which would end the process (S1)', async () => {
      const unhandled = unhandledRejections();
      const session = z.object({ 'x-session': z.string().transform(async (text) => JSON.parse(text) as object) });
      const initialize = { parameters: z.object({}), handler: () => ({ 'x-session': '{}' }) };
      const connector = createConnector({ initialize, session, onError: () => {} });
      connector.get('/issues', (c) => c.text('ok'));
      const url = await start(connector);
      expect((await send(url, { path: '/issues', headers: { 'x-session': 'abc' } })).status).toBe(401);
      expect((await send(url, { path: '/issues', headers: { 'x-session': '{}' } })).status).toBe(200);
      expect(unhandled).toEqual([]);
    });
  });

  test('routes of a sub-app are guarded too', async () => {
    const connector = makeConnector();
    const issues = new Hono().get('/:id', (c) => c.text(c.req.param('id')));
    connector.route('/issues', issues);
    const url = await start(connector);
    expect((await send(url, { path: '/issues/7' })).status).toBe(401);
    expect((await send(url, { path: '/issues/7', headers: withToken })).body).toBe('7');
  });

  test('a connector without a session of its own lets everything pass', async () => {
    const connector = createConnector({
      initialize: { parameters: z.object({}), handler: () => ({}) },
      session: z.object({}),
    });
    connector.get('/issues', (c) => c.text('ok'));
    expect((await send(await start(connector), { path: '/issues' })).status).toBe(200);
  });
});

describe('verify', () => {
  test('false is a 401, true lets the request pass', async () => {
    const verify = vi.fn((session: { 'X-Token': string }) => session['X-Token'] === 'alive');
    const url = await start(connectorWithRoute({ verify }));
    const dead = await send(url, { path: '/issues', headers: { 'x-token': 'dead' } });
    expect([dead.status, errorsOf(dead)]).toEqual([
      401,
      { code: 'UNAUTHORIZED', message: 'The session is no longer valid.' },
    ]);
    expect((await send(url, { path: '/issues', headers: { 'x-token': 'alive' } })).status).toBe(200);
    expect(verify.mock.calls.map(([session]) => session)).toEqual([{ 'X-Token': 'dead' }, { 'X-Token': 'alive' }]);
  });

  test('a promise is awaited; one that answers nothing refuses', async () => {
    const url = await start(connectorWithRoute({ verify: async () => false }));
    expect((await send(url, { path: '/issues', headers: withToken })).status).toBe(401);
    const silent = await start(connectorWithRoute({ verify: (() => undefined) as never }));
    expect((await send(silent, { path: '/issues', headers: withToken })).status).toBe(401);
    const glad = await start(connectorWithRoute({ verify: async () => true }));
    expect((await send(glad, { path: '/issues', headers: withToken })).status).toBe(200);
  });

  test('what it throws is answered like an error of a route', async () => {
    const limited = await start(connectorWithRoute({ verify: () => Promise.reject(new ForbiddenError()) }));
    expect((await send(limited, { path: '/issues', headers: withToken })).status).toBe(403);
    const broken = await start(connectorWithRoute({ verify: () => Promise.reject(new Error('canary')) }));
    const answer = await send(broken, { path: '/issues', headers: withToken });
    expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
  });

  test('it is not asked about a session that is not there', async () => {
    const verify = vi.fn(() => true);
    await send(await start(connectorWithRoute({ verify })), { path: '/issues' });
    expect(verify).not.toHaveBeenCalled();
  });
});

describe('unknown routes', () => {
  test.each([
    ['without a session', {}],
    ['with one', withToken],
  ])('are a 404 %s: logging in would not help', async (_what, headers) => {
    const url = await start(connectorWithRoute());
    for (const [method, path] of [
      ['GET', '/nope'],
      ['DELETE', '/issues'],
      ['OPTIONS', '/issues'],
      ['GET', '/'],
    ] as const) {
      const answer = await send(url, { method, path, headers });
      expect([answer.status, errorsOf(answer)]).toEqual([
        404,
        { code: 'NOT_FOUND', message: `There is no route for ${method} ${path}.` },
      ]);
    }
  });

  test('are a 404 also where the author has middleware for all paths', async () => {
    const connector = connectorWithRoute();
    connector.use(async (_c, next) => next());
    expect((await send(await start(connector), { path: '/nope' })).status).toBe(404);
  });

  test('are a 404 also with a session that is refused', async () => {
    const url = await start(connectorWithRoute({ verify: () => false }));
    expect((await send(url, { path: '/nope', headers: withToken })).status).toBe(404);
    expect((await send(url, { path: '/issues', headers: withToken })).status).toBe(401);
  });

  test('a route for all methods is no unknown one', async () => {
    const connector = makeConnector();
    connector.all('/any', (c) => c.text('ok'));
    connector.mount('/mounted', () => new Response('ok'));
    const url = await start(connector);
    for (const path of ['/any', '/mounted', '/mounted/deep']) {
      expect((await send(url, { method: 'PUT', path })).status).toBe(401);
      expect((await send(url, { method: 'PUT', path, headers: withToken })).status).toBe(200);
    }
  });

  test('a route for all methods and all paths is no unknown one', async () => {
    const connector = makeConnector();
    connector.all('*', (c) => c.text('proxied'));
    const url = await start(connector);
    expect((await send(url, { path: '/any' })).status).toBe(401);
    expect((await send(url, { path: '/any', headers: withToken })).body).toBe('proxied');
  });

  test('a long path is not repeated whole', async () => {
    const url = await start(makeConnector());
    const whole = `/${'x'.repeat(199)}`;
    for (const [path, said] of [
      [whole, whole],
      [`${whole}${'x'.repeat(5_000)}`, `${whole}…`],
    ] as const) {
      const answer = await send(url, { path });
      expect([answer.status, errorsOf(answer).message]).toEqual([404, `There is no route for GET ${said}.`]);
    }
  });

  test('HEAD is GET without the body, which middleware still sees', async () => {
    const connector = makeConnector();
    connector.use(etag());
    connector.get('/', (c) => c.text('unchanged'));
    const url = await start(connector);
    const tags = ['GET', 'HEAD'].map(async (method) => (await send(url, { method, headers: withToken })).headers.etag);
    expect(await tags[1]).toBe(await tags[0]);
  });

  test('HEAD is GET without the body', async () => {
    const url = await start(connectorWithRoute());
    const answer = await send(url, { method: 'HEAD', path: '/issues', headers: withToken });
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect((await send(url, { method: 'HEAD', path: '/issues' })).status).toBe(401);
  });
});

describe('cleanup', () => {
  test('POST /cleanup hands the session to the handler and answers 204 (S1)', async () => {
    const seen: unknown[] = [];
    const url = await start(
      makeConnector({ cleanup: ({ session, signal }) => void seen.push(session, signal.aborted) }),
    );
    const answer = await send(url, { method: 'POST', path: '/cleanup', headers: withToken });
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(seen).toEqual([{ 'X-Token': 'token-of-alice' }, false]);
  });

  test('without a session it is a 401, without the option a 404', async () => {
    const url = await start(makeConnector({ cleanup: () => {} }));
    expect((await send(url, { method: 'POST', path: '/cleanup' })).status).toBe(401);
    const without = await start(makeConnector());
    expect((await send(without, { method: 'POST', path: '/cleanup', headers: withToken })).status).toBe(404);
  });

  test('the path is an option; what the handler throws is answered', async () => {
    const handler = () => Promise.reject(new ForbiddenError('Not now'));
    const url = await start(makeConnector({ cleanup: { path: '/sessions/end', handler } }));
    const answer = await send(url, { method: 'POST', path: '/sessions/end', headers: withToken });
    expect([answer.status, errorsOf(answer).message]).toEqual([403, 'Not now']);
  });
});

test('a connector is mounted in another Hono app, beside routes that need no session', async () => {
  const connector = connectorWithRoute();
  connector.get('/broken', () => {
    throw new ForbiddenError('Not yours');
  });
  const app = new Hono();
  app.onError(onConnectorError);
  app.notFound(connectorNotFound);
  app.get('/health', (c) => c.text('ok'));
  app.route('/tracker', connector);
  const url = await start(app);
  expect((await send(url, { path: '/health' })).body).toBe('ok');
  expect((await send(url, { path: '/tracker/issues' })).status).toBe(401);
  expect((await send(url, { path: '/tracker/issues', headers: withToken })).status).toBe(200);
  expect(errorsOf(await send(url, { path: '/tracker/broken', headers: withToken })).message).toBe('Not yours');
  expect((await send(url, { path: '/tracker/nope' })).status).toBe(404);
  expect((await send(url, { path: '/nope' })).status).toBe(404);
  const body = JSON.stringify({ user: 'alice', password: 'abc' });
  expect((await send(url, { method: 'POST', path: '/tracker/initialize', body })).status).toBe(200);
});
