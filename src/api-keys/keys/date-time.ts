import { isIsoDate, parseIsoTime } from '../../internal/index.js';

const ofDay = { start: 'T00:00:00.000Z', end: 'T23:59:59.999Z' };

/** Epoch milliseconds of a `Date`, of ISO 8601 with an offset, or of the start or end of a day in UTC; or `NaN`. */
export function readDateTime(value: unknown, dateMeans: keyof typeof ofDay): number {
  if (value instanceof Date) return value.getTime();
  const given = typeof value === 'string' ? value.toUpperCase() : '';
  const text = isIsoDate(given) ? given + ofDay[dateMeans] : given;
  return parseIsoTime(text) === undefined ? Number.NaN : Date.parse(text); // in whole milliseconds
}
