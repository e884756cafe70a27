import { BadRequestError, ConnectorError, RateLimitError } from 'concordat';
import {
  badRequest,
  errorResponse,
  forbidden,
  notFound,
  rateLimited,
  toConnectorError,
  unauthorized,
} from 'concordat/connector';
import { HTTPException } from 'hono/http-exception';
import { describe, expect, test } from 'vitest';

const json = 'application/json; charset=utf-8';

async function facts(response: Response) {
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    wait: response.headers.get('retry-after'),
    body: await response.text(),
  };
}

describe('helpers', () => {
  test.each([
    [badRequest, 400, 'BAD_REQUEST', 'The request is not valid.'],
    [unauthorized, 401, 'UNAUTHORIZED', 'The session is missing, expired or not valid.'],
    [forbidden, 403, 'FORBIDDEN', 'Access to this resource is denied.'],
    [notFound, 404, 'NOT_FOUND', 'The requested resource is not available.'],
  ])('%o without arguments is the row of its kind (E1, E2)', async (helper, status, code, message) => {
    expect(await facts(helper())).toEqual({
      status,
      contentType: json,
      wait: null,
      body: `{"errors":{"code":"${code}","message":"${message}"}}`,
    });
  });

  test('message, code and detail are written in the order of the contract (E1, E3)', async () => {
    const response = notFound('No issue 7', { detail: { id: 7 }, code: 1404, cause: new Error('row missing') });
    expect(await response.text()).toBe('{"errors":{"code":"1404","message":"No issue 7","detail":"{\\"id\\":7}"}}');
  });

  test('an empty message is refused at once, naming it', () => {
    expect(() => badRequest('')).toThrow(
      new TypeError('`message` must be a non-empty string: it tells the service why the call failed.'),
    );
  });

  test('rateLimited writes the wait header (W2)', async () => {
    expect(await facts(rateLimited('100 a minute', { retryAfterMs: 12_000, code: 'QUOTA' }))).toEqual({
      status: 403,
      contentType: json,
      wait: '12',
      body: '{"errors":{"code":"QUOTA","message":"100 a minute"}}',
    });
    const inOwn = rateLimited('100 a minute', { retryAfterMs: 12_000, rateLimit: { header: 'X-Wait' } });
    expect([inOwn.headers.get('x-wait'), inOwn.headers.get('retry-after')]).toEqual(['12', null]);
    expect(await facts(rateLimited({ retryAfterMs: 1 }))).toMatchObject({
      wait: '1',
      body: JSON.stringify({
        errors: { code: 'RATE_LIMITED', message: new RateLimitError({ retryAfterMs: 1 }).message },
      }),
    });
  });

  test.each([
    [0, '0'],
    [1, '1'],
    [999, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [1_500, '2'],
    [86_400_000, '86400'],
  ])('a wait of %d ms is written as %s seconds, never shortened (W4)', (retryAfterMs, header) => {
    expect(rateLimited({ retryAfterMs }).headers.get('retry-after')).toBe(header);
  });

  test('a moment is written as that very moment (W4)', () => {
    const resumeAt = new Date('2040-01-01T00:00:00.000Z');
    const write = (header: string, format: 'epoch-seconds' | 'iso-8601' | 'http-date') =>
      rateLimited({ resumeAt, rateLimit: { header, format } }).headers.get(header);
    expect(write('X-Reset', 'epoch-seconds')).toBe(String(resumeAt.getTime() / 1000));
    expect(write('X-Reset', 'iso-8601')).toBe('2040-01-01T00:00:00.000Z');
    expect(write('Retry-After', 'http-date')).toBe('Sun, 01 Jan 2040 00:00:00 GMT');
  });

  test('a rate limit without a wait is refused at once (W2)', () => {
    const needsWait = /^A rate limit needs `retryAfterMs` \(milliseconds\) or `resumeAt` \(a Date\)/;
    expect(() => rateLimited('Slow down', {} as never)).toThrow(needsWait);
    expect(() => (rateLimited as unknown as (message: string) => Response)('Slow down')).toThrow(needsWait);
    expect(() => rateLimited({ retryAfterMs: -1 })).toThrow(/^`retryAfterMs` must be/);
    expect(() => rateLimited({ resumeAt: new Date('nonsense') })).toThrow(/^`resumeAt` must be/);
  });
});

describe('errorResponse', () => {
  test('a 403 without the wait header is a denial, with it a limit: nothing can make both (W2)', () => {
    const headers = { 'X-Wait': '30', 'Retry-After': '30' };
    const rateLimit = { header: 'x-wait' };
    const denial = errorResponse(new ConnectorError('No', { status: 403, headers }), { rateLimit });
    expect(denial.headers.get('x-wait')).toBeNull();
    const limit = errorResponse(new RateLimitError('Slow', { retryAfterMs: 7_000, headers }), { rateLimit });
    expect([limit.status, limit.headers.get('x-wait')]).toEqual([403, '7']);
  });

  test('a limit is a 403 whatever status it was read from (E2, W3)', () => {
    for (const status of [429, 503] as const) {
      const response = errorResponse(new RateLimitError('Slow', { retryAfterMs: 2_000, status }));
      expect([response.status, response.headers.get('retry-after')]).toEqual([403, '2']);
    }
  });

  test.each([
    [399, 500],
    [400, 400],
    [599, 599],
    [600, 500],
    [418.5, 500],
  ])('an error whose status somebody has set to %d is a %d (E4)', (status, written) => {
    const error = Object.assign(new ConnectorError('No', { status: 418 }), { status });
    expect(errorResponse(error).status).toBe(written);
  });

  test.each([-1, Number.NaN, undefined])(
    'a wait that somebody has set to %s is written as 60 s (W6)',
    (retryAfterMs) => {
      const error = Object.assign(new RateLimitError({ retryAfterMs: 1 }), { retryAfterMs });
      expect(errorResponse(error).headers.get('retry-after')).toBe('60');
    },
  );

  test('headers that would break the answer are left out, others go along', () => {
    const headers = {
      'X-Trace': '1',
      Connection: 'close',
      'Content-Type': 'text/html',
      'bad name': 'x',
      'X-Cut': 'a\r\nb',
    };
    const response = errorResponse(new ConnectorError('No', { status: 418, headers }));
    expect(Object.fromEntries(response.headers)).toEqual({
      ...{ 'content-type': json, 'cache-control': 'no-store' },
      'x-trace': '1',
    });
  });

  test('detail is bounded on a character boundary, with a mark (E5)', async () => {
    const error = new ConnectorError('Big', { status: 500, detail: 'é'.repeat(10_000) });
    const byDefault = await errorResponse(error).json();
    expect(new TextEncoder().encode(byDefault.errors.detail).length).toBeLessThanOrEqual(8192);
    expect(byDefault.errors.detail).toMatch(/^é+… \[cut\]$/);
    const small = await errorResponse(error, { maxDetailBytes: 20 }).json();
    expect(small.errors.detail).toBe('ééééé… [cut]');
    expect(new TextEncoder().encode(small.errors.detail)).toHaveLength(19);
  });

  test('a detail that its author keeps back is not written', async () => {
    const error = new ConnectorError('No', { status: 500, detail: 'inner', exposeDetail: false });
    expect((await errorResponse(error, { exposeDetail: true }).json()).errors).toEqual({
      code: 'CONNECTOR_ERROR',
      message: 'No',
    });
  });

  test.each([
    ['rateLimit.format', { rateLimit: { format: 'minutes' } }],
    ['rateLimit.header', { rateLimit: { header: 'X Wait' } }],
    ['rateLimit.name', { rateLimit: { name: 'X-Wait' } }],
    ['exposeDetail', { exposeDetail: 'yes' }],
    ['maxDetailBytes', { maxDetailBytes: -1 }],
  ])('a wrong `%s` is a TypeError that names it', (name, options) => {
    expect(() => errorResponse(new Error('x'), options as never)).toThrow(TypeError);
    expect(() => errorResponse(new Error('x'), options as never)).toThrow(`\`${name}\``);
  });
});

describe('toConnectorError', () => {
  test('of a thrown object that is no error, a status counts for nothing', () => {
    expect(toConnectorError({ status: 404, expose: true, message: 'Gone' }).status).toBe(500);
  });

  test('a contract error stays the very same', () => {
    const error = new BadRequestError();
    expect(toConnectorError(error)).toBe(error);
  });

  test('an unknown error becomes a 500 that tells nothing and keeps it as its cause (E4)', () => {
    const cause = new Error('no such table: secrets');
    const error = toConnectorError(cause);
    expect(error).toMatchObject({ status: 500, code: 'INTERNAL_ERROR', kind: 'other' });
    expect(error.cause).toBe(cause);
    expect(error.toPayload()).toEqual({
      errors: { code: 'INTERNAL_ERROR', message: 'The connector failed while handling this request.' },
    });
  });

  test.each([undefined, null, 'text', 7, Symbol('s'), {}, [], () => {}])('%s becomes a 500 (E4)', (thrown) => {
    expect(toConnectorError(thrown, { exposeDetail: true }).status).toBe(500);
  });

  test('a value that throws when it is looked at becomes a 500 (E4)', () => {
    const fail = () => {
      throw new Error('trap');
    };
    const hostile = new Proxy({}, { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail });
    expect(toConnectorError(hostile, { exposeDetail: true }).status).toBe(500);
    const claimsTheBrand = { [Symbol.for('concordat.ConnectorError')]: true };
    expect(errorResponse(claimsTheBrand).status).toBe(500);
  });

  test.each<[string, unknown]>([
    ['a number as its code', Object.assign(new BadRequestError('x'), { code: 1062 })],
    [
      'an endless wait',
      Object.assign(new RateLimitError({ retryAfterMs: 1 }), { retryAfterMs: Number.POSITIVE_INFINITY }),
    ],
    ['no payload', Object.assign(new BadRequestError('x'), { toPayload: () => null })],
    [
      'headers that throw',
      Object.defineProperty(new BadRequestError('x'), 'headers', {
        get() {
          throw 1;
        },
      }),
    ],
  ])('a contract error with %s has a contract body (E1, E4)', async (_what, thrown) => {
    const response = errorResponse(thrown);
    expect(response.status).toBeGreaterThanOrEqual(400);
    const { errors } = (await response.json()) as { errors: unknown };
    expect(errors).toEqual({ code: expect.any(String), message: expect.any(String) });
  });

  test.each([
    [400, 'bad-request', 'BAD_REQUEST'],
    [401, 'unauthorized', 'UNAUTHORIZED'],
    [403, 'forbidden', 'FORBIDDEN'],
    [404, 'not-found', 'NOT_FOUND'],
    [413, 'other', 'PAYLOAD_TOO_LARGE'],
    [503, 'other', 'CONNECTOR_ERROR'],
  ] as const)('a Hono HTTPException %d is an error of kind %s with its message', (status, kind, code) => {
    const error = toConnectorError(new HTTPException(status, { message: 'Said so' }));
    expect(error).toMatchObject({ status, kind, code, message: 'Said so' });
    for (const message of ['', ' ']) {
      const error = toConnectorError(new HTTPException(status, { message }));
      expect([error.status, error.message.trim()]).toEqual([status, expect.stringMatching(/./)]);
    }
  });

  test('a Hono HTTPException keeps the headers of the response it was made with', () => {
    const res = new Response('Unauthorized', { headers: { 'www-authenticate': 'Basic realm="x"' } });
    const response = errorResponse(new HTTPException(401, { res }));
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="x"');
    expect(response.headers.get('content-type')).toBe(json);
  });

  test('a Hono HTTPException 429 is a limit with its wait, or 60 s (W2)', () => {
    const res = new Response('slow', { headers: { 'retry-after': '7' } });
    expect(toConnectorError(new HTTPException(429, { res }))).toMatchObject({
      kind: 'rate-limit',
      retryAfterMs: 7_000,
    });
    expect(toConnectorError(new HTTPException(429))).toMatchObject({ kind: 'rate-limit', retryAfterMs: 60_000 });
  });

  test.each([
    ['5', '5'],
    ['soon', '60'],
    [undefined, '60'],
  ])('a ConnectorError 429 with the wait %s is a limit of %s s (W2, W3)', async (wait, written) => {
    const headers = { ...(wait === undefined ? {} : { 'Retry-After': wait }), 'x-a': '1' };
    const error = new ConnectorError('slow', { status: 429, detail: 'd', headers });
    const response = errorResponse(error, { rateLimit: { header: 'X-Wait' } });
    const { status, headers: sent } = response;
    expect([status, sent.get('x-wait'), sent.get('retry-after'), sent.get('x-a')]).toEqual([403, written, null, '1']);
    expect(await response.json()).toEqual({ errors: { code: 'RATE_LIMITED', message: 'slow', detail: 'd' } });
    expect(toConnectorError(error)).toMatchObject({ kind: 'rate-limit', cause: error });
  });

  test('and keeps its whole detail, which only the response bounds', async () => {
    const error = new ConnectorError('slow', { status: 429, detail: 'd'.repeat(20_000) });
    expect((await errorResponse(error, { maxDetailBytes: 20_000 }).json()).errors.detail).toHaveLength(20_000);
  });

  test('and keeps a code of its own', () => {
    const error = new ConnectorError('slow', { status: 429, code: 'SLOW', headers: { 'not a name': '1' } });
    expect(toConnectorError(error)).toMatchObject({ kind: 'rate-limit', code: 'SLOW', retryAfterMs: 60_000 });
  });

  test.each([403, 503] as const)(
    'a Hono HTTPException %d with a wait is a limit, as one returned is (E4, W2)',
    (status) => {
      for (const name of ['Retry-After', 'X-Wait']) {
        const res = new Response('slow', { headers: { [name]: '7' } });
        const response = errorResponse(new HTTPException(status, { res }), { rateLimit: { header: 'X-Wait' } });
        expect([name, response.status, response.headers.get('x-wait')]).toEqual([name, 403, '7']);
        expect(response.headers.get('retry-after')).toBeNull();
      }
      expect(errorResponse(new HTTPException(status)).status).toBe(status);
    },
  );

  test('its wait is measured by the clock that wrote it (W5)', () => {
    const [date, later] = ['Wed, 01 Jan 2020 00:00:00 GMT', 'Wed, 01 Jan 2020 01:00:00 GMT'];
    const res = new Response('slow', { headers: { 'retry-after': later, date } });
    const error = new HTTPException(429, { res });
    expect(toConnectorError(error)).toMatchObject({ retryAfterMs: 3_600_000 });
    expect(errorResponse(error, { rateLimit: { format: 'http-date' } }).headers.get('date')).toBeNull();
  });

  test.each([
    [['title must be a string', 'n must be an integer number'], 'title must be a string; n must be an integer number'],
    ['No such issue', 'Bad Request Exception'],
  ])('a NestJS HttpException says what is wrong: %j', (message, said) => {
    const response = { message, error: 'Bad Request', statusCode: 400 };
    const exception = Object.assign(new Error('Bad Request Exception'), {
      status: 400,
      response,
      getResponse: () => response,
    });
    expect(toConnectorError(exception)).toMatchObject({ kind: 'bad-request', message: said });
  });

  test.each([
    [302, 500],
    [399, 500],
    [400, 400],
    [599, 599],
    [600, 500],
  ])('a Hono HTTPException of %d is a %d (E4)', (status, written) => {
    const thrown = new HTTPException(status as 400);
    expect(toConnectorError(thrown)).toMatchObject({ status: written, cause: thrown });
  });

  test("a status alone is the end system's and not ours: 500 (E4)", () => {
    expect(toConnectorError(Object.assign(new Error('x'), { status: 401 })).status).toBe(500);
    expect(toConnectorError(Object.assign(new Error('x'), { status: 401, expose: true })).status).toBe(401);
    expect(toConnectorError(Object.assign(new Error('x'), { status: 502, expose: true })).status).toBe(500);
  });
});
