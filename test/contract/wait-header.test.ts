import { parseWait, type WaitFormat, waitFormats } from 'concordat';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

// Saturday, 21 November 2026, 09:00:00 UTC.
const now = Date.UTC(2026, 10, 21, 9);
const nowDate = 'Sat, 21 Nov 2026 09:00:00 GMT';
const minute = 60_000;
const hour = 60 * minute;

type Vector = [value: string, waitMs: number | 'invalid', why: string];

const numbers: Vector[] = [
  ['', 'invalid', 'empty'],
  [' ', 'invalid', 'blank'],
  ['-3', 'invalid', 'negative'],
  ['-0', 'invalid', 'negative zero'],
  ['+60', 'invalid', 'a sign'],
  ['1.5', 'invalid', 'a fraction'],
  ['60.', 'invalid', 'a point'],
  ['0x10', 'invalid', 'hexadecimal'],
  ['1e3', 'invalid', 'an exponent'],
  ['60abc', 'invalid', 'a unit'],
  ['60 s', 'invalid', 'a unit after a blank'],
  ['abc', 'invalid', 'text'],
  ['60;q=1', 'invalid', 'a parameter'],
  ['"60"', 'invalid', 'quotes'],
  ['6 0', 'invalid', 'a blank inside'],
  ['1_000', 'invalid', 'a separator'],
  ['٦٠', 'invalid', 'digits that are not ASCII'],
  ['６０', 'invalid', 'full-width digits'],
  ['60\n', 'invalid', 'a line break'],
  ['\u00a060', 'invalid', 'a no-break space'],
  ['Infinity', 'invalid', 'infinity'],
  ['NaN', 'invalid', 'not a number'],
  ['null', 'invalid', 'null'],
  ['undefined', 'invalid', 'undefined'],
  ['true', 'invalid', 'a boolean'],
];

const dates: Vector[] = [
  ['Sat, 21 Nov 2026 09:01:00 GMT', minute, 'IMF-fixdate'],
  ['Saturday, 21-Nov-26 09:01:00 GMT', minute, 'RFC 850'],
  ['Sat Nov 21 09:01:00 2026', minute, 'asctime'],
  ['Tue Dec  1 09:00:00 2026', 10 * 24 * hour, 'asctime with a padded day'],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0, 'now'],
  ['Sat, 21 Nov 2026 08:59:59 GMT', 0, 'a second ago (W5)'],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0, 'the epoch (W5)'],
  ['Sun Nov  6 08:49:37 1994', 0, "the RFC's own asctime example, long past (W5)"],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0, "the RFC's own RFC 850 example, long past (W5)"],
  ['Tue, 29 Feb 2028 00:00:00 GMT', Date.UTC(2028, 1, 29) - now, 'a leap day'],
  ['Sat, 21 Nov 2026 23:59:60 GMT', Date.UTC(2026, 10, 22) - now, 'a leap second'],
  ['Fri, 31 Feb 2026 00:00:00 GMT', 'invalid', 'a day that does not exist'],
  ['Tue, 31 Feb 2026 00:00:00 GMT', 'invalid', 'a day that does not exist, with the weekday JavaScript gives it'],
  ['Sun, 29 Feb 2026 00:00:00 GMT', 'invalid', 'a leap day in a year without one'],
  ['Tue, 31 Nov 2026 00:00:00 GMT', 'invalid', 'the 31st of a month of 30 days'],
  ['Sat, 00 Nov 2026 00:00:00 GMT', 'invalid', 'day zero'],
  ['Sat, 32 Nov 2026 00:00:00 GMT', 'invalid', 'day 32'],
  ['Sat, 21 Nov 2026 24:00:00 GMT', 'invalid', 'hour 24'],
  ['Sat, 21 Nov 2026 09:60:00 GMT', 'invalid', 'minute 60'],
  ['Sat, 21 Nov 2026 09:00:61 GMT', 'invalid', 'second 61'],
  ['Sat, 21 Nov 2026 09:00:60 GMT', 'invalid', 'a leap second in the middle of a day'],
  ['Sat, 21 Nov 2026 09:59:60 GMT', 'invalid', 'a leap second at the end of another hour'],
  ['Sat, 21 Nov 2026 23:00:60 GMT', 'invalid', 'a leap second at the end of another minute'],
  ['Sat, 21 Nov 2026 23:59:61 GMT', 'invalid', 'two leap seconds'],
  ['Mon, 23 Nob 2026 09:01:00 GMT', 'invalid', 'a month that does not exist'],
  ['Sat, 21 Nov 2026 09:01:00', 'invalid', 'no zone'],
  ['Sat, 21 Nov 2026 09:01:00 UTC', 'invalid', 'UTC instead of GMT'],
  ['Sat, 21 Nov 2026 09:01:00 CET', 'invalid', 'another zone'],
  ['Sat, 21 Nov 2026 09:01:00 +0000', 'invalid', 'a numeric zone'],
  ['Sat, 21 Nov 2026 9:01:00 GMT', 'invalid', 'an hour of one digit'],
  ['Sat, 1 Nov 2026 09:01:00 GMT', 'invalid', 'a day of one digit'],
  ['21 Nov 2026 09:01:00 GMT', 'invalid', 'no weekday'],
  ['Mon, 21 Nov 2026 09:01:00 GMT', 'invalid', 'the weekday of another date'],
  ['sat, 21 nov 2026 09:01:00 gmt', 'invalid', 'lower case'],
  ['Sat, 21 Nov 2026', 'invalid', 'no time'],
  ['Sat, 21-Nov-26 09:01:00 GMT', 'invalid', 'RFC 850 with a short weekday'],
  ['Saturday, 21 Nov 2026 09:01:00 GMT', 'invalid', 'IMF-fixdate with a long weekday'],
  ['Sat, 21 Nov 2026 09:01:00 GMT GMT', 'invalid', 'something after it'],
  ['2026-11-21', 'invalid', 'an ISO date'],
  ['Nov 21 2026', 'invalid', 'what Date.parse would take'],
];

