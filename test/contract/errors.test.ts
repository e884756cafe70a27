import {
  BadRequestError,
  ConnectorError,
  type ErrorKind,
  errorTable,
  ForbiddenError,
  isConnectorError,
  NotFoundError,
  RateLimitError,
  UnauthorizedError,
} from 'concordat';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';

/** Rule E2, written out by hand: the table under test is not used to test itself. */
const table = [
  {
    kind: 'bad-request',
    name: 'BadRequestError',
    status: 400,
    code: 'BAD_REQUEST',
    make: () => new BadRequestError(),
  },
  {
    kind: 'unauthorized',
    name: 'UnauthorizedError',
    status: 401,
    code: 'UNAUTHORIZED',
    make: () => new UnauthorizedError(),
  },
  { kind: 'forbidden', name: 'ForbiddenError', status: 403, code: 'FORBIDDEN', make: () => new ForbiddenError() },
  {
    kind: 'rate-limit',
    name: 'RateLimitError',
    status: 403,
    code: 'RATE_LIMITED',
    make: () => new RateLimitError(undefined, { retryAfterMs: 1000 }),
  },
  { kind: 'not-found', name: 'NotFoundError', status: 404, code: 'NOT_FOUND', make: () => new NotFoundError() },
  {
    kind: 'other',
    name: 'ConnectorError',
    status: 502,
    code: 'CONNECTOR_ERROR',
    make: () => new ConnectorError('The ledger is closed', { status: 502 }),
  },
] as const;

describe.each(table)('$name (E2)', ({ kind, name, status, code, make }) => {
  it('has the kind, status and default code of the table', () => {
    expect(make()).toMatchObject({ kind, status, code, name, origin: 'connector' });
    if (kind !== 'other') expect(errorTable[kind].status).toBe(status);
    expect(errorTable[kind].code).toBe(code);
  });

  it('is an Error with a sentence as its message', () => {
    const error = make();
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(ConnectorError);
    expect(error.message).toMatch(/^[A-Z].*[a-z.]$/);
  });

  it('names itself in its text and its stack', () => {
    const error = make();
    expect(String(error)).toBe(`${name}: ${error.message}`);
    expect(error.stack).toMatch(new RegExp(`^${name}: `));
  });

  it('keeps name on the prototype, so that it is no enumerable own property', () => {
    expect(Object.keys(make())).not.toContain('name');
    expect(Object.hasOwn(make(), 'name')).toBe(false);
    expect(Object.getPrototypeOf(make()).name).toBe(name);
  });

  it('has no cause and no detail unless one is given', () => {
    const error = make();
    expect('cause' in error).toBe(false);
    expect(error.detail).toBeUndefined();
  });

  it('is recognised by the guard with its own kind and no other', () => {
    const error: unknown = make();
    expect(isConnectorError(error)).toBe(true);
    for (const row of table) expect(isConnectorError(error, row.kind)).toBe(row.kind === kind);
  });
});

describe('the table (E2)', () => {
  it('has exactly the six kinds', () => {
    expect(Object.keys(errorTable).sort()).toEqual(table.map((row) => row.kind).sort());
  });

  it('lets only the wait header tell a limit from a denial (W2)', () => {
    const withHeader = Object.values(errorTable).filter((row) => row.waitHeader);
    expect(withHeader.map((row) => row.kind)).toEqual(['rate-limit']);
  });

  it('cannot be changed by a caller', () => {
    expect(() => Object.assign(errorTable, { other: undefined })).toThrow(TypeError);
    expect(() => Object.assign(errorTable.forbidden, { status: 200 })).toThrow(TypeError);
  });
});

