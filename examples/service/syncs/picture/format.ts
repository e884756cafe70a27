/** `42 s`, `2 min 5 s`, `1 h 3 min`, `2 days 4 h`. Rounded up, so that a wait is never shown shorter than it is. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.ceil(durationMs / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return parts(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 1440) return parts(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.ceil(minutes / 60);
  return parts(Math.floor(hours / 24), hours < 48 ? 'day' : 'days', hours % 24, 'h');
}

/** The same in full words, for who listens. */
export function sayDuration(durationMs: number): string {
  const words: Record<string, string> = { s: 'second', min: 'minute', h: 'hour', day: 'day', days: 'day' };
  return formatDuration(durationMs).replace(/(\d+) (\w+)/g, (_, count: string, unit: string) => {
    return `${count} ${words[unit]}${count === '1' ? '' : 's'}`;
  });
}

function parts(count: number, unit: string, rest: number, smallerUnit: string): string {
  return rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${smallerUnit}`;
}

/** `09:05:59`, in UTC like all times of the administration. */
export function formatTime(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 19);
}

/** `21 Nov 2026, 09:05:59` */
export function formatDateTime(timeMs: number): string {
  const date = new Date(timeMs);
  const month = date.toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  return `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}, ${formatTime(timeMs)}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** `1 request`, `3 requests` */
export function countOf(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** `0.4`, `3.5`, `24` */
export function formatRate(perSecond: number): string {
  if (perSecond === 0) return '0';
  return perSecond < 10 ? String(Math.max(0.1, Math.round(perSecond * 10) / 10)) : String(Math.round(perSecond));
}

/** `120 requests in 5.2 s`: a window is measured, so it is seldom round. */
export function formatQuota({ limit, windowMs }: { limit: number; windowMs: number }): string {
  const seconds = Math.round(windowMs / 100) / 10;
  const window = seconds < 10 ? `${seconds} s` : formatDuration(Math.round(windowMs / 1000) * 1000);
  return `${countOf(limit, 'request')} in ${window}`;
}
