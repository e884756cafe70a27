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
import { errorOfKind } from '../../src/contract/index.js';

/** Rule E2, written out by hand: the table under test is not used to test itself. */
const table = [
  {
    kind: 'bad-request',
    name: 'BadRequestError',
    status: 400,
    code: 'BAD_REQUEST',
    reaction: 'report',
    make: () => new BadRequestError(),
  },
  {
    kind: 'unauthorized',
    name: 'UnauthorizedError',
    status: 401,
    code: 'UNAUTHORIZED',
    reaction: 'initialize-and-resend',
    make: () => new UnauthorizedError(),
  },
  {
    kind: 'forbidden',
    name: 'ForbiddenError',
    status: 403,
    code: 'FORBIDDEN',
    reaction: 'report',
    make: () => new ForbiddenError(),
  },
  {
    kind: 'rate-limit',
    name: 'RateLimitError',
    status: 403,
    code: 'RATE_LIMITED',
    reaction: 'wait-and-resend',
    make: () => new RateLimitError(undefined, { retryAfterMs: 1000 }),
  },
  {
    kind: 'not-found',
    name: 'NotFoundError',
    status: 404,
    code: 'NOT_FOUND',
    reaction: 'report',
    make: () => new NotFoundError(),
  },
  {
    kind: 'other',
    name: 'ConnectorError',
    status: 502,
    code: 'CONNECTOR_ERROR',
    reaction: 'retry-if-idempotent',
    make: () => new ConnectorError('The ledger is closed', { status: 502 }),
  },
] as const;

describe.each(table)('$name (E2)', ({ kind, name, status, code, reaction, make }) => {
  it('has the kind, status and default code of the table', () => {
    expect(make()).toMatchObject({ kind, status, code, name, origin: 'connector' });
    expect(errorTable[kind]).toMatchObject({ kind, status: kind === 'other' ? null : status, code, reaction });
    expect(errorTable[kind].message).toMatch(/^[A-Z].*\.$/);
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

  it('keeps kind out of what is enumerated, and on the prototype where the class decides it', () => {
    expect(Object.keys(make())).not.toContain('kind');
    expect(Object.hasOwn(make(), 'kind')).toBe(kind === 'other');
  });

  it('has no cause and no detail unless one is given', () => {
    const error = make();
    expect('cause' in error).toBe(false);
    expect(error.detail).toBeUndefined();
  });

  it('is recognized by the guard with its own kind and no other', () => {
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

  it('let a subclass declare its kind', () => {
    class LedgerClosed extends ConnectorError {
      override readonly kind = 'other';
    }
    expect(new LedgerClosed('closed', { status: 409 }).kind).toBe('other');
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

describe('an error of a kind (E2)', () => {
  it.each(table.filter((row) => row.kind !== 'rate-limit'))('of $kind is a $name', ({ kind, name, status, code }) => {
    const error = errorOfKind(kind as Exclude<ErrorKind, 'rate-limit'>, undefined, { status });
    expect(error).toMatchObject({ name, kind, status, code, message: errorTable[kind].message });
    expect(errorOfKind(error.kind as 'other', 'It failed', { status }).message).toBe('It failed');
  });

  it('has the status of its kind; only that of `other` is asked for', () => {
    expect(errorOfKind('not-found', undefined, { status: 410 }).status).toBe(404);
    expect(errorOfKind('other', undefined, { status: 410 }).status).toBe(410);
  });
});