describe('classes', () => {
  it('keep a limit and a denial apart: neither is an instance of the other (E2)', () => {
    const limit: unknown = new RateLimitError(undefined, { retryAfterMs: 1 });
    const denial: unknown = new ForbiddenError();
    expect(limit).not.toBeInstanceOf(ForbiddenError);
    expect(denial).not.toBeInstanceOf(RateLimitError);
    expect(isConnectorError(limit, 'forbidden')).toBe(false);
    expect(isConnectorError(denial, 'rate-limit')).toBe(false);
  });

  it('keep instanceof honest: siblings do not match, nor do look-alikes', () => {
    expect(new NotFoundError()).not.toBeInstanceOf(BadRequestError);
    expect({ name: 'NotFoundError', kind: 'not-found', status: 404 }).not.toBeInstanceOf(ConnectorError);
    expect(new Error('x')).not.toBeInstanceOf(ConnectorError);
  });

  it('give a subclass of a kind that kind, and no sibling of it', () => {
    class IssueMissing extends NotFoundError {}
    class Other extends NotFoundError {}
    const error = new IssueMissing('No issue 7', { code: 'ISSUE_NOT_FOUND' });
    expect(error).toMatchObject({ kind: 'not-found', status: 404, code: 'ISSUE_NOT_FOUND' });
    expect(error).toBeInstanceOf(IssueMissing);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).not.toBeInstanceOf(Other);
    expect(new NotFoundError()).not.toBeInstanceOf(IssueMissing);
    expect(isConnectorError(error, 'not-found')).toBe(true);
  });

  it('give a subclass of ConnectorError the kind of its status', () => {
    class LedgerClosed extends ConnectorError {
      constructor() {
        super('The ledger is closed', { status: 409, code: 'LEDGER_CLOSED' });
      }
    }
    expect(new LedgerClosed()).toMatchObject({ kind: 'other', status: 409, name: 'ConnectorError' });
  });

  it('let a subclass set its own name', () => {
    class LedgerClosed extends ConnectorError {
      override name = 'LedgerClosed';
    }
    expect(String(new LedgerClosed('closed', { status: 409 }))).toBe('LedgerClosed: closed');
  });

  it.each([
    [400, 'bad-request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [402, 'other'],
    [405, 'other'],
    [409, 'other'],
    [418, 'other'],
    [422, 'other'],
    [429, 'other'],
    [500, 'other'],
    [503, 'other'],
    [599, 'other'],
  ] as const)('give a plain ConnectorError with status %i the kind %s', (status, kind) => {
    const error = new ConnectorError('It failed', { status });
    expect(error.kind).toBe(kind);
    expect(error.code).toBe(errorTable[kind].code);
  });

  it('narrow by kind in TypeScript', () => {
    const error: unknown = new RateLimitError('slow down', { retryAfterMs: 10 });
    if (!isConnectorError(error, 'rate-limit')) throw new Error('not narrowed');
    expectTypeOf(error).toExtend<RateLimitError>();
    expect(error.retryAfterMs).toBe(10);
    expectTypeOf<ErrorKind>().toEqualTypeOf<
      'bad-request' | 'unauthorized' | 'forbidden' | 'rate-limit' | 'not-found' | 'other'
    >();
  });
});

describe('the guard', () => {
  it.each([
    undefined,
    null,
    0,
    '',
    'NotFoundError',
    Symbol('x'),
    {},
    [],
    () => {},
    new Error('x'),
    new TypeError('x'),
    { kind: 'not-found' },
    { name: 'ConnectorError', kind: 'other', status: 500, code: 'X', toPayload() {} },
  ])('refuses %o', (value) => {
    expect(isConnectorError(value)).toBe(false);
    expect(isConnectorError(value, 'not-found')).toBe(false);
  });

  it('knows errors of another copy of the package, where instanceof cannot', async () => {
    vi.resetModules();
    const copy = await import('concordat');
    expect(copy.NotFoundError).not.toBe(NotFoundError); // control: it really is another copy
    const foreign: unknown = new copy.NotFoundError('No issue 7');
    expect(foreign).not.toBeInstanceOf(ConnectorError);
    expect(isConnectorError(foreign)).toBe(true);
    expect(isConnectorError(foreign, 'not-found')).toBe(true);
    expect(isConnectorError(foreign, 'forbidden')).toBe(false);
    expect(copy.isConnectorError(new ForbiddenError(), 'forbidden')).toBe(true);
  });

  it('does not throw for a value that throws when it is looked at', () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error('do not look');
        },
      },
    );
    expect(isConnectorError(hostile)).toBe(false);
  });
});

describe('codes (E3)', () => {
  it.each([
    ['ISSUE_NOT_FOUND', 'ISSUE_NOT_FOUND'],
    [1062, '1062'],
    [0, '0'],
    [-32601, '-32601'],
  ])('passes %o of the end system on as %o', (code, expected) => {
    expect(new NotFoundError('No issue 7', { code }).code).toBe(expected);
  });

  it.each([undefined, '', '   ', Number.NaN])('falls back to the own code for %o', (code) => {
    expect(new NotFoundError('No issue 7', { code }).code).toBe('NOT_FOUND');
  });
});

