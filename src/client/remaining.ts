import { parseWait, type WaitFormat } from '../contract/index.js';
import { headerValue, type WireResponse } from './wire.js';

/** Headers in which a connector says what is left of the quota, for connectors that do. */
export interface RemainingOptions {
  /** The header with the number of requests that are left, such as `x-ratelimit-remaining`. */
  header: string;
  /** The header that says when the quota is whole again, such as `x-ratelimit-reset`. */
  resetHeader: string;
  /** How that is written (rule W4). @default 'auto': seconds or an HTTP-date */
  resetFormat?: WaitFormat;
}

/** What an answer says of the quota. */
export interface Remaining {
  readonly left: number;
  readonly resetMs: number;
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

/** What is left of a window, as the latest answers have it; answers may overtake each other. */
export interface KnownRemaining {
  readonly left: number;
  /** On the monotonic clock. */
  readonly resetsAt: number;
}

/**
 * Adds what one more answer says. Within one window the smallest number counts: a larger one is an older answer, unless it is
 * larger than requests in flight can explain.
 */
export function updateRemaining(
  known: KnownRemaining | undefined,
  answer: Remaining,
  inFlight: number,
  now: number,
): KnownRemaining {
  const told = { left: answer.left, resetsAt: now + answer.resetMs };
  if (known === undefined || now >= known.resetsAt || answer.left > known.left + inFlight + 1) return told;
  return answer.left < known.left ? told : known;
}
