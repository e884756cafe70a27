import { latestDateMs, oneOf, parseIsoTime } from '../internal/index.js';
import { formatHttpDate, parseHttpDate } from './http-date.js';

/** How a wait is written in a header (rule W4). `auto` reads delta-seconds or an HTTP-date. */
export const waitFormats = [
  'auto',
  'seconds',
  'milliseconds',
  'http-date',
  'epoch-seconds',
  'epoch-milliseconds',
  'iso-8601',
] as const;
export type WaitFormat = (typeof waitFormats)[number];

export const waitFormatOption = oneOf(waitFormats);

export interface ParseWaitOptions {
  /** @default 'auto' */
  format?: WaitFormat | undefined;
  /** Local time, epoch milliseconds. @default Date.now() */
  now?: number | undefined;
  /** The response's raw `Date` header: absolute times are measured against it (rule W5). */
  date?: string | null | undefined;
  /** The response's raw `Age` header: it marks a cached response, whose `Date` is ignored. */
  age?: string | null | undefined;
}

/** The value of numbers with more digits than a double holds. */
const longestWaitMs = Number.MAX_SAFE_INTEGER;

/** A longer value is not a wait (rule E8): numbers and times are far shorter. */
export const maxWaitCharacters = 1024;

/**
 * Reads the value of a wait header strictly (rules W4, W5). Of repeated headers, joined by commas, the longest valid wait
 * is used. A time in the past is a wait of zero. A value over 1,024 characters is invalid (rule E8).
 *
 * @returns the wait in milliseconds, or why the value cannot be read. Never throws for a bad value.
 * @throws TypeError when `format` is not one of {@link waitFormats}, or `now` is not a number.
 * @example
 * parseWait('120') // { waitMs: 120000 }
 * parseWait('1.5') // { invalid: '…' }
 */
export function parseWait(
  value: string | null | undefined,
  options: ParseWaitOptions = {},
): { waitMs: number; invalid?: undefined } | { invalid: string; waitMs?: undefined } {
  const format = checkWaitFormat(options.format ?? 'auto');
  if (typeof value !== 'string') return { invalid: 'there is no value' };
  const now = checkNow(options.now);
  if (value.length > maxWaitCharacters) return { invalid: `it is longer than ${maxWaitCharacters} characters` };
  const reference = referenceTime(options, now);
  let longest: number | undefined;
  for (const item of splitJoined(value)) {
    const waitMs = readers[format](item, reference);
    if (waitMs !== undefined) longest = Math.max(longest ?? 0, Math.min(waitMs, longestWaitMs));
  }
  if (longest !== undefined) return { waitMs: longest };
  return { invalid: `${JSON.stringify(value.slice(0, 80))} is not ${expectation[format]}` };
}

/**
 * Writes a wait for a header. Seconds are rounded up, so that the service never returns too early, and a positive wait is
 * never written as zero. `auto` writes seconds.
 *
 * @param waitMs milliseconds, zero or more.
 * @throws TypeError when `waitMs` or `now` is not such a number, or `format` is unknown.
 * @example
 * formatWait(1500) // '2'
 */
export function formatWait(
  waitMs: number,
  options: { format?: WaitFormat | undefined; now?: number | undefined } = {},
): string {
  const format = checkWaitFormat(options.format ?? 'auto');
  if (typeof waitMs !== 'number' || Number.isNaN(waitMs) || waitMs < 0) {
    throw new TypeError(`\`waitMs\` must be a number of milliseconds, zero or more, got ${String(waitMs)}.`);
  }
  const wait = Math.min(waitMs, longestWaitMs);
  const due = Math.min(wait + checkNow(options.now), latestDateMs);
  switch (format) {
    case 'milliseconds':
      return String(Math.ceil(wait));
    case 'http-date':
      return formatHttpDate(Math.min(due, Date.UTC(9999, 11, 31, 23, 59, 59)));
    case 'epoch-seconds':
      return String(Math.ceil(due / 1000));
    case 'epoch-milliseconds':
      return String(Math.ceil(due));
    case 'iso-8601':
      return new Date(Math.ceil(Math.min(due, Date.UTC(9999, 11, 31, 23, 59, 59)))).toISOString();
    default:
      return String(Math.ceil(wait / 1000));
  }
}

/** @throws TypeError naming `format` when it is not one of {@link waitFormats}. */
function checkWaitFormat(format: unknown): WaitFormat {
  if (waitFormats.includes(format as WaitFormat)) return format as WaitFormat;
  throw new TypeError(`\`format\` must be one of ${waitFormats.join(', ')}, got ${JSON.stringify(format)}.`);
}

function checkNow(now = Date.now()): number {
  if (Number.isFinite(now)) return now;
  throw new TypeError(`\`now\` must be a time in epoch milliseconds, got ${String(now)}.`);
}

const expectation: Record<WaitFormat, string> = {
  auto: 'a number of seconds or an HTTP-date',
  seconds: 'a number of seconds',
  milliseconds: 'a number of milliseconds',
  'http-date': 'an HTTP-date',
  'epoch-seconds': 'a time in seconds since 1970',
  'epoch-milliseconds': 'a time in milliseconds since 1970',
  'iso-8601': 'an ISO 8601 time with its zone',
};

function referenceTime(options: ParseWaitOptions, now: number): number {
  const { date, age } = options;
  if (typeof date !== 'string' || date.length > maxWaitCharacters || typeof age === 'string') return now;
  return parseHttpDate(date.trim(), now) ?? now;
}

const weekdayName = /^[ \t]*(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat|(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day)$/;

/** Splits at commas, but not at the one that follows the weekday in an HTTP-date. */
function splitJoined(value: string): string[] {
  const items: string[] = [];
  for (const piece of value.split(',')) {
    const last = items.at(-1);
    if (last !== undefined && weekdayName.test(last) && /^ \d/.test(piece))
      items[items.length - 1] = `${last},${piece}`;
    else items.push(piece);
  }
  // Linear: without the look-behind, each blank of many would be tried as a beginning (rule E8).
  return items.map((item) => item.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''));
}

const readers: Record<WaitFormat, (item: string, reference: number) => number | undefined> = {
  auto: (item, reference) => readDigits(item, 1000) ?? until(parseHttpDate(item, reference), reference),
  seconds: (item) => readDigits(item, 1000),
  milliseconds: (item) => readDigits(item, 1),
  'http-date': (item, reference) => until(parseHttpDate(item, reference), reference),
  'epoch-seconds': (item, reference) => until(readDigits(item, 1000), reference),
  'epoch-milliseconds': (item, reference) => until(readDigits(item, 1), reference),
  // Some systems write the zone without a colon.
  'iso-8601': (item, reference) => until(parseIsoTime(item.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')), reference),
};

function until(epochMs: number | undefined, reference: number): number | undefined {
  return epochMs === undefined ? undefined : Math.max(0, epochMs - reference);
}

function readDigits(text: string, unitMs: number): number | undefined {
  return /^[0-9]+$/.test(text) ? Number(text) * unitMs : undefined;
}