describe('options', () => {
  it('keeps the cause, and only where there is one', () => {
    const cause = new Error('ECONNRESET');
    expect(new ConnectorError('It failed', { status: 502, cause }).cause).toBe(cause);
    expect(Object.hasOwn(new ConnectorError('It failed', { status: 502, cause: undefined }), 'cause')).toBe(false);
  });

  it.each(['', ' ', '\n\t'])('refuses the empty message %o, naming it', (message) => {
    expect(() => new ConnectorError(message, { status: 500 })).toThrow(/`message`/);
    expect(() => new NotFoundError(message)).toThrow(TypeError);
  });

  it.each([0, 200, 204, 302, 399, 600, 1000, 404.5, Number.NaN, -404, '404' as never, undefined as never])(
    'refuses the status %o, naming it',
    (status) => {
      expect(() => new ConnectorError('It failed', { status })).toThrow(TypeError);
      expect(() => new ConnectorError('It failed', { status })).toThrow(/`status`/);
    },
  );

  it('refuses missing options with a TypeError that names the option', () => {
    expect(() => new (ConnectorError as never as new (message: string) => unknown)('It failed')).toThrow(/`status`/);
  });

  it("does not let the options of a kind change the kind's status", () => {
    expect(new NotFoundError('gone', { status: 500 } as never).status).toBe(404);
    expect(new ForbiddenError('no', { status: 500 } as never).status).toBe(403);
  });

  it('does not change the options of the caller', () => {
    const options = Object.freeze({ status: 500, code: 7, headers: Object.freeze({ 'x-a': '1' }) });
    expect(() => new ConnectorError('It failed', options)).not.toThrow();
  });
});

describe('RateLimitError (W2)', () => {
  const withoutWait: unknown[] = [undefined, {}, { retryAfterMs: undefined }, { code: 'X' }];
  it.each(withoutWait)('throws a TypeError without a wait: %o', (options) => {
    expect(() => new RateLimitError('slow down', options as never)).toThrow(TypeError);
    expect(() => new RateLimitError('slow down', options as never)).toThrow(/`retryAfterMs`.*`resumeAt`/);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '60', null])('refuses retryAfterMs %o, naming it', (value) => {
    expect(() => new RateLimitError('slow down', { retryAfterMs: value as never })).toThrow(TypeError);
    expect(() => new RateLimitError('slow down', { retryAfterMs: value as never })).toThrow(/`retryAfterMs`/);
  });

  it.each([new Date(Number.NaN), '2026-11-21', 0])('refuses resumeAt %o, naming it', (value) => {
    expect(() => new RateLimitError('slow down', { resumeAt: value as never })).toThrow(TypeError);
    expect(() => new RateLimitError('slow down', { resumeAt: value as never })).toThrow(/`resumeAt`/);
  });

  it('works out when to go on from the time to wait', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 9), toFake: ['Date'] });
    try {
      const error = new RateLimitError('slow down', { retryAfterMs: 1500 });
      expect(error.resumeAt).toEqual(new Date(Date.UTC(2026, 10, 21, 9, 0, 1, 500)));
      expect(error.retryAfterMs).toBe(1500);
    } finally {
      vi.useRealTimers();
    }
  });

  it('works out the time to wait from when to go on; never below zero', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 9), toFake: ['Date'] });
    try {
      const resumeAt = new Date(Date.UTC(2026, 10, 21, 10));
      expect(new RateLimitError('slow down', { resumeAt })).toMatchObject({ retryAfterMs: 3_600_000, resumeAt });
      expect(new RateLimitError('slow down', { resumeAt: new Date(0) }).retryAfterMs).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('accepts a wait of zero', () => {
    expect(new RateLimitError('slow down', { retryAfterMs: 0 }).retryAfterMs).toBe(0);
  });

  it('survives a wait longer than a Date can express', () => {
    const error = new RateLimitError('slow down', { retryAfterMs: Number.MAX_SAFE_INTEGER });
    expect(error.retryAfterMs).toBe(Number.MAX_SAFE_INTEGER);
    expect(Number.isNaN(error.resumeAt.getTime())).toBe(false);
  });

  it('is a limit only with a status that can be one', () => {
    expect(() => new RateLimitError('slow down', { retryAfterMs: 1, status: 500 as never })).toThrow(/`status`/);
  });
});
