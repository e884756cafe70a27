import { type FailedRequest, RateLimitError } from '../contract/index.js';
import type { ErrorContent } from './read-response.js';

/**
 * Whether a call gives up instead of sleeping: the pause is longer than `maxWaitMs`, or too long for what is left of
 * `maxTotalWaitMs` (rules W7, G5). A wait is never shortened: the error says when to come back.
 */
export function limitRefusal(facts: {
  remainingMs: number;
  resumeAt: Date;
  /** What the call has waited before. */
  waitedMs: number;
  limits: { maxWaitMs: number; maxTotalWaitMs: number };
  request: FailedRequest;
  /** What the connector said, where the call itself met the limit. */
  content?: ErrorContent | undefined;
}): RateLimitError | undefined {
  const { remainingMs, resumeAt, waitedMs, limits, content } = facts;
  const tooLong = remainingMs > limits.maxWaitMs;
  if (!tooLong && waitedMs + remainingMs <= limits.maxTotalWaitMs) return undefined;
  const option = tooLong ? 'maxWaitMs' : 'maxTotalWaitMs';
  const message = content?.message ?? 'The connection is paused by a rate limit.';
  return toRateLimitError(
    `${message} (until ${resumeAt.toISOString()}: longer than \`${option}\` allows to wait)`,
    facts,
  );
}

/** The typed error of a limit that is not waited out, with what the connector said. */
export function toRateLimitError(
  message: string,
  facts: { remainingMs: number; resumeAt: Date; request: FailedRequest; content?: ErrorContent | undefined },
): RateLimitError {
  const { remainingMs, resumeAt, request, content } = facts;
  return new RateLimitError(message, {
    status: (content?.status ?? 403) as 403 | 429 | 503,
    retryAfterMs: remainingMs,
    resumeAt,
    code: content?.code,
    detail: content?.detail,
    origin: content?.origin,
    request,
  });
}
