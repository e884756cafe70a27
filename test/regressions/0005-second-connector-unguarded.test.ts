// In an app with two connectors the second was not guarded: its session check, its `verify` and its body limit were
// skipped, and its routes got the first one's session, because "already checked" was one mark for all connectors. A review
// found it with `a.route('/v2', b)`. Here every way to combine two connectors is asked the same questions (rule D5).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RateLimitError } from 'concordat';
import { type Connector, createConnector, rateLimited, serve } from 'concordat/connector';
import { connectorErrorHandler, connectorNotFound } from 'concordat/connector/express';
import { connectorPlugin } from 'concordat/connector/fastify';
import { connectorErrors } from 'concordat/connector/hono';
import { toNodeHandler } from 'concordat/connector/node';
import express from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

type Name = 'a' | 'b' | 'c';

const limits = { a: 1000, b: 100, c: 1000 };

/** A connector whose every option tells it from the others. Its secret answers with the session that the route got. */
function make(name: Name, log: string[] = [], accepts = true): Connector {
  const connector = createConnector({
    initialize: { parameters: z.object({}), handler: () => ({ [`x-${name}`]: 'new' }) },
    session: z.object({ [`x-${name}`]: z.string() }),
    verify: (session) => accepts && session[`x-${name}`] !== 'refused',
    rateLimit: { header: `X-Wait-${name}`, format: name === 'b' ? 'milliseconds' : 'seconds' },
    maxBodyBytes: limits[name],
    exposeDetail: name === 'b',
    onError: (_error, c) => void log.push(`${name}: ${JSON.stringify(c.get('session'))}`),
  });
  connector.get(`/secret-${name}`, (c) => c.json(c.get('session')));
  connector.post(`/secret-${name}`, async (c) => c.json({ ...c.get('session'), length: (await c.req.text()).length }));
  connector.get(`/limited-${name}`, () => {
    throw new RateLimitError('Slower', { retryAfterMs: 2000 });
  });
  connector.get(`/returned-${name}`, () => rateLimited('Slower', { retryAfterMs: 2000 }));
  connector.get(`/echo-${name}`, (c) => {
    throw new Error(`${c.req.header('x-a')} and ${c.req.header('x-b')} of ${JSON.stringify(c.get('session'))}`);
  });
  return connector as unknown as Connector;
}

function withMiddleware(connector: Connector, seen: unknown[]): Connector {
  connector.use('*', async (c, next) => {
    const before = c.get('session');
    await next();
    seen.push([before, c.get('session')]);
  });
  return connector;
}

interface Way {
  /** Puts two connectors together; what they guard is asked for below `prefix`. */
  combine(a: Connector, b: Connector): Parameters<typeof serve>[0] | { listen(): Promise<string> };
  prefix: string;
  /** Whether the way to b leads through something of a's. */
  behindA: boolean;
}

