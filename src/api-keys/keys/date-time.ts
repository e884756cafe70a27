const hourAndMinute = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const dateTimePattern = new RegExp(
  `^(\\d{4}-\\d{2}-\\d{2})(T${hourAndMinute}(?::[0-5]\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]${hourAndMinute}))?$`,
);
const ofDay = { start: 'T00:00:00.000Z', end: 'T23:59:59.999Z' };

/**
 * Epoch milliseconds of a `Date`, of ISO 8601 with an offset, or of a date, which means the start or the end of that day
 * in UTC; otherwise `NaN`. `Date.parse` alone would accept local times and move 31 February into March.
 */
export function readDateTime(value: unknown, dateMeans: keyof typeof ofDay): number {
  if (value instanceof Date) return value.getTime();
  const text = typeof value === 'string' ? value.toUpperCase() : '';
  const [, date, time] = dateTimePattern.exec(text) ?? [];
  if (date === undefined) return Number.NaN;
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return Number.NaN;
  return Date.parse(time === undefined ? date + ofDay[dateMeans] : text);
}
