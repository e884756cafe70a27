import { ConnectorError, errorTable, ForbiddenError, NotFoundError, RateLimitError } from 'concordat';
import { describe, expect, it, vi } from 'vitest';

describe('codes (E3)', () => {
  it.each([
    ['ISSUE_NOT_FOUND', 'ISSUE_NOT_FOUND'],
    [1062, '1062'],
    [0, '0'],
    [-32601, '-32601'],
    [9007199254740993n as never, '9007199254740993'],
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

  it.each(['', ' ', '\n\t', 7 as never, undefined as never])('refuses the empty message %o, naming it', (message) => {
    expect(() => new ConnectorError(message, { status: 500 })).toThrow(/`message`/);
    if (message !== undefined) expect(() => new NotFoundError(message)).toThrow(TypeError);
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

  it('has a copy of its headers that nobody can change, and only where there are some', () => {
    const headers = { 'x-a': '1' };
    const error = new ConnectorError('It failed', { status: 500, headers });
    headers['x-a'] = '2';
    expect(error.headers).toEqual({ 'x-a': '1' });
    expect(Object.isFrozen(error.headers)).toBe(true);
    expect(Object.keys(new NotFoundError())).not.toContain('headers');
  });

  it('names the request that failed before its message, which the body is without', () => {
    const request = { method: 'GET', path: '/issues/7' };
    const error = new NotFoundError('No issue 7', { code: 'ISSUE_NOT_FOUND', request });
    expect(error.message).toBe('GET /issues/7: 404 ISSUE_NOT_FOUND: No issue 7');
    expect(error).toMatchObject(request);
    expect(error.toPayload().errors.message).toBe('No issue 7');
    expect(Object.keys(new NotFoundError())).not.toContain('method');
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
    for (const status of [403, 429, 503] as const) {
      expect(new RateLimitError('slow down', { retryAfterMs: 1, status }).status).toBe(status);
    }
  });

  it('may be made without a message, by its options alone', () => {
    const error = new RateLimitError({ retryAfterMs: 5000, code: 'SLOW' });
    expect(error).toMatchObject({ retryAfterMs: 5000, code: 'SLOW', message: errorTable['rate-limit'].message });
    const fromScript = new RateLimitError(null as never, { retryAfterMs: 5000 });
    expect(fromScript).toMatchObject({ retryAfterMs: 5000, message: errorTable['rate-limit'].message });
  });
});
