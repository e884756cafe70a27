const isoTime =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Whether the text is a day of the calendar, such as `2027-01-31`. */
export function isIsoDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

/**
 * Epoch milliseconds, with their fraction, of an ISO 8601 time: seconds are optional, the zone is not. `undefined` otherwise.
 * `Date.parse` alone would accept local times and move 31 February into March.
 */
export function parseIsoTime(text: string): number | undefined {
  const [, date = '', fraction = ''] = isoTime.exec(text) ?? [];
  return isIsoDate(date) ? Date.parse(text.replace(fraction, '')) + Number(`0${fraction}`) * 1000 : undefined;
}
