import { parseIsoTime } from '../internal/index.js';

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const shortDay = '(?<day>Sun|Mon|Tue|Wed|Thu|Fri|Sat)';
const month = `(?<month>${months.join('|')})`;
const time = '(?<time>\\d{2}:\\d{2}:\\d{2})';

/** RFC 9110, 5.6.7: IMF-fixdate, and the two obsolete forms that a recipient must accept. */
const forms = [
  new RegExp(`^${shortDay}, (?<date>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^(?<day>${weekdays.join('|')}), (?<date>\\d{2})-${month}-(?<shortYear>\\d{2}) ${time} GMT$`),
  new RegExp(`^${shortDay} ${month} (?<date>\\d{2}| \\d) ${time} (?<year>\\d{4})$`),
];

/**
 * Reads an HTTP-date strictly: one of its three forms, an existing date, the right weekday (rule W4).
 *
 * @param now epoch milliseconds, for a two-digit year: one that seems more than 50 years ahead is in the past.
 * @returns epoch milliseconds, or `undefined`.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts) return toEpoch(parts as Parts, now);
  }
  return undefined;
}

/** Writes an IMF-fixdate, rounded up to a whole second. */
export function formatHttpDate(epochMs: number): string {
  return new Date(Math.ceil(epochMs / 1000) * 1000).toUTCString();
}

type Parts = Record<'day' | 'date' | 'month' | 'time', string> & { year?: string; shortYear?: string };

function toEpoch(parts: Parts, now: number): number | undefined {
  if (parts.year !== undefined) return inYear(parts, Number(parts.year));
  // A two-digit year: of the years it may mean, the latest that is not more than 50 years ahead (RFC 9110, 5.6.7).
  const horizon = new Date(now);
  horizon.setUTCFullYear(horizon.getUTCFullYear() + 50);
  const century = Math.floor(horizon.getUTCFullYear() / 100) * 100;
  const year = century + Number(parts.shortYear);
  const isAhead = (inYear(parts, year, false) ?? Number.POSITIVE_INFINITY) > horizon.getTime();
  return inYear(parts, isAhead ? year - 100 : year);
}

function inYear({ day, date, month, time }: Parts, year: number, checkWeekday = true): number | undefined {
  const [yyyy, mm] = [String(year).padStart(4, '0'), String(months.indexOf(month) + 1).padStart(2, '0')];
  const isLeapSecond = time === '23:59:60';
  const epochMs = parseIsoTime(`${yyyy}-${mm}-${date.replace(' ', '0')}T${isLeapSecond ? '23:59:59' : time}Z`);
  if (epochMs === undefined) return undefined;
  if (checkWeekday && !weekdays[new Date(epochMs).getUTCDay()]?.startsWith(day)) return undefined;
  return isLeapSecond ? epochMs + 1000 : epochMs;
}
