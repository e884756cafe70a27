import type { FailedRequest } from '../../contract/index.js';
import { createRedact } from '../../internal/index.js';
import { closedError, RequestError, withoutQuotes } from '../errors.js';
import { originOf, withResponse } from '../http/error-response.js';
import { credentialSecrets, readErrorContent, sessionSecrets, toConnectorError } from '../http/read-error.js';
import { incompleteBody } from '../http/read-success.js';
import { BodyFailure } from '../http/sent-body.js';
import { headerValue, type SendOutcome, type WireResponse } from '../http/wire.js';
import { toRateLimitError } from '../rate-limit/refusal.js';
import type { Attempt } from './attempt.js';
import type { AnswerKind } from './release.js';

/** What came of an attempt. */
export interface Answer<Sent extends Attempt = Attempt, Kind extends AnswerKind = AnswerKind> {
  readonly attempt: Sent;
  readonly kind: Kind;
  readonly outcome: SendOutcome;
}

/** What came of an attempt that was no success. */
export type Setback<Sent extends Attempt = Attempt> = Answer<Sent, Exclude<AnswerKind, 'success'>>;

/** Whether it was a success whose body cannot be had. */
export function isBodyLost(kind: AnswerKind): kind is 'cut' | 'too-large' | 'packed' {
  return kind === 'cut' || kind === 'too-large' || kind === 'packed';
}

export function statusOf(outcome: SendOutcome): number | undefined {
  return outcome.type === 'answered' ? outcome.status : undefined;
}

/**
 * The error that a call ends with when this was its last attempt.
 *
 * @param secrets taken out of what the connector says (rule E5).
 * @param note what the caller should know beside.
 */
export function failureOf({ attempt, kind, outcome }: Answer, secrets: readonly string[], note = ''): unknown {
  const { request } = attempt;
  if (outcome.type === 'aborted') {
    // By the caller, or because the grace of `close()` is over.
    return attempt.signal?.aborted ? attempt.signal.reason : closedError(request);
  }
  if (outcome.type === 'timeout') {
    const message = `no whole answer within ${Math.ceil(attempt.timeoutMs)} ms${note}`;
    return new RequestError(message, { code: 'TIMEOUT', request });
  }
  if (outcome.type === 'failed' && outcome.error instanceof BodyFailure) {
    const { message, cause } = outcome.error;
    return new RequestError(message + note, { code: 'BODY_FAILED', request, cause });
  }
  if (outcome.type === 'failed') {
    const cause = withoutQuotes(outcome.error);
    return new RequestError(explain(outcome.error) + note, { code: 'NETWORK_ERROR', request, cause });
  }
  const response = outcome as WireResponse;
  // A tracer knows no more than the client's own secrets: those of the request come with it.
  const all = [...secrets, ...credentialSecrets(attempt.headers), ...sessionSecrets(attempt.session?.headers ?? {})];
  const error = errorOf({ attempt, kind, response }, all, note);
  // What comes with a status that is none is no answer of HTTP.
  return kind === 'unexpected' ? error : withResponse(error, response, all);
}

/** The error for what was answered. */
function errorOf(
  { attempt, kind, response }: { attempt: Attempt; kind: AnswerKind; response: WireResponse },
  secrets: readonly string[],
  note: string,
): Error {
  const { request } = attempt;
  const { status } = response;
  if (kind === 'redirect') return redirected(response, request, secrets);
  if (kind === 'unexpected') {
    const problem = status === 206 ? 'a part was sent that was not asked for' : 'HTTP has no such status';
    return new RequestError(problem, { code: 'UNEXPECTED_STATUS', request, status });
  }
  if (isBodyLost(kind)) return incompleteBody(response, request, { note, secrets });
  if (kind !== 'limit') return toConnectorError(response, request, readErrorContent(response, secrets), note);
  const content = readErrorContent(response, secrets, 'rate-limit');
  const { clock, pause } = attempt.lane.gate;
  const resumeAt = pause.resumeAt ?? new Date(clock.now());
  const remainingMs = Math.max(0, resumeAt.getTime() - clock.now());
  return toRateLimitError(content.message + note, { remainingMs, resumeAt, request, content });
}

interface Explained {
  code?: string;
  message?: string;
}

/**
 * Node's and undici's errors carry the point in `code`, fetch's in their cause's; aggregate errors (IPv4 and IPv6 refused)
 * have no message.
 */
export function explain(error: unknown): string {
  const { message, cause, code = cause?.code } = (error ?? {}) as Explained & { cause?: Explained };
  const text = message || cause?.message || 'the connection failed';
  return code && !text.includes(code) ? `${text} (${code})` : text;
}

/** Shows the origin that it leads to, and no more (rules E5, S7). */
function redirected(response: WireResponse, request: FailedRequest, secrets: readonly string[]): RequestError {
  const { status } = response;
  if (status === 304) {
    return new RequestError('the request had no condition that it answers', { code: 'REDIRECT', request, status });
  }
  const origin = originOf(headerValue(response.headers, 'location') ?? '');
  const target = origin === '' ? '' : ` to ${createRedact(secrets)(origin)}`;
  return new RequestError(
    `the connector redirects${target}; redirects are not followed, because session headers must not leave the origin`,
    { code: 'REDIRECT', request, status },
  );
}
