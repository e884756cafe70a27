const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** `21 Nov 2026`. All times of the administration are in UTC. */
export function formatDate(time: string | number): string {
  const date = new Date(time);
  return `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** `21 Nov 2026, 09:05` */
export function formatMinute(time: string | number): string {
  return `${formatDate(time)}, ${new Date(time).toISOString().slice(11, 16)}`;
}

/** `21 Nov 2026, 09:05:59 UTC` */
export function formatExact(time: string | number): string {
  return `${formatDate(time)}, ${new Date(time).toISOString().slice(11, 19)} UTC`;
}

/** `in 5 days`, `2 hours ago`: whole units, rounded down; only months and years are rounded to the nearest. */
export function formatRelative(time: string | number, nowMs: number): string {
  const differenceMs = new Date(time).getTime() - nowMs;
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs < minuteMs) return differenceMs <= 0 ? 'just now' : 'in less than a minute';
  const [unit, unitMs] = unitFor(distanceMs);
  const count = distanceMs / unitMs;
  return relativeFormat.format(
    Math.sign(differenceMs) * (unitMs > dayMs ? Math.round(count) : Math.floor(count)),
    unit,
  );
}

function unitFor(distanceMs: number): [Intl.RelativeTimeFormatUnit, number] {
  if (distanceMs < hourMs) return ['minute', minuteMs];
  if (distanceMs < dayMs) return ['hour', hourMs];
  if (distanceMs < 60 * dayMs) return ['day', dayMs];
  if (distanceMs < 730 * dayMs) return ['month', 30.4375 * dayMs];
  return ['year', 365.25 * dayMs];
}

/** For `<input type="datetime-local">`: `2026-11-21T09:05`, in UTC. */
export function formatForInput(time: string | number): string {
  return new Date(time).toISOString().slice(0, 16);
}
