import { BadRequestError, ConnectorError, NotFoundError } from 'concordat';
import { logError } from 'concordat/connector';
import { connectorErrorHandler } from 'concordat/connector/express';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const request = { method: 'GET', url: '/items/7?key=hidden' };
const keep = (text: string) => text;

describe('logError, for a terminal', () => {
  test('writes a line that says what failed, and the stack, with the file', async () => {
    const connector = makeConnector({ onError: logError });
    connector.get('/items/:id', () => {
      throw new TypeError('item is not iterable');
    });
    await send(await start(connector), { path: '/items/7?key=hidden', headers: withToken });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^GET \/items\/7: TypeError: item is not iterable\n {4}at .*log-error\.test\.ts:\d+:\d+/);
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      'other issues',
      () => Object.assign(new Error('is locked'), { issues: ['OPS-1'] }),
      /^GET \/items\/7: Error: is locked\n/,
    ],
    [
      'issues with a path of text',
      () => Object.assign(new Error('not valid'), { issues: [{ path: 'title', message: 'too long' }] }),
      /^GET \/items\/7: Error: not valid\n/,
    ],
    [
      'a message that is no text',
      () => Object.assign(new Error(), { message: { text: 'a' }, code: 'E' }),
      /Error: .*\(E\)/,
    ],
    ['a name that is a symbol', () => Object.assign(new Error('down'), { name: Symbol('n') }), /Symbol\(n\): down/],
    [
      'a stack that throws',
      () => Object.defineProperty(new Error('down'), 'stack', { get: () => expect.unreachable() }),
      /^GET \/items\/7: Error: down$/,
    ],
    [
      'a message that throws',
      () => Object.defineProperty(new Error('down'), 'message', { get: () => expect.unreachable() }),
      /^GET \/items\/7: an error that cannot be read/,
    ],
  ])('writes a line for an error with %s', (_what, make, line) => {
    logError(make(), request, keep);
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  test('writes one line for what the service is told anyway', () => {
    logError(new NotFoundError('No issue 7', { code: 'ISSUE_NOT_FOUND' }), request, keep);
    expect(lines).toEqual(['GET /items/7: 404 ISSUE_NOT_FOUND: No issue 7']);
  });

  test('leaves the origin of an absolute URL out, as fetch handlers have it', () => {
    const absolute = new Request('http://internal.example/items/7?key=hidden', { method: 'PUT' });
    logError(new NotFoundError('No issue 7'), absolute, keep);
    expect(lines).toEqual(['PUT /items/7: 404 NOT_FOUND: No issue 7']);
  });

  test('writes the causes of a failure, each with its stack', () => {
    const cause = new Error('connect ECONNREFUSED', { cause: 'the cable' });
    logError(new ConnectorError('Unreachable.', { status: 502, code: 'DOWN', cause }), request, keep);
    expect(lines[0]).toMatch(
      /^GET \/items\/7: 502 DOWN: Unreachable\.\n {4}at [\s\S]+\n {2}caused by Error: connect ECONNREFUSED\n {4}at [\s\S]+\n {2}caused by the cable$/,
    );
  });

  test('writes each error of an AggregateError, as a host with two addresses gives one', () => {
    const errors = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
    const cause = new AggregateError(errors, 'no address answered');
    logError(new ConnectorError('Unreachable.', { status: 502, cause }), request, keep);
    const causes = lines[0]?.split('\n').filter((line) => line.startsWith('  caused by'));
    expect(causes).toEqual([
      '  caused by AggregateError: no address answered',
      '  caused by Error: connect ECONNREFUSED ::1:1',
      '  caused by Error: connect ECONNREFUSED 127.0.0.1:1',
    ]);
  });

  test('writes code and detail that a database driver adds to an error', () => {
    const added = { code: '23505', detail: 'Key (name)=(a) already exists.' };
    const error = Object.assign(new Error('duplicate key value'), added);
    logError(error, request, (text) => text.replace('(a)', '(*)'));
    expect(lines[0]?.split('\n')[0]).toBe(
      'GET /items/7: Error: duplicate key value (23505): Key (name)=(*) already exists.',
    );
    logError(Object.assign(new Error('SQLITE_BUSY: locked'), { code: 'SQLITE_BUSY', detail: {} }), request, keep);
    expect(lines[1]?.split('\n')[0]).toBe('GET /items/7: Error: SQLITE_BUSY: locked');
  });

  test('names the fields that zod refused, in the one line', () => {
    const { error } = z.object({ id: z.number(), tags: z.array(z.string()) }).safeParse({ id: '7' });
    logError(error, request, keep);
    expect(lines[0]?.split('\n')[0]).toMatch(/^GET \/items\/7: ZodError: id: .*expected number.*; tags: /);
  });

  test.each([['text'], [null], [{ code: 7 }], [undefined]])('writes %j, too', (thrown) => {
    logError(thrown, undefined, keep);
    expect(lines[0]).toContain(typeof thrown === 'object' && thrown ? '{"code":7}' : String(thrown));
  });

  test('a message cannot forge a second line or steer the terminal', () => {
    logError(new NotFoundError('none\nGET /: 200 \u001b[2J'), { method: 'GET', url: '/a\u001b[2Jb' }, keep);
    expect(lines[0]).toBe('GET /a\ufffd[2Jb: 404 NOT_FOUND: none GET /: 200 \ufffd[2J');
  });

  test.each([undefined, 'production'])("nor can an end system's code, which is cut, too (E8): NODE_ENV %s", (mode) => {
    vi.stubEnv('NODE_ENV', mode);
    const code = `A\n2026 GET /admin: 200 OK forged\u2028\u001b[2J${'x'.repeat(100_000)}`;
    logError(new NotFoundError('none', { code }), request, keep);
    expect(lines[0]).toContain('A\ufffd2026 GET /admin: 200 OK forged\ufffd\ufffd[2Jxxx');
    expect(lines[0]?.length).toBeLessThan(500);
  });

  test('an endless cause and an endless message are cut', () => {
    const error = new Error('x'.repeat(100_000));
    error.cause = error;
    logError(error, request, keep);
    expect(lines[0]?.length).toBeLessThan(40_000);
  });
});

