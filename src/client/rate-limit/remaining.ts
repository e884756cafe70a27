import { parseQuota, parseWait, type WaitFormat } from '../../contract/index.js';
import { headerValue, type WireResponse } from '../http/wire.js';
import type { Announcement, Remaining } from './quota/announced.js';

/** Headers in which a connector says what is left of the quota, for connectors that do. */
export interface RemainingOptions {
  /** The header with the number of requests that are left, such as `x-ratelimit-remaining`. */
  header: string;
  /** The header that says when the quota is whole again, such as `x-ratelimit-reset`. */
  resetHeader: string;
  /** How that is written (rule W4). @default 'auto': seconds or an HTTP-date */
  resetFormat?: WaitFormat | undefined;
}

/** Reads what is left; `undefined` where one of the two headers is missing or makes no sense. */
export function readRemaining(
  headers: WireResponse['headers'],
  options: Required<RemainingOptions>,
  now: number,
): Remaining | undefined {
  const text = headerValue(headers, options.header.toLowerCase())?.trim();
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  const reset = parseWait(headerValue(headers, options.resetHeader.toLowerCase()), {
    format: options.resetFormat,
    now,
    date: headerValue(headers, 'date'),
    age: headerValue(headers, 'age'),
  });
  return reset.waitMs === undefined ? undefined : { left: Number(text), resetMs: reset.waitMs };
}

/** Reads `RateLimit-Policy` and `RateLimit` (rule W8); `undefined` where they say nothing that can be used. */
export function readAnnouncement(headers: WireResponse['headers']): Announcement | undefined {
  const policy = headerValue(headers, 'ratelimit-policy');
  const left = headerValue(headers, 'ratelimit');
  if (policy === undefined && left === undefined) return undefined;
  const { policies, current } = parseQuota({ policy, current: left });
  const told = current.flatMap(({ left, resetMs }) => (resetMs === undefined ? [] : { left, resetMs }));
  const [remaining] = told.sort((one, other) => one.left - other.left || other.resetMs - one.resetMs);
  return policies.length === 0 && remaining === undefined ? undefined : { policies, remaining };
}
