import { type FailedRequest, RateLimitError } from '../../contract/index.js';
import { showResponse } from '../http/error-response.js';
import type { ErrorContent } from '../http/read-error.js';

/** What the options say of waiting. */
export interface WaitLimits {
  onLimit: 'wait' | 'reject';
  maxWaitMs: number;
  maxTotalWaitMs: number;
}

/** Whether a wait could be refused by any call: the quick check in front of {@link limitRefusal}. */
export function mayRefuseLimit(remainingMs: number, limits: WaitLimits): boolean {
  return (
    limits.onLimit === 'reject' || remainingMs > limits.maxWaitMs || limits.maxTotalWaitMs !== Number.POSITIVE_INFINITY
  );
}

/**
 * Whether a call gives up instead of sleeping: it is to be parked at any limit, the pause is longer than `maxWaitMs`, or too
 * long for what is left of `maxTotalWaitMs` (rules W7, G5). A wait is never shortened: the error says when to come back.
 */
export function limitRefusal(facts: {
  remainingMs: number;
  resumeAt: Date;
  /** What the call has waited before. */
  waitedMs: number;
  limits: WaitLimits;
  request: FailedRequest;
  /** What the connector said, where the call itself met the limit. */
  content?: ErrorContent | undefined;
}): RateLimitError | undefined {
  const { remainingMs, resumeAt, waitedMs, limits, content } = facts;
  const why = refusalReason(remainingMs, waitedMs, limits);
  if (why === undefined) return undefined;
  const message = content?.message ?? 'The connection is paused by a rate limit.';
  return toRateLimitError(`${message} (until ${resumeAt.toISOString()}: ${why})`, facts);
}

function refusalReason(remainingMs: number, waitedMs: number, limits: WaitLimits): string | undefined {
  if (limits.onLimit === 'reject') return "not waited for, because `onLimit` is 'reject'";
  if (remainingMs > limits.maxWaitMs) return 'longer than `maxWaitMs` allows to wait';
  if (waitedMs + remainingMs > limits.maxTotalWaitMs) return 'longer than `maxTotalWaitMs` allows to wait';
  return undefined;
}

/** The typed error of a limit that is not waited out, with what the connector said. */
export function toRateLimitError(
  message: string,
  facts: { remainingMs: number; resumeAt: Date; request: FailedRequest; content?: ErrorContent | undefined },
): RateLimitError {
  const { remainingMs, resumeAt, request, content } = facts;
  const error = new RateLimitError(message, {
    status: (content?.status ?? 403) as 403 | 429 | 503,
    retryAfterMs: remainingMs,
    resumeAt,
    code: content?.code,
    detail: content?.detail,
    origin: content?.origin,
    request,
  });
  return content?.response === undefined ? error : showResponse(error, content.response);
}
