import { cleanMessage, type RateLimitError, type RequestLine } from '../../contract/index.js';
import { createRedact, isBytes, querySecrets } from '../../internal/index.js';
import { closedError, RequestError, tooLargeError, withoutQuotes } from '../errors.js';
import { shownTarget, withResponse } from '../http/error-response.js';
import { UnusableResponse } from '../http/fetch.js';
import {
  credentialSecrets,
  readErrorContent,
  secretNames,
  sessionSecrets,
  toConnectorError,
} from '../http/read-error.js';
import { withoutQuery } from '../http/request-target.js';
import { BodyFailure } from '../http/streamed-upload.js';
import { headerValue, type SendOutcome, type WireResponse } from '../http/wire.js';
import { toRateLimitError } from '../rate-limit/wait-limits.js';
import type { Attempt, FinishedAttempt, OutcomeKind } from './run.js';

export function isBodyLost(kind: OutcomeKind): kind is 'truncated' | 'too-large' | 'undecodable' {
  return kind === 'truncated' || kind === 'too-large' || kind === 'undecodable';
}

export function statusOf(outcome: SendOutcome): number | undefined {
  return outcome.type === 'response' ? outcome.status : undefined;
}

/**
 * Failures that a retry cannot mend: the server's certificate, a server that speaks no TLS, headers that are too large, a
 * mock that is missing.
 */
const finalCodes =
  /^(?:ERR_TLS_CERT_\w+|CERT_\w+|CRL_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH|ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|(?:UND_ERR|HPE)_HEADERS?_OVERFLOW|UND_MOCK_ERR_\w+)$/;

export function isFinal(outcome: SendOutcome): boolean {
  if (outcome.type === 'response') return outcome.error instanceof UnusableResponse;
  if (outcome.type !== 'failed') return false;
  const error = outcome.error as { code?: unknown; cause?: { code?: unknown } } | undefined;
  return (
    error instanceof BodyFailure ||
    error instanceof UnusableResponse ||
    finalCodes.test(String(error?.code ?? error?.cause?.code))
  );
}

/**
 * The error that a call ends with if this was its last attempt.
 *
 * @param secrets removed from what the connector says (rule E5).
 * @param note added to the message.
 */
export function failureOf({ attempt, kind, outcome }: FinishedAttempt, secrets: readonly string[], note = ''): unknown {
  const { request } = attempt;
  if (outcome.type === 'aborted') {
    // By the caller, or because the grace of `close()` is over.
    return attempt.signal?.aborted ? attempt.signal.reason : closedError(request);
  }
  if (outcome.type === 'timeout') {
    const upload = uploadNote(outcome.isSending, attempt.body);
    const message = `no complete response within ${Math.ceil(attempt.timeoutMs)} ms${upload}${note}`;
    const error = new RequestError(message, { code: 'TIMEOUT', request, status: outcome.response?.status });
    return attachResponse(error, attempt, outcome.response, secretsOf(attempt, secrets));
  }
  if (outcome.type === 'failed' && outcome.error instanceof BodyFailure) {
    const { message, cause } = outcome.error;
    return new RequestError(message + note, { code: 'BODY_FAILED', request, cause });
  }
  if (outcome.type === 'failed') {
    const cause = withoutQuotes(outcome.error);
    return new RequestError(describeFailure(outcome.error) + note, { code: 'NETWORK_ERROR', request, cause });
  }
  const response = outcome as WireResponse;
  const all = secretsOf(attempt, secrets);
  const error =
    kind === 'limit' ? limitError(attempt, response, all, note) : responseError({ request, kind, response }, all, note);
  return attachResponse(error, attempt, response, all);
}

/** Of bytes and text, the system does not tell how much has been sent. */
function uploadNote(isSending = false, body: Attempt['body']): string {
  if (isSending) return "; the request's body was still being sent, so set a longer `timeoutMs` for this upload";
  const megabytes = typeof body === 'string' || isBytes(body) ? Math.floor(body.length / 1e6) : 0;
  return megabytes > 0 ? `; an upload of ${megabytes} MB may need a longer \`timeoutMs\`` : '';
}

/** What must not be shown of an attempt: the client's secrets, and those of the request. */
export function secretsOf(
  { headers, target, session }: Pick<Attempt, 'headers' | 'target' | 'session'>,
  secrets: readonly string[],
): string[] {
  const inSession = session?.headers ?? {};
  return [...secrets, ...credentialSecrets(headers, inSession), ...querySecrets(target), ...sessionSecrets(inSession)];
}

