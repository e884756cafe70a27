import type { Completed } from '../probing/limits.js';
import type { Prober } from '../probing/prober.js';

/** A limit that is over within this part of its wait does not just have a margin. */
const farBefore = 0.1;

/** The values of a wait header that was sent several times, if they differ. A comma behind a weekday separates nothing. */
export function disagreeingWaits(value: string | null): string[] {
  const values = (value ?? '').split(/(?<!Mon|Tue|Wed|Thu|Fri|Sat|Sun|day),/).map((each) => each.trim());
  return new Set(values).size > 1 ? values : [];
}

/** What is wrong with a wait whose limit was over after `afterMs`; `undefined` when it may be a margin. */
export function overEarlyProblem(prober: Prober, limit: Completed, afterMs: number): string | undefined {
  const { header, format } = prober.settings.rateLimit;
  const value = limit.response.headers.get(header);
  const { waitMs = 0 } = prober.limits.waitOf(limit);
  if (value === null || afterMs > waitMs * farBefore || disagreeingWaits(value).length > 0) return undefined;
  return `${header}: ${value} asks to wait ${duration(waitMs)}, but the limit was already over after ${duration(afterMs)}. ${guess(value, format)}`;
}

function guess(value: string, format: string): string {
  if (!/^\d+$/.test(value.trim())) return 'Is it local time? An HTTP-date is in GMT';
  if (format !== 'auto' && format !== 'seconds') return `Is the unit wrong? It is read as ${format}`;
  const number = Number(value);
  if (isNow(number)) return 'The unit is wrong: this is a time in milliseconds since 1970';
  if (isNow(number * 1000)) return 'The unit is wrong: this is a time in seconds since 1970';
  return 'Is the unit wrong, milliseconds for seconds, or the value fixed?';
}

const isNow = (epochMs: number) => Math.abs(epochMs - Date.now()) < 7 * 24 * 3_600_000;

/** `90 s`, `25 min`, `498704548 hours` */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)} ms`;
  if (ms < 600_000) return `${Math.round(ms / 1000)} s`;
  return ms < 36_000_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} hours`;
}