const isoTimes: Vector[] = [
  ['2026-11-21T09:01:00Z', minute, 'UTC'],
  ['2026-11-21T09:01:00.250Z', minute + 250, 'milliseconds'],
  ['2026-11-21T10:01:00+01:00', minute, 'east of Greenwich'],
  ['2026-11-21T04:01:00-05:00', minute, 'west of Greenwich'],
  ['2026-11-21T10:01:00+0100', minute, 'east of Greenwich, without a colon'],
  ['2026-11-21T04:31:00-0430', minute, 'west of Greenwich, without a colon'],
  ['2026-11-21T08:59:59Z', 0, 'past (W5)'],
  ['2026-11-21T09:01:00', 'invalid', 'no zone: nobody knows which time it is'],
  ['2026-11-21', 'invalid', 'no time'],
  ['2026-02-31T00:00:00Z', 'invalid', 'a day that does not exist'],
  ['2027-02-29T00:00:00Z', 'invalid', 'a leap day in a year without one'],
  ['2026-13-01T00:00:00Z', 'invalid', 'month 13'],
  ['2026-00-01T00:00:00Z', 'invalid', 'month zero'],
  ['2026-11-21T24:01:00Z', 'invalid', 'hour 24'],
  ['2026-11-21T09:60:00Z', 'invalid', 'minute 60'],
  ['2026-11-21T09:00:61Z', 'invalid', 'second 61'],
  ['2026-11-21T09:01:00+24:00', 'invalid', 'an offset of a day'],
  ['2026-11-21T09:01:00+00:60', 'invalid', 'an offset of 60 minutes'],
  ['2026-11-21T09:01:00+99:99', 'invalid', 'an offset that does not exist'],
  ['2026-11-21 09:01:00Z', 'invalid', 'a blank instead of the T'],
  ['60', 'invalid', 'seconds'],
  [nowDate, 'invalid', 'an HTTP-date'],
];

const nowSeconds = now / 1000;
const vectors: Record<WaitFormat, Vector[]> = {
  seconds: [
    ...numbers,
    ['0', 0, 'zero'],
    ['1', 1000, 'one'],
    ['60', minute, 'a minute'],
    ['007', 7000, 'leading zeros'],
    ['00', 0, 'zeros'],
    [' 60 ', minute, 'blanks around it'],
    ['\t60\t', minute, 'tabs around it'],
    ['2147483.648', 'invalid', 'a fraction at the edge of timers'],
    ['2147484', 2_147_484_000, 'beyond the longest timer (W7)'],
    ['Sat, 21 Nov 2026 09:01:00 GMT', 'invalid', 'a date'],
    ['2026-11-21T09:01:00Z', 'invalid', 'an ISO time'],
  ],
  milliseconds: [...numbers, ['0', 0, 'zero'], ['60', 60, 'sixty'], ['007', 7, 'leading zeros']],
  'epoch-seconds': [
    ...numbers,
    [String(nowSeconds + 60), minute, 'in a minute'],
    [`000${nowSeconds + 60}`, minute, 'leading zeros'],
    [String(nowSeconds), 0, 'now'],
    [String(nowSeconds - 60), 0, 'past (W5)'],
    ['0', 0, 'the epoch (W5)'],
    ['60', 0, 'a delta where a time was agreed on is a time long past (W5)'],
    ['2147483648', 2_147_483_648_000 - now, 'beyond January 2038'],
    [nowDate, 'invalid', 'a date'],
  ],
  'epoch-milliseconds': [
    ...numbers,
    [String(now + 60), 60, 'in 60 ms'],
    [String(now - 60), 0, 'past (W5)'],
    ['0', 0, 'the epoch (W5)'],
  ],
  'http-date': [...numbers, ...dates, ['60', 'invalid', 'seconds'], ['0', 'invalid', 'zero']],
  'iso-8601': [...numbers, ...isoTimes],
  auto: [
    ...numbers,
    ...dates,
    ['0', 0, 'zero'],
    ['60', minute, 'delta-seconds'],
    ['0060', minute, 'leading zeros'],
    [String(nowSeconds + 60), (nowSeconds + 60) * 1000, 'an epoch is not guessed: it is a very long delta'],
    ['2026-11-21T09:01:00Z', 'invalid', 'an ISO time is not guessed'],
  ],
};

