import { createServer } from 'node:http';
import {
  BadRequestError,
  ConnectorError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  UnauthorizedError,
} from 'concordat';
import { errorResponse } from 'concordat/connector';
import { onConnectorError } from 'concordat/connector/hono';
import { toNodeHandler } from 'concordat/connector/node';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type HostOptions, hosts, listen } from './support/hosts.js';
import { errorsOf, send } from './support/send.js';

/** An error as another copy of this package, in another version, would make it. */
function foreignError(): unknown {
  const prototype = Object.create(Error.prototype, {
    [Symbol.for('concordat.ConnectorError')]: { value: true },
    kind: { value: 'not-found' },
  });
  const payload = { errors: { code: 'FOREIGN', message: 'from elsewhere' } };
  return Object.assign(Object.create(prototype), { status: 404, code: 'FOREIGN', toPayload: () => payload });
}

function failingMessage(): unknown {
  return Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('canary');
    },
  });
}

const invalid = () => z.object({ title: z.string() }).parse({ title: 7 });

/** What a route does, by what it is about. The expectation is the same for every host: the bytes of `errorResponse`. */
const failures: Record<string, () => unknown> = {
  'a BadRequestError': () => reject(new BadRequestError('title is missing', { code: 'NO_TITLE' })),
  'an UnauthorizedError': () => reject(new UnauthorizedError()),
  'a ForbiddenError': () => reject(new ForbiddenError('Not yours', { code: 17 })),
  'a NotFoundError with detail': () => reject(new NotFoundError('No issue 7', { code: 'GONE', detail: { id: 7 } })),
  'a ConnectorError with another status': () => reject(new ConnectorError('Closed', { status: 409, code: 'CLOSED' })),
  'a ConnectorError with headers': () =>
    reject(new ConnectorError('Down', { status: 502, headers: { 'X-Trace': 'abc', 'Content-Length': '1' } })),
  'a denial that brings a wait header along': () =>
    reject(new ForbiddenError('Not yours', { headers: { 'RETRY-AFTER': '30' } })),
  'a rate limit by duration': () => reject(new RateLimitError('Slow down', { retryAfterMs: 1_500 })),
  'a rate limit by time': () => reject(new RateLimitError({ resumeAt: new Date(Date.now() - 1_000) })),
  'a rate limit read from a 429': () => reject(new RateLimitError('Slow', { retryAfterMs: 2_000, status: 429 })),
  'a very long detail': () => reject(new ConnectorError('Big', { status: 500, detail: 'é'.repeat(20_000) })),
  'an unknown Error': () => reject(new Error('canary: no such table')),
  'a ZodError of the author': invalid,
  'an HTTP client error with a status': () => reject(Object.assign(new Error('canary'), { status: 404 })),
  'a HTTPException of Hono': () => reject(new HTTPException(409, { message: 'Already there' })),
  'an error that says expose': () => reject(Object.assign(new Error('Gone'), { status: 404, expose: true })),
  'an error that says not to': () => reject(Object.assign(new Error('/etc/7'), { status: 404, expose: false })),
  text: () => reject('canary'),
  'an empty object': () => reject({}),
  'a number': () => reject(7),
  'an error of another copy of the package': () => reject(foreignError()),
  "a BadRequestError with a driver's code": () =>
    reject(Object.assign(new BadRequestError('No such field'), { code: 1062 })),
  'a rate limit without an end': () =>
    reject(Object.assign(new RateLimitError({ retryAfterMs: 1 }), { retryAfterMs: Number.POSITIVE_INFINITY })),
  'an error whose message throws': () => reject(failingMessage()),
};

function reject(value: unknown): Promise<never> {
  return Promise.reject(value);
}

