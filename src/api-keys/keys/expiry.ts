import type { FieldReading } from '../api-key-error.js';

const field = 'expiresOn';
const dateTimePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[+-]\d{2}:\d{2}))?$/;
const lastMomentOfDay = [23, 59, 59, 999] as const;

/**
 * The latest expiry accepted at `now`: one calendar year later, to the end of that day in UTC. A year after 29 February
 * is 28 February (rule K4).
 *
 * @example
 * maxExpiresOn(new Date('2028-02-29T10:00:00Z')) // 2029-02-28T23:59:59.999Z
 */
export function maxExpiresOn(now: Date | number): Date {
  const today = new Date(now);
  const year = today.getUTCFullYear() + 1;
  const month = today.getUTCMonth();
  const lastDayOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(today.getUTCDate(), lastDayOfMonth), ...lastMomentOfDay));
}

/** Reads and checks an expiry (rule K4): epoch milliseconds, or what is wrong with it. */
export function readExpiry(value: unknown, nowMs: number): FieldReading<number> {
  if (value === undefined || value === null || value === '') return wrong('Expiry date is required.');
  const expiresOnMs = value instanceof Date ? value.getTime() : parseDateTime(value);
  if (Number.isNaN(expiresOnMs)) {
    return wrong('Expiry date must be an ISO 8601 datetime with a time zone, such as 2027-01-31T18:00:00Z.');
  }
  if (expiresOnMs <= nowMs) return wrong('Expiry date must be a future datetime.');
  if (expiresOnMs > maxExpiresOn(nowMs).getTime()) return wrong('Expiration date cannot exceed 1 year from today.');
  return { value: expiresOnMs };
}

function wrong(message: string): FieldReading<never> {
  return { error: { field, message } };
}

/**
 * ISO 8601 with an offset, or a bare date (the end of that day in UTC). `Date.parse` would take local times, and would
 * roll 31 February over into March.
 */
function parseDateTime(value: unknown): number {
  const match = typeof value === 'string' ? dateTimePattern.exec(value) : null;
  if (match === null) return Number.NaN;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  const time =
    hour === undefined
      ? lastMomentOfDay
      : ([
          Number(hour),
          Number(minute),
          Number(second ?? 0),
          Number((fraction ?? '').padEnd(3, '0').slice(0, 3)),
        ] as const);
  const fields = [Number(year), Number(month) - 1, Number(day), ...time] as const;
  const moment = new Date(0);
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  moment.setUTCFullYear(fields[0], fields[1], fields[2]);
  moment.setUTCHours(fields[3], fields[4], fields[5], fields[6]);
  const readBack = [
    moment.getUTCFullYear(),
    moment.getUTCMonth(),
    moment.getUTCDate(),
    moment.getUTCHours(),
    moment.getUTCMinutes(),
    moment.getUTCSeconds(),
  ];
  if (readBack.some((part, index) => part !== fields[index])) return Number.NaN;
  return moment.getTime() - offsetMs(offset);
}

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset.toUpperCase() === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
