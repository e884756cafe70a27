import type { WaitStyle } from './schedule.js';
import type { AskedWait } from './trace.js';

/** What the calendar of connector and client says when a run begins. */
export const startMs = Date.UTC(2026, 10, 21, 9);

/** A wait as it was written. */
export type WrittenWait =
  | { source: 'seconds'; waitMs: number }
  | { source: 'fallback' }
  /** Measured against `against`, or the client's own calendar at the moment of delivery (rule W5). */
  | { source: 'date'; until: number; against: number | undefined };

const broken = ['soon', '-3', '1.5', '0x10', '60abc', 'Fri, 31 Feb 2026 00:00:00 GMT', '+5', 'NaN'];

/** Writes a limit that lasts `remainingMs` more in one of the ways that connectors do. */
export function writeWait(style: WaitStyle, number: number, remainingMs: number, monotonic: number) {
  const seconds = Math.max(1, Math.ceil(remainingMs / 1000));
  const wall = startMs + monotonic;
  const until = Math.ceil((wall + remainingMs) / 1000) * 1000;
  const answer = (value: string | string[], wait: WrittenWait, status = 403) => ({
    status,
    headers: { 'retry-after': value } as { [name: string]: string | string[] },
    wait,
  });
  const inSeconds = (count: number, status?: number) =>
    answer(String(count), { source: 'seconds', waitMs: count * 1000 }, status);
  const fallback = { source: 'fallback' } as const;
  switch (style) {
    case 'exact':
      return inSeconds(seconds);
    case 'zero':
      return inSeconds(0);
    case 'long':
      return inSeconds(45);
    case 'huge':
      return inSeconds(99_999_999_999);
    case '429':
      return inSeconds(seconds, 429);
    case '503':
      return inSeconds(seconds, 503);
    case '429-bare':
      return { status: 429, headers: {}, wait: fallback };
    case 'invalid':
      return answer(broken[number % broken.length] as string, fallback);
    case 'empty':
      return answer('', fallback);
    case 'duplicated':
      return answer(['0', String(seconds), '1'], { source: 'seconds', waitMs: Math.max(seconds, 1) * 1000 });
    case 'past':
      return answer('Thu, 01 Jan 1970 00:00:00 GMT', { source: 'date', until: 0, against: undefined });
    case 'date':
      return answer(new Date(until).toUTCString(), { source: 'date', until, against: undefined });
    case 'dated': {
      const date = Math.floor(wall / 1000) * 1000;
      const written = answer(new Date(until).toUTCString(), { source: 'date', until, against: date });
      return { ...written, headers: { ...written.headers, date: new Date(date).toUTCString() } };
    }
  }
}

/** What a wait comes to when it is delivered, by the client's calendar. */
export function toAskedWait(wait: WrittenWait, clientNow: number, fallbackWaitMs: number): AskedWait {
  if (wait.source === 'seconds') return wait;
  if (wait.source === 'fallback') return { source: 'fallback', waitMs: fallbackWaitMs };
  return { source: 'date', waitMs: Math.max(0, wait.until - (wait.against ?? clientNow)) };
}