describe('logError, in production', () => {
  test('writes a line of JSON', () => {
    vi.stubEnv('NODE_ENV', 'production');
    logError(new TypeError('item is not iterable'), request, keep);
    logError(new NotFoundError('No issue 7'), request, keep);
    const [failure, refusal] = lines.map((line) => JSON.parse(line));
    expect(lines.join('')).not.toContain('\n');
    expect(failure).toMatchObject({ level: 'error', method: 'GET', path: '/items/7', status: 500 });
    expect(failure).toMatchObject({ code: 'INTERNAL_ERROR', message: 'TypeError: item is not iterable' });
    expect(failure.stack).toMatch(/^ {4}at .*log-error\.test\.ts/);
    expect(Date.parse(failure.time)).not.toBeNaN();
    expect(refusal).toMatchObject({ level: 'info', status: 404, code: 'NOT_FOUND', message: 'No issue 7' });
    expect(refusal.stack).toBeUndefined();
  });
});

describe('what the service is told, where `onError` gets something else', () => {
  const options = {
    onError: logError,
    translate: (error: unknown) => {
      const { code } = error as { code?: string };
      return code === '23505' ? new BadRequestError('There is one already.', { code, cause: error }) : undefined;
    },
  };
  const failure = (code: string) => Object.assign(new Error(`database error ${code}`), { code });
  const expected = [
    { level: 'info', status: 400, code: '23505', message: 'Error: database error 23505' },
    { level: 'error', status: 500, code: 'INTERNAL_ERROR', message: 'Error: database error XX000' },
  ];

  test('a connector that translates it', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const connector = makeConnector(options);
    connector.get('/:code', (c) => {
      throw failure(c.req.param('code'));
    });
    const url = await start(connector);
    for (const path of ['/23505', '/XX000']) await send(url, { path, headers: withToken });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(expected);
    expect(lines.map((line) => line.includes('"stack"'))).toEqual([false, true]);
  });

  test('an adapter that translates it, or knows it for a rate limit', () => {
    vi.stubEnv('NODE_ENV', 'production');
    const handle = connectorErrorHandler(options) as unknown as (thrown: unknown, ...rest: unknown[]) => void;
    const response = { getHeader: () => '12', setHeader: () => {}, removeHeader: () => {}, end: () => {} };
    const request = { method: 'GET', url: '/', headers: {} };
    const limited = Object.assign(new Error('slow down'), { status: 429 });
    for (const thrown of [failure('23505'), failure('XX000'), limited]) handle(thrown, request, response);
    const limit = { level: 'info', status: 403, code: 'RATE_LIMITED', message: 'Error: slow down' };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([...expected, limit]);
  });

  test('one error that is translated once, and then no more', async () => {
    const error = failure('23505');
    const connector = makeConnector({
      ...options,
      translate: (thrown, c) => (c.req.path === '/first' ? options.translate(thrown) : undefined),
    });
    connector.get('/:id', () => {
      throw error;
    });
    const url = await start(connector);
    for (const path of ['/first', '/second']) await send(url, { path, headers: withToken });
    expect(lines.map((line) => line.includes('\n'))).toEqual([false, true]);
  });
});

describe('secrets stay out of the log (E5)', () => {
  test("the session's, in message, stack and cause", async () => {
    const connector = makeConnector({ onError: logError });
    connector.get('/', () => {
      throw new Error('no token-of-alice', { cause: new Error('still no token-of-alice') });
    });
    await send(await start(connector), { headers: withToken });
    expect(lines[0]).toContain('GET /: Error: no [redacted]');
    expect(lines[0]).toContain('caused by Error: still no [redacted]');
    expect(lines[0]).not.toContain('token-of-alice');
  });

  test("initialize's parameters", async () => {
    const connector = makeConnector({
      onError: logError,
      initialize: {
        parameters: z.object({ user: z.string(), password: z.string() }),
        handler: ({ parameters }) => {
          throw new Error(`LOGIN ${parameters.user} ${parameters.password}`);
        },
      },
    });
    const body = JSON.stringify([
      { key: 'user', value: 'alice', sensitive: false },
      { key: 'password', value: 'correct horse', sensitive: true },
    ]);
    await send(await start(connector), { method: 'POST', path: '/initialize', body });
    expect(lines[0]).toContain('POST /initialize: Error: LOGIN alice [redacted]');
  });
});
