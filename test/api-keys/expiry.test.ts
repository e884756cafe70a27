import { maxExpiresOn } from 'concordat/api-keys';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { openForTest } from './helpers/databases.js';
import { ada } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

const future = 'Expiry date must be a future datetime.';
const oneYear = 'Expiration date cannot exceed 1 year from today.';
const required = 'Expiry date is required.';
const form =
  'Expiry date must be a date that exists, or an ISO 8601 datetime with a time zone, such as 2027-01-31T18:00:00Z.';

// What a date means is decided before any database is asked: one is enough here.
describe('expiry (K4)', () => {
  let names = 0;
  const open = async (now: string) => {
    const clock = new ManualClock(now);
    const apiKeys = await openForTest({ database: ':memory:', edition: 'Ultimate', clock });
    const expire = async (expiresOn: unknown) => {
      names += 1;
      const input = { name: `Key ${names}`, expiresOn: expiresOn as string };
      return (await apiKeys.create(ada, input)).apiKey.expiresOn;
    };
    return { apiKeys, clock, expire };
  };
  const messageOf = async (call: Promise<unknown>) => {
    const refusal = await refusalOf(call);
    expect(refusal).toMatchObject({ kind: 'validation', fieldErrors: [{ field: 'expiresOn' }] });
    return refusal.message;
  };

  it('must lie after now: not at this millisecond, but at the next', async () => {
    const { expire } = await open('2027-03-10T12:00:00.000Z');
    expect(await messageOf(expire('2027-03-10T11:59:59.999Z'))).toBe(future);
    expect(await messageOf(expire('2027-03-10T12:00:00.000Z'))).toBe(future);
    expect(await expire('2027-03-10T12:00:00.001Z')).toBe('2027-03-10T12:00:00.001Z');
  });

  it.each([
    ['an ordinary day', '2027-03-10T12:00:00.000Z', '2028-03-10T23:59:59.999Z'],
    ['the first moment of a day', '2027-03-10T00:00:00.000Z', '2028-03-10T23:59:59.999Z'],
    ['the last moment of a day', '2027-03-10T23:59:59.999Z', '2028-03-10T23:59:59.999Z'],
    ['29 February', '2028-02-29T10:00:00.000Z', '2029-02-28T23:59:59.999Z'],
    ['28 February before a leap year', '2027-02-28T10:00:00.000Z', '2028-02-28T23:59:59.999Z'],
    ['1 March before a leap year (366 days)', '2027-03-01T00:00:00.000Z', '2028-03-01T23:59:59.999Z'],
    ['New Year', '2027-12-31T23:59:59.999Z', '2028-12-31T23:59:59.999Z'],
  ])('from %s lies at most a calendar year ahead, to the end of that day in UTC', async (_, now, latest) => {
    const { apiKeys, expire } = await open(now);
    expect(apiKeys.maxExpiresOn()).toBe(latest);
    expect(maxExpiresOn(new Date(now)).toISOString()).toBe(latest);
    expect(maxExpiresOn(Date.parse(now)).toISOString()).toBe(latest);
    expect(await expire(latest)).toBe(latest);
    const tooLate = new Date(Date.parse(latest) + 1).toISOString();
    expect(await messageOf(expire(tooLate))).toBe(oneYear);
  });

  it('is measured against the clock at the time of an edit', async () => {
    const { apiKeys, clock } = await open('2027-03-10T12:00:00.000Z');
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-06-01' });
    const edit = (expiresOn: string) => apiKeys.update(ada, apiKey.id, { expiresOn });
    expect(await messageOf(edit('2028-03-11T00:00:00Z'))).toBe(oneYear);
    clock.set('2027-03-11T00:00:00.000Z');
    expect(await edit('2028-03-11T00:00:00Z')).toMatchObject({ expiresOn: '2028-03-11T00:00:00.000Z' });
  });

  it.each([
    ['a Date', new Date('2027-06-01T08:00:00Z'), '2027-06-01T08:00:00.000Z'],
    ['UTC', '2027-06-01T08:00:00Z', '2027-06-01T08:00:00.000Z'],
    ['milliseconds', '2027-06-01T08:00:00.123Z', '2027-06-01T08:00:00.123Z'],
    ['a tenth of a second', '2027-06-01T08:00:00.1Z', '2027-06-01T08:00:00.100Z'],
    ['microseconds, cut', '2027-06-01T08:00:00.123999Z', '2027-06-01T08:00:00.123Z'],
    ['an offset to the east', '2027-06-01T08:00:00+05:30', '2027-06-01T02:30:00.000Z'],
    ['an offset to the west, into the next day', '2027-06-01T20:00:00-08:00', '2027-06-02T04:00:00.000Z'],
    ['hours and minutes', '2027-06-01T08:00Z', '2027-06-01T08:00:00.000Z'],
    ['small letters', '2027-06-01t08:00:00z', '2027-06-01T08:00:00.000Z'],
    ['a date: the end of that day in UTC', '2027-06-01', '2027-06-01T23:59:59.999Z'],
    ['today, as a date', '2027-03-10', '2027-03-10T23:59:59.999Z'],
    ['29 February of a leap year', '2028-02-29', '2028-02-29T23:59:59.999Z'],
  ])('may be given as %s', async (_, given, meant) => {
    const { expire } = await open('2027-03-10T12:00:00.000Z');
    expect(await expire(given)).toBe(meant);
  });

  it.each([
    ['missing', undefined, required],
    ['null', null, required],
    ['empty', '', required],
    ['a word', 'tomorrow', form],
    ['a blank', ' ', form],
    ['surrounded by blanks', ' 2027-06-01T08:00:00Z ', form],
    ['followed by a line break', '2027-06-01\n', form],
    ['epoch milliseconds', 1_811_836_800_000, form],
    ['digits in text', '1811836800000', form],
    ['a time without zone', '2027-06-01T08:00:00', form],
    ['a blank for the T', '2027-06-01 08:00:00Z', form],
    ['31 February', '2027-02-31T08:00:00Z', form],
    ['29 February of an ordinary year', '2027-02-29', form],
    ['a 13th month', '2027-13-01', form],
    ['a zeroth day', '2027-06-00', form],
    ['the hour 24', '2027-06-01T24:00:00Z', form],
    ['the minute 60', '2027-06-01T08:60:00Z', form],
    ['a leap second', '2027-06-30T23:59:60Z', form],
    ['an offset of 24 hours', '2027-06-01T08:00:00+24:00', form],
    ['an offset without colon', '2027-06-01T08:00:00+0530', form],
    ['another order', '01/06/2027', form],
    ['a week date', '2027-W23', form],
    ['an RFC 2822 date', 'Tue, 01 Jun 2027 08:00:00 GMT', form],
    ['a year of six digits', '+002027-06-01T08:00:00Z', form],
    ['other digits', '２０２７-06-01', form],
    ['an invalid Date', new Date(Number.NaN), form],
    ['an object', { toString: () => '2027-06-01' }, form],
    ['an array', ['2027-06-01'], form],
    ['true', true, form],
    ['the year 0', '0000-01-01', future],
    ['the year 99', '0099-06-01', future],
    ['the year 9999', '9999-12-31', oneYear],
    ['the last Date there is', new Date(8.64e15), oneYear],
    ['the first Date there is', new Date(-8.64e15), future],
  ])('must not be %s', async (_, given, message) => {
    const { expire } = await open('2027-03-10T12:00:00.000Z');
    expect(await messageOf(expire(given))).toBe(message);
  });

  it('means the same moment in every zone', async () => {
    const { expire } = await open('2027-03-10T12:00:00.000Z');
    const moments = fc.date({
      noInvalidDate: true,
      min: new Date('2027-03-10T12:00:00.001Z'),
      max: new Date('2028-03-10T23:59:59.999Z'),
    });
    await fc.assert(
      fc.asyncProperty(moments, fc.integer({ min: -14 * 60, max: 14 * 60 }), async (moment, offsetMinutes) => {
        const local = new Date(moment.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(offsetMinutes);
        const two = (value: number) => String(value).padStart(2, '0');
        const offset = `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        expect(await expire(local + offset)).toBe(moment.toISOString());
      }),
      { numRuns: 100 },
    );
  });

  it('may be wrong together with the name: both are said', async () => {
    const { apiKeys } = await open('2027-03-10T12:00:00.000Z');
    const refusal = await refusalOf(apiKeys.create(ada, { name: ' ', expiresOn: '2027-03-09' }));
    expect(refusal.fieldErrors).toEqual([
      { field: 'name', message: 'API key name is required.' },
      { field: 'expiresOn', message: future },
    ]);
    expect(refusal.message).toBe(`API key name is required. ${future}`);
  });
});