const ways: Record<string, Way> = {
  'side by side': {
    combine: (a, b) => new Hono().route('/a', a).route('/b', b),
    prefix: '/b',
    behindA: false,
  },
  'on the same path': { combine: (a, b) => new Hono().route('/', a).route('/', b), prefix: '', behindA: false },
  'on the same path, the other one first': {
    combine: (a, b) => new Hono().route('/', b).route('/', withMiddleware(a, [])),
    prefix: '',
    behindA: false,
  },
  'on the same path, with middleware of the first': {
    combine: (a, b) => {
      const first = new Hono().use(async (_c, next) => next());
      a.use('*', async (_c, next) => next());
      return first.route('/', a).route('/', b);
    },
    prefix: '',
    behindA: true,
  },
  'one below the other': { combine: (a, b) => a.route('/v2', b), prefix: '/v2', behindA: true },
  'one below the other, both with middleware': {
    combine: (a, b) => withMiddleware(a, []).route('/v2', withMiddleware(b, [])),
    prefix: '/v2',
    behindA: true,
  },
  'one below the other, on the same path': { combine: (a, b) => a.route('/', b), prefix: '', behindA: true },
  'one below a plain app below the other': {
    combine: (a, b) => a.route('/v', new Hono().route('/2', b) as never),
    prefix: '/v/2',
    behindA: true,
  },
  'three deep': {
    combine: (a, b) => new Hono().route('/1', a.route('/2', make('c').route('/3', b) as never)),
    prefix: '/1/2/3',
    behindA: true,
  },
  'with a base path': {
    combine: (a, b) => new Hono().basePath('/api').route('/a', a).route('/b', b),
    prefix: '/api/b',
    behindA: false,
  },
  'below a base path of the other': {
    combine: (a, b) => {
      a.basePath('/v2').route('/', b);
      return a;
    },
    prefix: '/v2',
    behindA: true,
  },
  'twice the same': {
    combine: (a, b) => new Hono().route('/b1', b).route('/a', a).route('/b2', b),
    prefix: '/b2',
    behindA: false,
  },
  'mounted in a plain app': {
    combine: (a, b) => new Hono().mount('/a', a.fetch).mount('/b', b.fetch),
    prefix: '/b',
    behindA: false,
  },
  'mounted in the other': { combine: (a, b) => a.mount('/v2', b.fetch), prefix: '/v2', behindA: true },
  'called by a handler of the other': {
    combine: (a, b) => {
      a.all('*', (c) => b.fetch(c.req.raw));
      return a;
    },
    prefix: '',
    behindA: true,
  },
  'in an Express app': {
    combine: (a, b) => ({
      listen: () => listen(express().use('/a', toNodeHandler(a)).use('/b', toNodeHandler(b))),
    }),
    prefix: '/b',
    behindA: false,
  },
  'in a Fastify app': {
    combine: (a, b) => ({
      listen: async () => {
        const app = fastify();
        app.removeAllContentTypeParsers();
        app.addContentTypeParser('*', (_request, _payload, done) => done(null));
        for (const [path, connector] of Object.entries({ '/a': a, '/b': b })) {
          const handle = toNodeHandler(connector);
          app.all(`${path}/*`, (request, reply) => {
            reply.hijack();
            request.raw.url = request.raw.url?.slice(path.length);
            handle(request.raw, reply.raw);
          });
        }
        return listenWith(app);
      },
    }),
    prefix: '/b',
    behindA: false,
  },
};

function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

async function start(app: ReturnType<Way['combine']>): Promise<string> {
  if ('listen' in app) return app.listen();
  const server = await serve(app, { port: 0 });
  onTestFinished(() => server.close({ graceMs: 0 }));
  return server.url;
}

const sessionOf = (...names: Name[]) => ({
  'x-c': 'of c',
  ...Object.fromEntries(names.map((name) => [`x-${name}`, `session-of-${name}`])),
});

