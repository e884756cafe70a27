import { parseQuota, parseWait, type WaitFormat } from '../../contract/index.js';
import { headerValue, type WireResponse } from '../http/wire.js';
import type { Announcement } from './quota/announcement.js';
import type { Remaining } from './quota/remaining.js';

/** Headers in which a connector says how much of the quota is left. */
export interface RemainingOptions {
  /** The header with the number of requests left, such as `x-ratelimit-remaining`. */
  header: string;
  /** The header that says when the quota is full again, such as `x-ratelimit-reset`. */
  resetHeader: string;
  /** How that time is written (rule W4). @default 'auto': seconds or an HTTP-date */
  resetFormat?: WaitFormat | undefined;
}

type Headers = WireResponse['headers'];

/** Whether the response carries the wait header, which turns a 403 or 503 into a rate limit (rule W2). */
export function hasWait(headers: Headers, header: string): boolean {
  return headerValue(headers, header.toLowerCase()) !== undefined;
}

/** The wait in milliseconds; `undefined` if the header is absent (429) or invalid: the fallback applies (rule W6). */
export function readWait(
  headers: Headers,
  { header, format }: { header: string; format: WaitFormat | undefined },
  now: number,
): number | undefined {
  const date = headerValue(headers, 'date');
  const age = headerValue(headers, 'age');
  return parseWait(headerValue(headers, header.toLowerCase()), { format, now, date, age }).waitMs;
}

/** Reads how much is left; `undefined` when one of the two headers is missing or invalid. */
export function readRemaining(
  headers: Headers,
  { header, resetHeader, resetFormat }: Required<RemainingOptions>,
  now: number,
): Omit<Remaining, 'name'> | undefined {
  const text = headerValue(headers, header.toLowerCase())?.trim();
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  const resetMs = readWait(headers, { header: resetHeader, format: resetFormat }, now);
  return resetMs === undefined ? undefined : { left: Number(text), resetMs };
}

/** Reads `RateLimit-Policy` and `RateLimit` (rule W8); `undefined` when they say nothing usable. */
export function readAnnouncement(headers: Headers): Announcement | undefined {
  const policy = headerValue(headers, 'ratelimit-policy');
  const current = headerValue(headers, 'ratelimit');
  if (policy === undefined && current === undefined) return undefined;
  const quota = parseQuota({ policy, current });
  const remaining = quota.current
    .flatMap(({ name, left, resetMs }) => (resetMs === undefined ? [] : { name, left, resetMs }))
    .sort((a, b) => b.left - a.left || a.resetMs - b.resetMs);
  return quota.policies.length + remaining.length === 0 ? undefined : { policies: quota.policies, remaining };
}