async function expected(fail: () => unknown): Promise<{ status: number; headers: Headers; body: string }> {
  const thrown = await Promise.resolve()
    .then(fail)
    .then(
      () => expect.unreachable(),
      (error) => error,
    );
  const response = errorResponse(thrown);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe.each(Object.keys(hosts))('%s', (name) => {
  const start = async (fail: () => unknown, options?: HostOptions) => {
    const host = await hosts[name]!(fail, options);
    onTestFinished(async () => {
      await host.close();
    });
    return host;
  };

  test.each(Object.keys(failures))('%s is answered with the bytes of errorResponse (E1)', async (failure) => {
    const { url } = await start(failures[failure]!);
    const wanted = await expected(failures[failure]!);
    const answer = await send(url, { path: '/fail' });
    expect(answer.body).toBe(wanted.body);
    expect(answer.status).toBe(wanted.status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    for (const header of ['retry-after', 'x-trace']) {
      expect(answer.headers[header] ?? null).toBe(wanted.headers.get(header));
    }
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(wanted.body)));
    expect(answer.body).not.toContain('canary');
    expect(answer.cut).toBe(false);
  });

  test('null and undefined are answered with a 500 (E4)', async () => {
    for (const thrown of [null, undefined]) {
      const { url } = await start(() => reject(thrown));
      const answer = await send(url, { path: '/fail' });
      expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
    }
  });

  test('a route that does not fail is answered as it is (control)', async () => {
    const { url } = await start(() => reject(new Error('canary')));
    const answer = await send(url, { path: '/ok' });
    expect([answer.status, answer.body]).toEqual([200, '{"ok":true}']);
  });

  test('an unknown route is a 404 of the contract', async () => {
    const { url } = await start(() => undefined);
    const answer = await send(url, { method: 'POST', path: '/nope?secret=1' });
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.body)).toEqual({
      errors: { code: 'NOT_FOUND', message: 'There is no route for POST /nope.' },
    });
  });

  test('HEAD of a failing route has status and headers and no body', async () => {
    const { url } = await start(() => reject(new RateLimitError({ retryAfterMs: 5_000 })));
    const answer = await send(url, { method: 'HEAD', path: '/fail' });
    expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([403, '', '5']);
  });

  test('the wait header has the configured name and format (W1, W4)', async () => {
    const { url } = await start(() => reject(new RateLimitError({ retryAfterMs: 1_500 })), {
      rateLimit: { header: 'X-Wait-Ms', format: 'milliseconds' },
    });
    const answer = await send(url, { path: '/fail' });
    expect([answer.headers['x-wait-ms'], answer.headers['retry-after']]).toEqual(['1500', undefined]);
  });

  test('credentials and session of the request never leave in an error (E5)', async () => {
    const secrets = { authorization: 'Bearer canary-one', cookie: 'a=b; sid=canary-two', 'x-api-key': 'canary-three' };
    const text = 'canary-one, canary-two, canary-three and canary-four';
    const { url } = await start(
      () => reject(new ConnectorError(`Refused: ${text}`, { status: 400, code: 'canary-one', detail: { text } })),
      { sessionHeaders: ['X-Token'] },
    );
    const answer = await send(url, { path: '/fail', headers: { ...secrets, 'x-token': 'canary-four' } });
    expect(answer.body).not.toContain('canary');
    expect(errorsOf(answer).message).toBe('Refused: [redacted], [redacted], [redacted] and [redacted]');
    const control = await send(url, { path: '/fail' });
    expect(errorsOf(control).message).toBe(`Refused: ${text}`);
  });

  test('onError gets the real error and cannot break the answer (E4)', async () => {
    const seen: unknown[] = [];
    const error = new Error('canary');
    const { url } = await start(() => reject(error), {
      onError: (thrown) => {
        seen.push(thrown);
        throw new Error('the log is full');
      },
    });
    expect((await send(url, { path: '/fail' })).status).toBe(500);
    expect(seen).toEqual([error]);
    expect(seen[0]).toBe(error);
  });

  test('exposeDetail shows the stack of an unknown error, and only then (E4)', async () => {
    const fail = () => reject(new Error('canary'));
    const shown = await send((await start(fail, { exposeDetail: true })).url, { path: '/fail' });
    expect(errorsOf(shown)).toEqual({
      code: 'INTERNAL_ERROR',
      message: 'The connector failed while handling this request.',
      detail: expect.stringContaining('Error: canary\n    at '),
    });
    const hidden = await send((await start(fail)).url, { path: '/fail' });
    expect(errorsOf(hidden).detail).toBeUndefined();
  });

  test('headers that were prepared for another answer do not change this one (W2)', async () => {
    const { url } = await start(() => undefined);
    const { status, headers, body } = await send(url, { path: '/stale' });
    expect([status, body]).toEqual([403, '{"errors":{"code":"FORBIDDEN","message":"Not yours"}}']);
    expect([headers['retry-after'], headers.etag, headers['content-encoding']]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([headers.trailer, headers['cdn-cache-control']]).toEqual([undefined, undefined]);
    expect(headers['x-request-id']).toBe(name === 'node' ? undefined : 'id-1');
  });

  test('an error after the headers went out ends the connection and harms no later request', async () => {
    const seen: unknown[] = [];
    const { url } = await start(() => undefined, { onError: (error) => void seen.push(error) });
    const late = await send(url, { path: '/late' });
    expect([late.status, late.cut]).toEqual([200, true]);
    expect(late.body).toMatch(/^chunk 1\n/);
    expect(late.body).not.toContain('canary');
    expect(seen).toEqual([new Error('canary: the stream failed')]);
    expect((await send(url, { path: '/ok' })).status).toBe(200);
  });
});

