import { RateLimitError, type RequestLine } from '../../contract/index.js';
import { describeResponse, showResponse } from '../http/error-response.js';
import { type ErrorContent, readErrorContent } from '../http/read-error.js';
import type { WireResponse } from '../http/wire.js';
import type { Gate } from './gate.js';

export interface WaitLimits {
  onLimit: 'wait' | 'reject';
  maxWaitMs: number;
  maxTotalWaitMs: number;
}

/** Whether any call could refuse this wait: the quick check before {@link waitLimitError}. */
export function mayExceedWaitLimits(remainingMs: number, limits: WaitLimits): boolean {
  return (
    limits.onLimit === 'reject' || remainingMs > limits.maxWaitMs || limits.maxTotalWaitMs !== Number.POSITIVE_INFINITY
  );
}

/**
 * What a limit said. It keeps the response only if an error may be made of it: many calls may wait.
 *
 * @param facts `names` are headers that are secret whatever their value, in lower case.
 */
export function readLimit(
  { pause }: Pick<Gate, 'pause'>,
  response: WireResponse,
  { limits, secrets, names }: { limits: WaitLimits; secrets: readonly string[]; names: readonly string[] },
): ErrorContent {
  const content = readErrorContent(response, secrets, 'rate-limit');
  if (!mayExceedWaitLimits(pause.askedMs, limits)) return content;
  return { ...content, response: describeResponse(response, secrets, names) };
}

/**
 * The error of a call that does not wait: `onLimit` is `'reject'`, the pause is longer than `maxWaitMs`, or longer than
 * what is left of `maxTotalWaitMs` (rules W7, G5). A wait is never shortened: the error says when to come back.
 *
 * @returns `undefined` if the call waits.
 */
export function waitLimitError(
  { clock, pause }: Pick<Gate, 'clock' | 'pause'>,
  facts: {
    waitedMs: number;
    limits: WaitLimits;
    request: RequestLine;
    /** What the connector said, if this call met the limit itself. */
    content: ErrorContent | undefined;
  },
): RateLimitError | undefined {
  const { waitedMs, limits, request, content } = facts;
  const { askedMs: remainingMs, status } = pause;
  const reason = exceededLimit(remainingMs, waitedMs, limits);
  if (reason === undefined) return undefined;
  const { resumeAt = new Date(clock.now()) } = pause;
  const message = `${content?.message ?? pausedMessage} (until ${resumeAt.toISOString()}: ${reason})`;
  return toRateLimitError(message, { remainingMs, resumeAt, request, content, status });
}

/** What the error of a call says that has not met the limit itself. */
const pausedMessage = 'The connection is paused by a rate limit.';

function exceededLimit(remainingMs: number, waitedMs: number, limits: WaitLimits): string | undefined {
  if (limits.onLimit === 'reject') return "not waited for, because `onLimit` is 'reject'";
  if (remainingMs > limits.maxWaitMs) return 'longer than `maxWaitMs` allows';
  if (waitedMs + remainingMs > limits.maxTotalWaitMs) return 'longer than `maxTotalWaitMs` allows';
  return undefined;
}

/** The typed error of a limit that the call does not wait out, with what the connector said, to it or to another call. */
export function toRateLimitError(
  message: string,
  facts: {
    remainingMs: number;
    resumeAt: Date;
    request: RequestLine;
    content?: ErrorContent | undefined;
    status?: number | undefined;
  },
): RateLimitError {
  const { remainingMs, resumeAt, request, content, status = 403 } = facts;
  const error = new RateLimitError(message, {
    status: (content?.status ?? status) as 403 | 429 | 503,
    retryAfterMs: Math.ceil(remainingMs), // a timer or a column for whole numbers would cut the fraction
    resumeAt,
    code: content?.code,
    detail: content?.detail,
    origin: content?.origin,
    request,
  });
  return content?.response === undefined ? error : showResponse(error, content.response);
}

/** The rate limit of a login, for one of the calls that waited for it: each adds its own `attempts`. */
export function copyLimitError(error: RateLimitError): RateLimitError {
  const { status, method, path, response } = error;
  if (method === undefined || path === undefined) return error; // the host's own, from a login function
  const copy = new RateLimitError(error.toPayload().errors.message, {
    ...error,
    status: status as 403 | 429 | 503,
    cause: error.cause,
    request: { method, path },
  });
  return response === undefined ? copy : showResponse(copy, response);
}

/** What a call that is not on its way waits for, in the words of its error. */
export type WaitsFor = 'a free place' | 'a login' | 'its session' | 'its body' | 'a retry';

/** Why a call is not done yet (rule G5). */
export interface HoldUp {
  /** Completes a message; empty if the call is on its way. */
  readonly note: string;
  /** The rate limit or the quota that it waits for, or else what failed last. */
  readonly cause: Error | undefined;
}

/**
 * @param login where the last one went and, while it is in progress, why it was retried.
 * @param trouble why the call itself was retried last.
 */
export function describeHoldUp(
  waitsFor: WaitsFor | undefined,
  { lane, request }: { lane: { gate: Gate }; request: RequestLine },
  { login, trouble }: { login: { gate?: Gate; trouble?: Error | undefined }; trouble: Error | undefined },
): HoldUp {
  const lastFailure = (waitsFor === 'a login' ? login.trouble : undefined) ?? trouble;
  if (waitsFor === undefined) return { note: '', cause: lastFailure };
  const isAtGate = waitsFor === 'a free place';
  const needsSession = waitsFor === 'a login' || waitsFor === 'its session';
  const { clock, pause, roomAt } = needsSession && login.gate?.pause.on ? login.gate : lane.gate;
  const pausedUntil = isAtGate || needsSession ? pause.resumeAt : undefined;
  // A quota holds back no login.
  const resumeAt = pausedUntil ?? (isAtGate ? roomAt : undefined);
  if (resumeAt === undefined) return { note: ` (waiting for ${waitsFor})`, cause: lastFailure };
  const remainingMs = Math.max(0, resumeAt.getTime() - clock.now());
  const [wait, message] = pause.on
    ? ['paused by a rate limit', pausedMessage]
    : ['waiting for its turn in the quota', 'The quota of the connection is used up.'];
  const cause = toRateLimitError(message, { remainingMs, resumeAt, request, status: pause.status });
  return { note: ` (${wait} until ${resumeAt.toISOString()})`, cause };
}