describe.each(Object.entries(ways))('two connectors %s (D5)', (_way, { combine, prefix, behindA }) => {
  const ask = async (url: string, path: string, init: RequestInit & { duplex?: 'half' } = {}) => {
    const response = await fetch(`${url}${prefix}${path}`, init);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

  test('a session of its own is asked for, and is what the route gets', async () => {
    const url = await start(combine(make('a'), make('b')));
    const secret = async (...names: Name[]) => (await ask(url, '/secret-b', { headers: sessionOf(...names) })).status;
    expect(await secret()).toBe(401);
    expect(await secret('a')).toBe(401);
    expect(await secret('b')).toBe(behindA ? 401 : 200);
    const both = await ask(url, '/secret-b', { headers: sessionOf('a', 'b') });
    expect([both.status, both.body]).toEqual([200, { 'x-b': 'session-of-b' }]);
  });

  test('its `verify` is asked', async () => {
    const url = await start(combine(make('a'), make('b', [], false)));
    const answer = await ask(url, '/secret-b', { headers: sessionOf('a', 'b') });
    expect([answer.status, answer.body.errors.message]).toEqual([401, 'The session is no longer valid.']);
  });

  test.each([
    ['a body of known length', (text: string) => ({ body: text })],
    ['a body of unknown length', (text: string) => ({ body: new Blob([text]).stream(), duplex: 'half' as const })],
  ])('its limit counts for %s', async (_what, bodyOf) => {
    const url = await start(combine(make('a'), make('b')));
    const post = (length: number) =>
      ask(url, '/secret-b', { method: 'POST', headers: sessionOf('a', 'b'), ...bodyOf('x'.repeat(length)) });
    expect((await post(limits.b + 1)).status).toBe(413);
    const within = await post(limits.b);
    expect([within.status, within.body]).toEqual([200, { 'x-b': 'session-of-b', length: limits.b }]);
  });

  test.each(['limited', 'returned'])('its errors are written its own way: %s', async (how) => {
    const url = await start(combine(make('a'), make('b')));
    const { status, headers } = await ask(url, `/${how}-b`, { headers: sessionOf('a', 'b') });
    expect([status, headers.get('x-wait-b'), headers.get('x-wait-a')]).toEqual([403, '2000', null]);
  });

  test('its options decide about failures that nobody foresaw, and its `onError` hears of them', async () => {
    const log: string[] = [];
    const url = await start(combine(make('a', log), make('b', log)));
    const { status, body } = await ask(url, '/echo-b', { headers: sessionOf('a', 'b') });
    expect(status).toBe(500);
    expect(body.errors.detail).toContain('[redacted] of {"x-b":"[redacted]"}');
    expect(body.errors.detail).not.toContain('session-of-b');
    expect(log).toEqual(['b: {"x-b":"session-of-b"}']);
  });
});

test('the first is guarded as before (control)', async () => {
  const url = await start(make('a').route('/v2', make('b')));
  const get = (path: string, ...names: Name[]) => fetch(url + path, { headers: sessionOf(...names) });
  expect((await get('/secret-a')).status).toBe(401);
  expect((await get('/secret-a', 'b')).status).toBe(401);
  expect(await (await get('/secret-a', 'a')).json()).toEqual({ 'x-a': 'session-of-a' });
});

test('what leads through two connectors shows neither session in an error (E5)', async () => {
  const url = await start(make('a').route('/v2', make('b')));
  const answer = await (await fetch(`${url}/v2/echo-b`, { headers: sessionOf('a', 'b') })).text();
  expect(answer).toContain('[redacted] and [redacted] of');
  expect(answer).not.toContain('session-of');
});

test('each handler and middleware has the session of its own connector, also after the other has run (D5)', async () => {
  const seen: unknown[] = [];
  const a = withMiddleware(make('a'), seen);
  a.route('/', withMiddleware(make('b'), seen));
  a.get('/late', (c) => c.json(c.get('session')));
  const url = await start(a);
  const late = await fetch(`${url}/late`, { headers: sessionOf('a', 'b') });
  expect(await late.json()).toEqual({ 'x-a': 'session-of-a' });
  await (await fetch(`${url}/secret-b`, { headers: sessionOf('a', 'b') })).text();
  await (await fetch(`${url}/echo-b`, { headers: sessionOf('a', 'b') })).text();
  const [ofA, ofB] = [{ 'x-a': 'session-of-a' }, { 'x-b': 'session-of-b' }];
  const once = [
    [ofB, ofB],
    [ofA, ofA],
  ];
  // The secret was there before the middleware of b's: it is a route of b's, and only a's middleware comes before it.
  expect(seen).toEqual([...once, [ofA, ofA], [ofA, ofA]]);
});

test('middleware of the one makes no limit of a denial of the other (W2)', async () => {
  const a = make('a');
  a.use('*', async (c, next) => {
    await next();
    c.header('X-Wait-b', '9');
    c.header('X-Other', 'kept');
  });
  const b = make('b');
  b.get('/denied', () => {
    throw Object.assign(new Error('No'), { status: 403, expose: true });
  });
  const url = await start(a.route('/v2', b));
  const { status, headers } = await fetch(`${url}/v2/denied`, { headers: sessionOf('a', 'b') });
  expect([status, headers.get('x-wait-b'), headers.get('x-other')]).toEqual([403, null, 'kept']);
});

function listenWith(app: FastifyInstance): Promise<string> {
  onTestFinished(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

describe('error handlers of the adapters keep to their own part of an app (D5)', () => {
  const options = (name: Name, log: string[]) => ({
    rateLimit: { header: `X-Wait-${name}` },
    exposeDetail: name === 'b',
    onError: () => void log.push(name),
  });
  const limited = () => {
    throw new RateLimitError('Slower', { retryAfterMs: 2000 });
  };
  const apps: Record<string, (log: string[]) => Promise<string>> = {
    express: (log) => {
      const app = express();
      for (const name of ['a', 'b'] as const) {
        const router = express.Router().get('/limited', limited);
        app.use(`/${name}`, router.use(connectorNotFound()).use(connectorErrorHandler(options(name, log))));
      }
      return listen(app);
    },
    'fastify, with prefixes': (log) => {
      const app = fastify();
      for (const name of ['a', 'b'] as const) {
        app.register(
          async (scope) => {
            await scope.register(connectorPlugin, options(name, log));
            scope.get('/limited', limited);
          },
          { prefix: `/${name}` },
        );
      }
      return listenWith(app);
    },
    'fastify, in scopes without a prefix': (log) => {
      const app = fastify();
      for (const name of ['a', 'b'] as const) {
        app.register(async (scope) => {
          await scope.register(connectorPlugin, options(name, log));
          scope.get(`/${name}/limited`, limited);
        });
      }
      return listenWith(app);
    },
    'fastify, one scope in the other': async (log) => {
      const app = fastify();
      await app.register(connectorPlugin, options('a', log));
      app.get('/a/limited', limited);
      app.register(async (scope) => {
        await scope.register(connectorPlugin, options('b', log));
        scope.get('/b/limited', limited);
      });
      return listenWith(app);
    },
    hono: (log) => {
      const app = new Hono();
      for (const name of ['a', 'b'] as const) {
        const part = new Hono().get('/limited', limited);
        part.onError(connectorErrors(options(name, log)));
        app.route(`/${name}`, part);
      }
      return start(app);
    },
    node: async (log) => {
      const handlers = {
        a: toNodeHandler(limited, options('a', log)),
        b: toNodeHandler(limited, options('b', log)),
      };
      return listen((incoming, outgoing) => handlers[incoming.url?.[1] as 'a' | 'b'](incoming, outgoing));
    },
  };
  test.each(Object.entries(apps))('%s', async (_name, startApp) => {
    const log: string[] = [];
    const url = await startApp(log);
    for (const name of ['a', 'b'] as const) {
      const { status, headers } = await fetch(`${url}/${name}/limited`);
      expect(status).toBe(403);
      expect([headers.get('x-wait-a'), headers.get('x-wait-b')]).toEqual(name === 'a' ? ['2', null] : [null, '2']);
    }
    expect(log).toEqual(['a', 'b']);
  });
});

test('of Fastify scopes with the same prefix the first answers unknown routes; twice in one scope is refused (D5)', async () => {
  const log: string[] = [];
  const app = fastify();
  for (const name of ['a', 'b'] as const) {
    app.register(async (scope) => {
      await scope.register(connectorPlugin, { onError: () => void log.push(name) });
    });
  }
  const answer = await fetch(`${await listenWith(app)}/nowhere`);
  expect([answer.status, (await answer.json()).errors.code, log]).toEqual([404, 'NOT_FOUND', ['a']]);
  const twice = fastify({ allowErrorHandlerOverride: false });
  await twice.register(connectorPlugin);
  await expect(async () => twice.register(connectorPlugin)).rejects.toThrow('already set');
  await twice.close();
});