describe.each(['express', 'fastify'])('%s', (name) => {
  test('broken JSON is a 400, a body that is too large a 413', async () => {
    const { url, close } = await hosts[name]!(() => undefined);
    onTestFinished(async () => {
      await close();
    });
    const post = (body: string) =>
      send(url, { method: 'POST', path: '/json', headers: { 'content-type': 'application/json' }, body });
    const broken = await post('{"a');
    expect([broken.status, errorsOf(broken)]).toEqual([
      400,
      { code: 'BAD_REQUEST', message: 'The request body is not valid JSON.' },
    ]);
    const large = await post(JSON.stringify('x'.repeat(2 * 1024 * 1024)));
    expect([large.status, errorsOf(large).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await post('{"a":1}')).body).toBe('{"a":1}');
  });

  test.each([
    ['marked sensitive', [{ key: 'pin', value: 'canary-password', sensitive: true }], '/nope/[redacted]'],
    ['secret by their names', [{ key: 'password', value: 'canary-password' }], '/nope/[redacted]'],
    ['neither', [{ key: 'title', value: 'canary-password' }], '/nope/canary-password'],
    ['marked as no secret', [{ key: 'password', value: 'canary-password', sensitive: false }], '/nope/canary-password'],
  ])('entries of a list like the parameters of initialize (E5): %s', async (_which, list, shown) => {
    const { url, close } = await hosts[name]!(() => undefined);
    onTestFinished(async () => {
      await close();
    });
    const headers = { 'content-type': 'application/json' };
    const answer = await send(url, {
      method: 'POST',
      path: '/nope/canary-password',
      headers,
      body: JSON.stringify(list),
    });
    expect(answer.body).toContain(shown);
  });

  test('nor does what is secret by its name in an object, whose other values stay (E5)', async () => {
    const { url, close } = await hosts[name]!(() => undefined);
    onTestFinished(async () => {
      await close();
    });
    const body = JSON.stringify({ title: 'lamp-in-the-hall-flickers', password: 'canary-password', token: 7 });
    const path = '/nope/canary-password/lamp-in-the-hall-flickers';
    const answer = await send(url, { method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
    expect(answer.body).toContain('/nope/[redacted]/lamp-in-the-hall-flickers');
  });
});

test("fastify's own validation is a 400 that names the field", async () => {
  const { url, close } = await hosts.fastify!(() => undefined);
  onTestFinished(async () => {
    await close();
  });
  const headers = { 'content-type': 'application/json' };
  const answer = await send(url, { method: 'POST', path: '/checked', headers, body: '{}' });
  expect([answer.status, errorsOf(answer).code]).toEqual([400, 'BAD_REQUEST']);
  expect(errorsOf(answer).message).toContain("'title'");
  const odd = await send(url, { method: 'POST', path: '/odd', headers, body: '{}' });
  expect([odd.status, errorsOf(odd)]).toEqual([400, { code: 'BAD_REQUEST', message: 'title is odd' }]);
});

test("what a plugin of Fastify refuses is the caller's mistake, what a library fails with is not (control)", async () => {
  const answerTo = async (code: string) => {
    const error = Object.assign(new Error('request file too large'), { code, statusCode: 413 });
    const { url, close } = await hosts.fastify!(() => Promise.reject(error));
    onTestFinished(async () => {
      await close();
    });
    return errorsOf(await send(url, { path: '/fail' })).code;
  };
  expect(await answerTo('FST_REQ_FILE_TOO_LARGE')).toBe('PAYLOAD_TOO_LARGE');
  expect(await answerTo('ERR_BAD_REQUEST')).toBe('INTERNAL_ERROR');
});

test.each<[string, Parameters<typeof toNodeHandler>[0]]>([
  ['thrown', () => Promise.reject(new ForbiddenError('Not yours'))],
  ['returned', () => errorResponse(new ForbiddenError('Not yours'))],
])(
  'headers that a host of node:http has set do not make a limit of a denial that is %s (W2)',
  async (_how, handler) => {
    const listener = toNodeHandler(handler);
    const { url, close } = await listen(
      createServer((incoming, outgoing) => {
        outgoing.setHeader('Retry-After', '5');
        outgoing.setHeader('X-Request-Id', 'id-1');
        void listener(incoming, outgoing);
      }),
    );
    onTestFinished(async () => {
      await close();
    });
    const answer = await send(url);
    expect([answer.status, errorsOf(answer).message]).toEqual([403, 'Not yours']);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'id-1' });
    expect(answer.headers['retry-after']).toBeUndefined();
  },
);

test('the wait header that a host has set stays on a success, and gives way to that of a limit (control)', async () => {
  const listener = toNodeHandler(({ url }) =>
    url.endsWith('/ok') ? new Response('ok') : errorResponse(new RateLimitError({ retryAfterMs: 7_000 })),
  );
  const { url, close } = await listen(
    createServer((incoming, outgoing) => {
      outgoing.setHeader('Retry-After', '5');
      void listener(incoming, outgoing);
    }),
  );
  onTestFinished(async () => {
    await close();
  });
  const waitOf = async (path: string) => (await send(url, { path })).headers['retry-after'];
  expect([await waitOf('/ok'), await waitOf('/limit')]).toEqual(['5', '7']);
});

test('in Hono an answer that fails after it was made leaves no wait header behind (W2)', async () => {
  const app = new Hono();
  app.onError(onConnectorError);
  app.use(async (_c, next) => {
    await next();
    throw new ForbiddenError('Not yours');
  });
  app.get('/', () => errorResponse(new RateLimitError({ retryAfterMs: 5_000 })));
  const response = await app.request('/');
  expect([response.status, response.headers.get('retry-after')]).toEqual([403, null]);
});
