import { formatWait, parseWait, type WaitFormat, waitFormats } from 'concordat';
import * as fc from 'fast-check';
import type { FuzzTarget } from './fuzz-target.js';
import { long, mutated, text, weighted } from './texts.js';
import { acceptableWaits } from './wait-oracle.js';

export interface WaitCase {
  readonly value: string;
  readonly format: WaitFormat;
  readonly now: number;
  readonly date: string | undefined;
  readonly age: string | undefined;
  /** A wait of our own, to be written and read again. */
  readonly wait: number;
}

const yearMs = 365.25 * 86_400_000;
const moment = fc.integer({ min: 0, max: 130 * 365 * 86_400 }).map((seconds) => new Date(seconds * 1000));

/** The three forms of RFC 9110, 5.6.7. */
const httpDate = fc.tuple(moment, fc.constantFrom('imf', 'rfc850', 'asctime')).map(([date, form]) => {
  const imf = date.toUTCString();
  const [, day, month, year, time] = imf.split(/,? /) as [string, string, string, string, string];
  if (form === 'imf') return imf;
  if (form === 'asctime') return `${imf.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(date);
  return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
});

const isoTime = fc
  .tuple(moment, fc.constantFrom('Z', '+00:00', '-0330', '+23:59', '+24:00', ''), fc.constantFrom(10, 16, 19, 23))
  .map(([date, zone, length]) => date.toISOString().slice(0, length) + zone);

const digits = fc.oneof(
  fc.nat().map(String),
  moment.map((date) => String(date.getTime())),
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 30 }),
);
const one = fc.oneof(digits, httpDate, isoTime);
const blanks = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 3 });
const padded = fc.tuple(blanks, one, blanks).map((parts) => parts.join(''));
const joined = fc.array(fc.oneof(padded, one, text), { minLength: 2, maxLength: 5 }).map((items) => items.join(','));
const pieces = fc.oneof(one, fc.constantFrom(' ', '\t', ',', '1', 'Sat,', ', ', '-', ':', '.'), text);

const value = weighted<string>([6, mutated(one)], [3, padded], [4, mutated(joined)], [2, text], [1, long(pieces)]);
const rarely = (arbitrary: fc.Arbitrary<string>) => weighted([3, fc.constant(undefined)], [1, arbitrary]);

export const waitHeader: FuzzTarget<WaitCase, typeof parseWait> = {
  name: 'wait-header',
  cases: fc.record({
    value,
    format: fc.constantFrom(...waitFormats),
    now: moment.map((date) => date.getTime()),
    date: rarely(weighted<string>([20, mutated(httpDate)], [4, padded], [1, long(pieces)])),
    age: rarely(fc.oneof(fc.constant('0'), text)),
    wait: fc.integer({ min: 0, max: 10 * yearMs }),
  }),
  open: async () => ({ reader: parseWait }),
  judge(read, given) {
    const { value: header, format, now, date, age, wait } = given;
    const options = { format, now, date, age };
    const complaint = judgeResult(read(header, options), acceptableWaits(header, options));
    if (complaint !== undefined) return complaint;
    const written = formatWait(wait, { format, now });
    const again = read(written, { format, now });
    if (again.waitMs === undefined || again.waitMs < wait) {
      return `Our own ${written} for ${wait} ms is read as ${JSON.stringify(again)}`;
    }
    return undefined;
  },
  defects: {
    'reads -3 as 3': (read) => (header, options) => read(header?.replace(/^-/, ''), options),
    'takes the last of repeated headers': (read) => (header, options) => read(header?.split(',').at(-1), options),
    'does not look at the Date header': (read) => (header, options) => read(header, { ...options, date: undefined }),
    'throws for NUL': (read) => (header, options) => {
      if (header?.includes('\0')) throw new Error('NUL');
      return read(header, options);
    },
  },
};

function judgeResult(result: ReturnType<typeof parseWait>, acceptable: readonly (number | undefined)[]) {
  const shown = `It answered ${JSON.stringify(result)}`;
  const { waitMs, invalid } = result;
  if (waitMs === undefined) {
    if (typeof invalid !== 'string' || invalid === '' || invalid.length > 700) return `${shown}, which says nothing`;
  } else if (invalid !== undefined || !Number.isFinite(waitMs) || waitMs < 0) {
    return `${shown}, which is no wait`;
  }
  const isRight = acceptable.some((expected) =>
    expected === undefined || waitMs === undefined ? expected === waitMs : Math.abs(expected - waitMs) < 0.01,
  );
  return isRight ? undefined : `${shown}; rule W4 makes it ${acceptable.join(' or ')}`;
}
