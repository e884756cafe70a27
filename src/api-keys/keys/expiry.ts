import { type FieldReading, wrongField } from '../api-key-error.js';
import { readDateTime } from './date-time.js';

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
  return new Date(Date.UTC(year, month, Math.min(today.getUTCDate(), lastDayOfMonth), 23, 59, 59, 999));
}

/** Reads and checks an expiry (rule K4): epoch milliseconds, or what is wrong with it. */
export function readExpiry(value: unknown, nowMs: number): FieldReading<number> {
  const wrong = (message: string) => wrongField('expiresOn', message);
  if (value === undefined || value === null || value === '') return wrong('Expiry date is required.');
  const expiresOnMs = readDateTime(value, 'end');
  if (Number.isNaN(expiresOnMs)) {
    return wrong(
      'Expiry date must be a date that exists, or an ISO 8601 datetime with a time zone, such as 2027-01-31T18:00:00Z.',
    );
  }
  if (expiresOnMs <= nowMs) return wrong('Expiry date must be a future datetime.');
  if (expiresOnMs > maxExpiresOn(nowMs).getTime()) return wrong('Expiration date cannot exceed 1 year from today.');
  return { value: expiresOnMs };
}