describe.each(Object.entries(vectors))('parseWait reads %s strictly (W4)', (format, rows) => {
  it.each(rows)('%j → %s: %s', (value, expected) => {
    const result = parseWait(value, { format: format as WaitFormat, now });
    if (expected === 'invalid') {
      expect(result.waitMs).toBeUndefined();
      expect(result.invalid).toMatch(/\S/);
    } else {
      expect(result).toEqual({ waitMs: expected });
    }
  });
});

describe('parseWait', () => {
  it('has exactly the seven formats of the rule (W4)', () => {
    expect([...waitFormats].sort()).toEqual(Object.keys(vectors).sort());
  });

  it('reads with auto when nothing is said (W4)', () => {
    expect(parseWait('60')).toEqual({ waitMs: minute });
    expect(parseWait(nowDate, { now: now - minute })).toEqual({ waitMs: minute });
  });

  it('takes the local clock when no time is given', () => {
    vi.useFakeTimers({ now, toFake: ['Date'] });
    try {
      expect(parseWait('Sat, 21 Nov 2026 09:01:00 GMT')).toEqual({ waitMs: minute });
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([undefined, null, 60, ['60'], {}] as never[])('answers invalid for %o, which is no header', (value) => {
    expect(parseWait(value)).toHaveProperty('invalid');
  });

  it.each(['second', 'SECONDS', '', 'toString', null as never])('refuses the format %o, naming it', (format) => {
    const attempt = () => parseWait('60', { format: format as never });
    if (format === null) return; // absent, as undefined is
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(/^`format` must be one of auto, seconds, milliseconds, http-date, /);
  });

  it.each<[WaitFormat | undefined, string]>([
    [undefined, '"soon" is not a number of seconds or an HTTP-date'],
    ['auto', '"soon" is not a number of seconds or an HTTP-date'],
    ['seconds', '"soon" is not a number of seconds'],
    ['milliseconds', '"soon" is not a number of milliseconds'],
    ['http-date', '"soon" is not an HTTP-date'],
    ['epoch-seconds', '"soon" is not a time in seconds since 1970'],
    ['epoch-milliseconds', '"soon" is not a time in milliseconds since 1970'],
    ['iso-8601', '"soon" is not an ISO 8601 time with its zone'],
  ])('says what it expected as %s', (format, invalid) => {
    expect(parseWait('soon', { format })).toEqual({ invalid });
  });

  it('says that there is no value, and repeats 80 characters of a long one', () => {
    expect(parseWait(null)).toEqual({ invalid: 'there is no value' });
    expect(parseWait('x'.repeat(1024)).invalid).toMatch(/^"x{80}" is not /);
  });

  it('reads 1,024 characters and no more (E8)', () => {
    expect(parseWait('60'.padStart(1024, '0'))).toEqual({ waitMs: minute });
    expect(parseWait('60'.padStart(1025, '0'))).toEqual({ invalid: 'it is longer than 1024 characters' });
  });

  it('reads a hundred thousand characters in no time', () => {
    const before = process.cpuUsage(); // which is the same on a loaded machine
    for (const value of ['Sat,'.repeat(25_000), '1'.repeat(100_000), ' '.repeat(100_000), ','.repeat(100_000)]) {
      for (const format of waitFormats) parseWait(value, { format, now });
    }
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  describe.each(['seconds', 'milliseconds', 'auto'] as const)(
    'more digits than a double holds, as %s (W4)',
    (format) => {
      it.each([17, 25, 309, 400, 1024])('%i digits are a very long wait, not an invalid one', (digits) => {
        const { waitMs } = parseWait('9'.repeat(digits), { format, now });
        expect(waitMs).toBeGreaterThan(365 * 24 * hour);
        expect(Number.isFinite(waitMs)).toBe(true);
      });
    },
  );

  it.each(['epoch-seconds', 'epoch-milliseconds'] as const)('the same holds for %s', (format) => {
    const { waitMs } = parseWait('9'.repeat(400), { format, now });
    expect(waitMs).toBeGreaterThan(365 * 24 * hour);
    expect(Number.isFinite(waitMs)).toBe(true);
  });

  it.each([
    [2 ** 31 - 1, 'the longest timer'],
    [2 ** 31, 'one more than the longest timer'],
    [2 ** 32 + 1, 'beyond 32 bits'],
  ])('keeps %i ms exactly: %s (W7)', (waitMs) => {
    expect(parseWait(String(waitMs), { format: 'milliseconds' })).toEqual({ waitMs });
    expect(parseWait(String(now + waitMs), { format: 'epoch-milliseconds', now })).toEqual({ waitMs });
  });
});

describe('repeated headers joined by commas: the longest valid wait wins (W4)', () => {
  const one = 'Sat, 21 Nov 2026 09:01:00 GMT';
  const two = 'Sat, 21 Nov 2026 09:02:00 GMT';
  const two850 = 'Saturday, 21-Nov-26 09:02:00 GMT';
  const asctime = 'Sat Nov 21 09:01:30 2026';
  it.each<[string, WaitFormat, number | 'invalid']>([
    ['60, 60', 'auto', minute],
    ['60, 120', 'auto', 2 * minute],
    ['120, 60', 'auto', 2 * minute],
    ['120,60', 'auto', 2 * minute],
    ['60 , 120', 'seconds', 2 * minute],
    ['1, 2, 3', 'milliseconds', 3],
    ['60, abc', 'auto', minute],
    ['abc, 60', 'auto', minute],
    ['-3, 60, 1.5', 'auto', minute],
    ['60,', 'auto', minute],
    [',60', 'auto', minute],
    ['60,,30', 'auto', minute],
    ['abc, def', 'auto', 'invalid'],
    [',', 'auto', 'invalid'],
    ['-3, -4', 'seconds', 'invalid'],
    [`${one}, ${two}`, 'auto', 2 * minute],
    [`${two}, ${one}`, 'http-date', 2 * minute],
    [`${two},${one}`, 'http-date', 2 * minute],
    [`${one}, 120`, 'auto', 2 * minute],
    [`120, ${one}`, 'auto', 2 * minute],
    [`30, ${one}`, 'auto', minute],
    [`${one}, ${two850}`, 'auto', 2 * minute],
    [`${two850}, ${one}`, 'auto', 2 * minute],
    [`${asctime}, ${one}`, 'auto', minute + 30_000],
    [`${one}, ${asctime}`, 'http-date', minute + 30_000],
    [`${asctime}, 10`, 'auto', minute + 30_000],
    [`Fri, 31 Feb 2026 00:00:00 GMT, ${one}`, 'auto', minute],
    [`${one}, Fri, 31 Feb 2026 00:00:00 GMT`, 'auto', minute],
    [`Thu, 01 Jan 1970 00:00:00 GMT, ${one}`, 'auto', minute],
    [`Sat, ${one}`, 'auto', minute],
    [`abc, ${one}`, 'auto', minute],
    [`Unknown, ${one}`, 'auto', minute],
    [`Sat,${asctime}`, 'auto', minute + 30_000],
    [`60,  ${two}`, 'auto', 2 * minute],
    ['60,  120  ', 'auto', 2 * minute],
    ['xSun, 60', 'auto', minute],
    ['Sunx, 60', 'auto', minute],
    ['2026-11-21T09:01:00Z, 2026-11-21T09:02:00Z', 'iso-8601', 2 * minute],
    [`${nowSeconds + 60}, ${nowSeconds + 120}`, 'epoch-seconds', 2 * minute],
    [`${now + 1}, ${now + 2}`, 'epoch-milliseconds', 2],
  ])('%j as %s → %s', (value, format, expected) => {
    const result = parseWait(value, { format, now });
    if (expected === 'invalid') expect(result).toHaveProperty('invalid');
    else expect(result).toEqual({ waitMs: expected });
  });

  it('holds for any mixture of valid and invalid numbers', () => {
    const item = fc.oneof(
      fc.nat().map(String),
      fc.constantFrom('', 'abc', '-3', '1.5', '0x10', one, two, two850, asctime),
    );
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (items) => {
        // A lone word just before a date could be read as its weekday: see the fixed vectors above.
        const waits = items.map((text) => parseWait(text, { now }).waitMs).filter((wait) => wait !== undefined);
        const expected = waits.length === 0 ? undefined : Math.max(...waits);
        expect(parseWait(items.join(', '), { now }).waitMs).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});