/** A success of a login holds a session, and is never shown (rule E9). */
function attachResponse(
  error: Error,
  { session }: Attempt,
  response: WireResponse | undefined,
  secrets: readonly string[],
): Error {
  if (response === undefined || (session === undefined && response.status < 300)) return error;
  return withResponse(error, response, secrets, secretNames(session?.headers ?? {}));
}

/** The error for a response that is neither a success nor a rate limit. */
export function responseError(
  { request, kind, response }: { request: RequestLine; kind: OutcomeKind; response: WireResponse },
  secrets: readonly string[],
  note = '',
): Error {
  const { status } = response;
  if (kind === 'redirect') return redirectError(response, request, secrets);
  if (kind === 'unexpected') {
    const problem = status === 206 ? 'the connector sent a part that was not requested' : 'HTTP has no such status';
    return new RequestError(problem, { code: 'UNEXPECTED_STATUS', request, status });
  }
  if (isBodyLost(kind)) return lostBodyError(response, request, { note, secrets });
  return toConnectorError(readErrorContent(response, secrets), request, note);
}

function limitError(
  { request, lane }: Attempt,
  response: WireResponse,
  secrets: readonly string[],
  note: string,
): RateLimitError {
  const content = readErrorContent(response, secrets, 'rate-limit');
  const { clock, pause } = lane.gate;
  const resumeAt = pause.resumeAt ?? new Date(clock.now());
  const remainingMs = Math.max(0, resumeAt.getTime() - clock.now());
  return toRateLimitError(content.message + note, { remainingMs, resumeAt, request, content });
}

/** The error of a success whose body is lost. `secrets` are removed from what the connector says (rule E5). */
export function lostBodyError(
  response: WireResponse,
  request: RequestLine,
  {
    bound = '`maxResponseBytes`; raise it, or read the response with `client.stream`',
    note = '',
    secrets = [] as readonly string[],
  } = {},
): RequestError {
  const { status, end, error } = response;
  if (end === 'too-large') return tooLargeError(bound, { request, status });
  if (end === 'undecodable') {
    const reason = cleanMessage(createRedact(secrets)((error as Error).message));
    const message = `the response cannot be decompressed: ${reason}`;
    return new RequestError(message, { code: 'INVALID_ENCODING', request, status });
  }
  const message = describeLoss(error) + note;
  return new RequestError(message, { code: 'NETWORK_ERROR', request, status, cause: withoutQuotes(error) });
}

/** Why the rest of a body is lost. */
export function describeLoss(error: unknown): string {
  return error instanceof UnusableResponse ? error.message : 'the connection ended in the middle of the response';
}

interface NetworkFailure {
  code?: string;
  message?: string;
}

/**
 * A message for a network failure. What failed stands in the cause of fetch's errors ("fetch failed") and of aggregate
 * errors, which have no message (IPv4 and IPv6 refused).
 */
export function describeFailure(error: unknown): string {
  const { message = '', cause, code = cause?.code } = (error ?? {}) as NetworkFailure & { cause?: NetworkFailure };
  const reason = cause?.message ?? '';
  const texts = [message, message.includes(reason) ? '' : reason].filter((text) => text !== '');
  const text = texts.join(': ') || 'the connection failed';
  // OpenSSL ends its messages with a line break.
  return cleanMessage(code && !text.includes(code) ? `${text.trim()} (${code})` : text);
}

/** Quotes of the redirect only what may be shown (rules E5, S7). */
function redirectError(response: WireResponse, request: RequestLine, secrets: readonly string[]): RequestError {
  const { status } = response;
  if (status === 304) {
    const message = 'the connector responded "not modified" to a request without a condition';
    return new RequestError(message, { code: 'REDIRECT', request, status });
  }
  const location = headerValue(response.headers, 'location') ?? '';
  const shown = shownTarget(location, response.url);
  const target = shown === '' ? '' : ` to ${createRedact(secrets)(shown)}`;
  return new RequestError(
    `the connector redirects${target}${slashHint(location, request)}; redirects are not followed, so \`baseUrl\` and the path have to name the target`,
    { code: 'REDIRECT', request, status },
  );
}

/** Many frameworks redirect to the path that differs by the slash at its end. */
function slashHint(location: string, { path }: RequestLine): string {
  const target = withoutQuery(location);
  if (path === '/') return '';
  if (target.endsWith(`${path}/`)) return ', to this path with a slash at its end';
  return path.endsWith('/') && target.endsWith(path.slice(0, -1)) ? ', to this path without the slash at its end' : '';
}
