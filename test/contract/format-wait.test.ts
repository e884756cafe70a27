import { formatWait, parseWait, type WaitFormat, waitFormats } from 'concordat';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../helpers/any-text.js';

const now = Date.UTC(2026, 10, 21, 9);

describe('formatWait', () => {
  it.each<[WaitFormat, number, string]>([
    ['auto', 1500, '2'],
    ['auto', 0, '0'],
    ['seconds', 0, '0'],
    ['seconds', 0.001, '1'],
    ['seconds', 1, '1'],
    ['seconds', 999, '1'],
    ['seconds', 1000, '1'],
    ['seconds', 1001, '2'],
    ['seconds', 1500, '2'],
    ['seconds', 3_600_000, '3600'],
    ['seconds', 2 ** 31, '2147484'],
    ['milliseconds', 0, '0'],
    ['milliseconds', 0.2, '1'],
    ['milliseconds', 1500, '1500'],
    ['milliseconds', 1500.5, '1501'],
    ['http-date', 60_000, 'Sat, 21 Nov 2026 09:01:00 GMT'],
    ['http-date', 59_001, 'Sat, 21 Nov 2026 09:01:00 GMT'],
    ['http-date', 1, 'Sat, 21 Nov 2026 09:00:01 GMT'],
    ['epoch-seconds', 60_000, String(now / 1000 + 60)],
    ['epoch-seconds', 1, String(now / 1000 + 1)],
    ['epoch-milliseconds', 1500, String(now + 1500)],
    ['iso-8601', 60_000, '2026-11-21T09:01:00.000Z'],
  ])('writes %s of %d ms as %s, rounded up', (format, waitMs, expected) => {
    expect(formatWait(waitMs, { format, now })).toBe(expected);
  });

  it('writes seconds when nothing is said', () => {
    expect(formatWait(1500)).toBe('2');
  });

  it.each([-1, Number.NaN, Number.NEGATIVE_INFINITY, '60', null, undefined, {}] as never[])(
    'refuses the wait %o, naming it',
    (waitMs) => {
      expect(() => formatWait(waitMs)).toThrow(TypeError);
      expect(() => formatWait(waitMs)).toThrow(/`waitMs`/);
    },
  );

  it.each(['minutes', 'Seconds', ''])('refuses the format %j, naming it', (format) => {
    expect(() => formatWait(1, { format: format as never })).toThrow(TypeError);
    expect(() => formatWait(1, { format: format as never })).toThrow(/`format`/);
  });
});

describe('what formatWait writes, parseWait reads (W4, W7)', () => {
  const stepMs: Record<WaitFormat, number> = {
    auto: 1000,
    seconds: 1000,
    milliseconds: 1,
    'http-date': 1000,
    'epoch-seconds': 1000,
    'epoch-milliseconds': 1,
    'iso-8601': 1,
  };
  const thousandYearsMs = 1000 * 365 * 24 * 3_600_000;
  const waits = fc.oneof(
    fc.integer({ min: 0, max: thousandYearsMs }),
    fc.integer({ min: 0, max: 2 ** 40 }).map((eighths) => eighths / 8),
    fc.constantFrom(0, 1, 999, 1000, 1001, 2 ** 31 - 1, 2 ** 31, 2 ** 32),
  );
  const times = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });

  it.each(waitFormats)('%s: never shortened, and longer by less than one step', (format) => {
    fc.assert(
      fc.property(waits, times, (waitMs, at) => {
        const read = parseWait(formatWait(waitMs, { format, now: at }), { format, now: at }).waitMs!;
        expect(read).toBeGreaterThanOrEqual(waitMs);
        expect(read - waitMs).toBeLessThan(stepMs[format] + 0.01);
        if (waitMs > 0) expect(read).toBeGreaterThan(0);
      }),
    );
  });

  it.each(waitFormats)('%s: waits beyond every calendar are still very long ones', (format) => {
    for (const waitMs of [Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) {
      const text = formatWait(waitMs, { format, now });
      expect(text).not.toMatch(/\de\+|NaN|Infinity|Invalid/);
      expect(parseWait(text, { format, now }).waitMs).toBeGreaterThan(thousandYearsMs);
    }
  });
});

describe('parseWait for any text', () => {
  it.each(waitFormats)('%s: never throws, and answers a whole wait or a reason', (format) => {
    const text = fc.oneof(anyText(), fc.stringMatching(/^[0-9,. :+A-Za-z-]{0,40}$/));
    fc.assert(
      fc.property(text, (value) => {
        const result = parseWait(value, { format, now });
        if (result.invalid === undefined) {
          expect(result.waitMs).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(result.waitMs)).toBe(true);
        } else {
          expect(result.waitMs).toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('delta-seconds are digits and nothing else', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const valid = parseWait(value, { format: 'seconds' }).invalid === undefined;
        expect(valid).toBe(value.split(',').some((item) => /^[ \t]*[0-9]+[ \t]*$/.test(item)));
      }),
      { numRuns: 500 },
    );
  });
});
