import { gzipSync } from 'node:zlib';
import { BadRequestError } from 'concordat';
import { unauthorized } from 'concordat/connector';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { timeout } from 'hono/timeout';
import { validator } from 'hono/validator';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { endSystem } from './support/end-system.js';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const ask = async (answer: (c: Context) => Response | Promise<Response>, options = {}) => {
  const connector = makeConnector(options);
  connector.get('/', answer as never);
  return send(await start(connector), { headers: withToken });
};

/** What zValidator and @hono/zod-openapi do by default: the result as JSON, with 400. */
const zodValidator = (schema: z.ZodType): MiddlewareHandler =>
  validator('json', (value, c) => {
    const result = schema.safeParse(value);
    return result.success ? (result.data as never) : c.json(result, 400);
  }) as never;

describe('a response of 400 or above that a handler returns has the body of the contract (E4)', () => {
  test.each<[string, (c: Context) => Response, number, object]>([
    ['text', (c) => c.text(' no\n', 404), 404, { code: 'NOT_FOUND', message: 'no' }],
    ['nothing', (c) => c.body(null, 403), 403, { code: 'FORBIDDEN', message: 'Access to this resource is denied.' }],
    [
      'HTML',
      (c) => c.html('<h1>no</h1>', 500),
      500,
      { code: 'CONNECTOR_ERROR', message: 'The connector responded with 500.' },
    ],
    [
      'JSON with a message and a code',
      (c) => c.json({ code: 'LOCKED', message: 'It is locked', by: 'ada' }, 423 as 400),
      423,
      { code: 'LOCKED', message: 'It is locked', detail: '{"code":"LOCKED","message":"It is locked","by":"ada"}' },
    ],
    [
      'JSON with an error',
      (c) => c.json({ error: 'wrong' }, 401),
      401,
      { code: 'UNAUTHORIZED', message: 'wrong', detail: '{"error":"wrong"}' },
    ],
    [
      'a problem of RFC 9457, whose title may only be the status',
      (c) => c.json({ type: 'about:blank', title: 'Conflict', detail: 'Somebody was faster' }, 409),
      409,
      {
        code: 'CONNECTOR_ERROR',
        message: 'Somebody was faster',
        detail: '{"type":"about:blank","title":"Conflict","detail":"Somebody was faster"}',
      },
    ],
    [
      'a list of errors',
      (c) => c.json({ errors: [{ code: 7, message: 'first' }] }, 400),
      400,
      { code: '7', message: 'first' },
    ],
    [
      'JSON with a list of issues that is empty',
      (c) => c.json({ issues: [], message: 'no' }, 400),
      400,
      { code: 'BAD_REQUEST', message: 'no', detail: '{"issues":[],"message":"no"}' },
    ],
    [
      'JSON of the type that the contract has',
      () =>
        new Response('{"message":"no"}', {
          status: 400,
          headers: { 'content-type': 'application/json; charset=utf-8' },
        }),
      400,
      { code: 'BAD_REQUEST', message: 'no', detail: '{"message":"no"}' },
    ],
    ['JSON that is null', (c) => c.json(null, 400), 400, { code: 'BAD_REQUEST', message: 'null' }],
    [
      'JSON with a message that is blank',
      (c) => c.json({ message: ' ', title: 'Conflict' }, 409),
      409,
      { code: 'CONNECTOR_ERROR', message: 'Conflict', detail: '{"message":" ","title":"Conflict"}' },
    ],
    [
      'JSON with a list that is none of issues',
      (c) => c.json({ issues: [{ message: 'a' }, 7, null], message: 'no' }, 400),
      400,
      { code: 'BAD_REQUEST', message: 'no', detail: '{"issues":[{"message":"a"},7,null],"message":"no"}' },
    ],
    [
      'a text that is short enough for a message',
      (c) => c.text('x'.repeat(500), 400),
      400,
      { code: 'BAD_REQUEST', message: 'x'.repeat(500) },
    ],
    [
      'a longer text',
      (c) => c.text('x'.repeat(501), 400),
      400,
      { code: 'BAD_REQUEST', message: 'The request is not valid.', detail: 'x'.repeat(501) },
    ],
    [
      'the contract’s body with more in it',
      (c) => c.json({ errors: { code: 'A', message: 'b' }, more: 1 }, 400),
      400,
      { code: 'A', message: 'b' },
    ],
  ])('%s', async (_what, answer, status, errors) => {
    const { headers, ...rest } = await ask(answer);
    expect([rest.status, errorsOf({ headers, ...rest })]).toEqual([status, errors]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a body of the contract goes out as it is, in compact JSON, and `onError` does not hear of it (E1)', async () => {
    const body = '{ "errors": { "code": "A", "message": "b", "detail": "c" } }';
    const onError = vi.fn();
    const answer = await ask(
      () => new Response(body, { status: 409, headers: { 'content-type': 'application/json', 'x-a': '1' } }),
      { onError },
    );
    const compact = '{"errors":{"code":"A","message":"b","detail":"c"}}';
    expect(answer).toMatchObject({ status: 409, body: compact, headers: { 'x-a': '1' } });
    expect(onError).not.toHaveBeenCalled();
  });

  test('a body of the contract loses the secrets of the session, and is bounded (E5, E8)', async () => {
    const errors = { code: 'A', message: 'refused token-of-alice', detail: `\u001B[31m${'x'.repeat(20_000)}` };
    const sent = errorsOf(await ask((c) => c.json({ errors }, 400)));
    expect(sent).toEqual({
      code: 'A',
      message: 'refused [redacted]',
      detail: expect.stringMatching(/^\uFFFD.*… \[cut\]$/),
    });
    expect(Buffer.byteLength(sent.detail ?? '')).toBeLessThanOrEqual(8_192);
  });

  test('a body of the contract has the wait header only for a rate limit (W2)', async () => {
    const errors = { code: 'A', message: 'b' };
    const wait = { 'retry-after': '5' };
    expect((await ask((c) => c.json({ errors }, 404, wait))).headers['retry-after']).toBeUndefined();
    const limited = await ask((c) => c.json({ errors }, 403, wait), { rateLimit: { header: 'X-Wait' } });
    expect([limited.status, limited.headers['x-wait'], errorsOf(limited)]).toEqual([403, '5', errors]);
  });

  test('middleware cannot turn a denial in a body of the contract into a limit (W2)', async () => {
    const connector = makeConnector();
    connector.use(async (c, next) => {
      await next();
      c.header('Retry-After', '7');
    });
    connector.get('/', (c) => c.json({ errors: { code: 'DENIED', message: 'no' } }, 403));
    const { status, headers } = await send(await start(connector), { headers: withToken });
    expect([status, headers['retry-after']]).toEqual([403, undefined]);
  });

  test('so does one with a byte order mark and a length, which is no longer that of its body', async () => {
    const body = '{"errors":{"code":"A","message":"b"}}';
    const marked = `\uFEFF${body}`;
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(marked)) };
    const { status, body: sent, cut } = await ask(() => new Response(marked, { status: 409, headers }));
    expect([status, sent, cut]).toEqual([409, body, false]);
  });

  test.each<[string, (c: Context) => Response, string | undefined]>([
    ['429', (c) => c.text('slow', 429), '60'],
    ['429 with a wait', (c) => c.text('slow', 429, { 'retry-after': '7' }), '7'],
    ['429 with the body of the contract', (c) => c.json({ errors: { code: 'SLOW', message: 'slow' } }, 429), '60'],
    ['403 with a wait', (c) => c.text('slow', 403, { 'retry-after': '7' }), '7'],
    ['503 with a wait', (c) => c.text('slow', 503, { 'retry-after': '7' }), '7'],
  ])('%s is a rate limit with the header of the connector (W2)', async (_what, answer, wait) => {
    const { status, headers, body, cut } = await ask(answer, { rateLimit: { header: 'X-Wait' } });
    expect([status, headers['x-wait'], headers['retry-after']]).toEqual([403, wait, undefined]);
    expect(errorsOf({ status, headers, body, cut }).message).toBe('slow');
  });

  test('a wait of the connector’s own header is read in its format', async () => {
    const rateLimit = { header: 'X-Wait', format: 'milliseconds' };
    const { headers } = await ask((c) => c.text('slow', 403, { 'x-wait': '1500' }), { rateLimit });
    expect(headers['x-wait']).toBe('1500');
  });

  const at = (ms: number) => new Date(ms).toUTCString();
  const hourMs = 3_600_000;

  test('a wait that the end system has written as a date counts in full (W4, W7)', async () => {
    const { status, headers } = await ask((c) => c.text('slow', 429, { 'retry-after': at(Date.now() + hourMs) }));
    expect(status).toBe(403);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
  });

  test('and is measured by the clock that wrote it (W5)', async () => {
    const clock = Date.UTC(2020, 0, 1);
    const slow = (more = {}) =>
      new Response('slow', { status: 429, headers: { 'retry-after': at(clock + hourMs), ...more } });
    expect((await ask(() => slow({ date: at(clock) }))).headers['retry-after']).toBe('3600');
    expect((await ask(() => slow({ date: at(clock), age: '5' }))).headers['retry-after']).toBe('0');
  });

  test('an error has the time of the connector, by whose clock it writes a date (W5)', async () => {
    const rateLimit = { format: 'http-date' } as const;
    const { headers } = await ask((c) => c.text('slow', 429, { date: at(0), age: '5', 'retry-after': '3600' }), {
      rateLimit,
    });
    const [sent, due] = [headers.date, headers['retry-after']].map((time) => Date.parse(String(time)));
    expect(headers.age).toBeUndefined();
    expect(Math.abs((due ?? 0) - (sent ?? 0) - hourMs)).toBeLessThanOrEqual(2_000);
  });

  test('headers that do not belong to the body stay', async () => {
    const { headers } = await ask((c) =>
      c.text('no', 412, { etag: '"7"', 'x-request-id': 'id-1', 'content-language': 'en' }),
    );
    expect(headers).toMatchObject({ etag: '"7"', 'x-request-id': 'id-1' });
  });

  test('headers of the body it had go, and none may keep the error in a cache', async () => {
    const stale = ['content-language', 'content-location', 'content-digest', 'cdn-cache-control', 'surrogate-control'];
    const { headers } = await ask((c) => c.text('no', 404, Object.fromEntries(stale.map((name) => [name, 'a']))));
    expect(headers).toMatchObject({ 'cache-control': 'no-store' });
    for (const name of stale) expect(headers).not.toHaveProperty(name);
  });

  test('its headers lose the secrets of the session, except a cookie that the author sets (E5)', async () => {
    const { headers } = await ask((c) => {
      c.header('set-cookie', 'last=token-of-alice');
      return c.text('no', 403, { 'x-debug': 'for token-of-alice' });
    });
    expect(headers['x-debug']).toBe('for [redacted]');
    expect(headers['set-cookie']).toEqual(['last=token-of-alice']);
  });

  test('cookies stay, all of them, also those of a response that a helper has made', async () => {
    const withCookies = (response: Response) => {
      for (const cookie of ['a=1', 'b=2']) response.headers.append('set-cookie', cookie);
      return response;
    };
    for (const make of [() => unauthorized('no'), () => new Response('no', { status: 401 })]) {
      const answer = await ask(() => withCookies(make()));
      expect([errorsOf(answer), answer.headers['set-cookie']]).toEqual([
        { code: 'UNAUTHORIZED', message: 'no' },
        ['a=1', 'b=2'],
      ]);
    }
  });

  test('its text loses the secrets of the session, and is bounded (E5)', async () => {
    const leaking = await ask((c) => c.json({ message: 'for token-of-alice', all: 'x'.repeat(200_000) }, 400));
    expect(leaking.body).not.toContain('token-of-alice');
    expect(leaking.body.length).toBeLessThan(10_000);
  });

  test.each<[string, (c: Context, body: object) => Response]>([
    ['429', (c, body) => c.json(body, 429)],
    ['another type', (_c, body) => new Response(JSON.stringify(body), { status: 409 })],
  ])('`onError` hears of a body of the contract with %s: its author did not follow it', async (_what, answer) => {
    const onError = vi.fn();
    await ask((c) => answer(c, { errors: { code: 'A', message: 'b' } }), { onError });
    expect(onError).toHaveBeenCalledOnce();
  });

  test('`onError` hears of it', async () => {
    const onError = vi.fn();
    await ask((c) => c.text('no', 404), { onError });
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ kind: 'not-found', message: 'no' }),
      expect.anything(),
      expect.any(Function),
    );
  });

  test('also from a sub-app, from what is mounted, and set by middleware', async () => {
    const connector = makeConnector();
    connector.route(
      '/sub',
      new Hono().get('/', (c) => c.text('no', 404)),
    );
    connector.mount('/mounted', () => new Response('no', { status: 404 }));
    connector.use('/set', async (c) => {
      c.res = new Response('no', { status: 404 });
    });
    connector.use('/after', async (c, next) => {
      await next();
      c.res = new Response('no', { status: 404 });
    });
    connector.get('/after', (c) => c.text('ok'));
    const url = await start(connector);
    for (const path of ['/sub', '/mounted', '/set', '/after']) {
      const answer = await send(url, { path, headers: withToken });
      expect([path, answer.status, errorsOf(answer)]).toEqual([path, 404, { code: 'NOT_FOUND', message: 'no' }]);
    }
  });

  test('also where middleware puts it in the place of another error', async () => {
    const seen: unknown[] = [];
    const connector = makeConnector({ onError: (error) => void seen.push(error) });
    connector.use(async (c, next) => {
      await next();
      c.res = c.text('no longer', 410);
    });
    connector.get('/thrown', () => {
      throw new BadRequestError('Not like that');
    });
    const url = await start(connector);
    for (const path of ['/thrown', '/unknown']) {
      const answer = await send(url, { path, headers: withToken });
      expect([path, answer.status, answer.body]).toEqual([
        path,
        410,
        '{"errors":{"code":"CONNECTOR_ERROR","message":"no longer"}}',
      ]);
    }
    expect(seen.map((error) => (error as Error).message)).toEqual(['Not like that', 'no longer', 'no longer']);
  });

  test.each<[string, (c: Context) => Response]>([
    ['HTML', (c) => c.html('<h1>no</h1>', 400)],
    ['JSON', (c) => c.json({ message: 'Mine' }, 400)],
  ])('also where middleware puts %s in the place of an error of the same status (E1)', async (_what, mine) => {
    const connector = makeConnector();
    connector.use(async (c, next) => {
      await next();
      c.res = mine(c);
    });
    connector.get('/', () => {
      throw new BadRequestError('Not like that');
    });
    const answer = await send(await start(connector), { headers: withToken });
    expect([answer.status, errorsOf(answer).code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('what middleware compresses is still the error that was written (control)', async () => {
    const onError = vi.fn();
    const connector = makeConnector({ onError });
    connector.use(async (c, next) => {
      await next();
      c.res = new Response(c.res.body?.pipeThrough(new CompressionStream('gzip')), c.res);
      c.res.headers.set('content-encoding', 'gzip');
    });
    connector.get('/', () => {
      throw new BadRequestError('Not like that');
    });
    const response = await fetch(await start(connector), { headers: withToken });
    expect(await response.json()).toEqual({ errors: { code: 'BAD_REQUEST', message: 'Not like that' } });
    expect(onError).toHaveBeenCalledTimes(1);
  });

  test('also what fetch has got: an end system that is passed on', async () => {
    const url = await endSystem({ status: 429, headers: { 'retry-after': '3' }, body: { message: 'Slow down' } });
    const answer = await ask(() => fetch(url));
    expect([answer.status, answer.headers['retry-after'], errorsOf(answer).message]).toEqual([403, '3', 'Slow down']);
  });

  test('though fetch has unpacked it, and it still says how it was packed', async () => {
    const errors = { code: 'UP', message: 'up says no' };
    const upstream = await scriptedConnector({
      guard: false,
      handle: ({ reply }) =>
        reply(404, gzipSync(JSON.stringify({ errors })), {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        }),
    });
    const answer = await ask(() => fetch(upstream.url));
    expect([answer.status, errorsOf(answer)]).toEqual([404, errors]);
    expect(answer.headers).not.toHaveProperty('content-encoding');
  });
});

describe('validators and time-outs', () => {
  const issue = z.object({ title: z.string().min(1), labels: z.array(z.string()) });

  test('what a validator refuses names the fields', async () => {
    const connector = makeConnector();
    connector.post('/', zodValidator(issue), (c) => c.text('ok'));
    const url = await start(connector);
    const headers = { ...withToken, 'content-type': 'application/json' };
    const post = (body: string) => send(url, { method: 'POST', headers, body });
    expect((await post('{"title":"a","labels":[]}')).body).toBe('ok');
    const refused = await post('{"title":"","labels":["a",7]}');
    expect([refused.status, errorsOf(refused)]).toEqual([
      400,
      {
        code: 'BAD_REQUEST',
        message:
          'The request is not valid: title: Too small: expected string to have >=1 characters; labels.1: Invalid input: expected string, received number',
      },
    ]);
    const broken = await post('{"title"');
    expect([broken.status, errorsOf(broken).code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('a hook of its own that throws is asked first (control)', async () => {
    const connector = makeConnector();
    const hook: MiddlewareHandler = validator('query', () => {
      throw new BadRequestError('Not like that', { code: 'QUERY' });
    }) as never;
    connector.get('/', hook, (c) => c.text('ok'));
    expect(errorsOf(await send(await start(connector), { headers: withToken })).code).toBe('QUERY');
  });

  test('the time-out of Hono is a 504 of the contract', async () => {
    const connector = makeConnector();
    connector.get('/', timeout(20), () => new Promise<Response>(() => {}));
    const answer = await send(await start(connector), { headers: withToken });
    expect([answer.status, errorsOf(answer).message]).toEqual([504, 'Gateway Timeout']);
  });
});
