import { formatWait, parseWait, type WaitFormat } from 'concordat';
import { describe, expect, it } from 'vitest';

// Saturday, 21 November 2026, 09:00:00 UTC.
const now = Date.UTC(2026, 10, 21, 9);
const nowDate = 'Sat, 21 Nov 2026 09:00:00 GMT';
const minute = 60_000;
const hour = 60 * minute;
const nowSeconds = now / 1000;

describe('absolute times are measured against the response (W5)', () => {
  const localNow = now + hour; // the local clock is an hour fast
  const inTwoMinutes = 'Sat, 21 Nov 2026 09:02:00 GMT';
  const date = nowDate;

  it.each<[WaitFormat, string]>([
    ['auto', inTwoMinutes],
    ['http-date', inTwoMinutes],
    ['epoch-seconds', String(nowSeconds + 120)],
    ['epoch-milliseconds', String(now + 120_000)],
    ['iso-8601', '2026-11-21T09:02:00Z'],
  ])('%s: the Date header of the answer outranks a wrong local clock', (format, value) => {
    expect(parseWait(value, { format, now: localNow, date })).toEqual({ waitMs: 2 * minute });
    expect(parseWait(value, { format, now: localNow })).toEqual({ waitMs: 0 }); // control
  });

  it.each<WaitFormat>(['auto', 'seconds', 'milliseconds'])('%s: a delta has nothing to do with Date', (format) => {
    const expected = parseWait('60', { format, now });
    expect(parseWait('60', { format, now: localNow, date })).toEqual(expected);
  });

  it.each([undefined, null])('the local clock counts when Date is %o', (absent) => {
    expect(parseWait(inTwoMinutes, { now: now + minute, date: absent })).toEqual({ waitMs: minute });
  });

  it.each(['', 'yesterday', '0', 'Fri, 31 Feb 2026 00:00:00 GMT', '2026-11-21T09:00:00Z', '-3'])(
    'the local clock counts when Date is bad: %j',
    (bad) => {
      expect(parseWait(inTwoMinutes, { now: now + minute, date: bad })).toEqual({ waitMs: minute });
    },
  );

  it.each(['0', '30', '3600'])('the local clock counts when the answer has Age: %s', (age) => {
    expect(parseWait(inTwoMinutes, { now: now + minute, date, age })).toEqual({ waitMs: minute });
  });

  it.each([undefined, null])('Age %o is no Age', (age) => {
    expect(parseWait(inTwoMinutes, { now: localNow, date, age })).toEqual({ waitMs: 2 * minute });
  });

  it.each([
    [1024, 2 * minute],
    [1025, minute],
  ])('a Date of %i characters, most of them blanks, makes the wait %i ms (E8)', (length, waitMs) => {
    expect(parseWait(inTwoMinutes, { now: now + minute, date: date.padEnd(length) })).toEqual({ waitMs });
  });

  it.each(['Saturday, 21-Nov-26 09:00:00 GMT', 'Sat Nov 21 09:00:00 2026'])('Date may have an old form: %s', (old) => {
    expect(parseWait(inTwoMinutes, { now: localNow, date: old })).toEqual({ waitMs: 2 * minute });
  });
});

describe('two-digit years of RFC 850 (RFC 9110, 5.6.7)', () => {
  const at = (value: string, time = now) => parseWait(value, { now: time, format: 'http-date' });

  it('a year up to 50 ahead lies in the future', () => {
    expect(at('Thursday, 21-Nov-30 09:00:00 GMT')).toEqual({ waitMs: Date.UTC(2030, 10, 21, 9) - now });
    expect(at('Friday, 20-Nov-76 09:00:00 GMT')).toEqual({ waitMs: Date.UTC(2076, 10, 20, 9) - now });
  });

  it('a year more than 50 ahead lies in the past', () => {
    expect(at('Sunday, 21-Nov-77 09:00:00 GMT')).toHaveProperty('invalid'); // in 1977 it was a Monday
    expect(at('Monday, 21-Nov-77 09:00:00 GMT')).toEqual({ waitMs: 0 });
    expect(at('Sunday, 06-Nov-94 08:49:37 GMT')).toEqual({ waitMs: 0 });
  });

  it('a time that is 50 years ahead to the second lies in the future, and the next second in the past', () => {
    expect(at('Saturday, 21-Nov-76 09:00:00 GMT')).toEqual({ waitMs: Date.UTC(2076, 10, 21, 9) - now });
    expect(at('Sunday, 21-Nov-76 09:00:01 GMT')).toEqual({ waitMs: 0 }); // in 1976 it was a Sunday
  });

  it('the weekday does not choose the century', () => {
    expect(at('Friday, 21-Nov-30 09:00:00 GMT')).toHaveProperty('invalid'); // it was one in 1930
  });

  it('a time that is 50 years and a few weeks ahead lies in the past, too', () => {
    expect(at('Friday, 31-Dec-76 09:00:00 GMT')).toEqual({ waitMs: 0 }); // 31 December 1976 was a Friday
  });

  it('the turn of a century is no trap', () => {
    const newYearsEve = Date.UTC(2099, 11, 31, 23, 59);
    expect(at('Friday, 01-Jan-00 00:01:00 GMT', newYearsEve)).toEqual({ waitMs: 2 * minute });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '1'])(
    '`now` %s is a TypeError: it would make every moment NaN',
    (now) => {
      const read = () => parseWait('Sat, 21 Nov 2026 09:00:00 GMT', { now: now as number });
      expect(read).toThrow(new TypeError(`\`now\` must be a time in epoch milliseconds, got ${now}.`));
      expect(() => formatWait(1000, { format: 'http-date', now: now as number })).toThrow(/`now`/);
    },
  );
});
