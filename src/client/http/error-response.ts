import { type CallResponse, cleanMessage, limitBytes, type RequestLine } from '../../contract/index.js';
import {
  createRedact,
  decodeLeniently,
  describeValue,
  isSecret,
  type Redact,
  redactedMark,
  toMediaType,
} from '../../internal/index.js';
import { chainOf, RequestError, withoutQuotes } from '../errors.js';
import type { Unreadable } from './read-success.js';
import { headerValue, maxErrorBytes, type WireResponse } from './wire.js';

/** The most bytes of a body that an error shows (rule E9). */
const maxTextBytes = 16 * 1024;

/**
 * Attaches the connector's response to an error (rule E9), without secrets (rules E5, S7). The property is not
 * enumerable, so logging an error as JSON does not log a page of the connector's data.
 *
 * @param names headers that are secret whatever their value, in lower case: those of the session.
 * @returns the same error.
 */
export function withResponse<Failure extends Error>(
  error: Failure,
  response: WireResponse,
  secrets: readonly string[],
  names: readonly string[],
): Failure {
  return showResponse(error, describeResponse(response, secrets, names));
}

export function showResponse<Failure extends Error>(error: Failure, response: CallResponse): Failure {
  return Object.defineProperty(error, 'response', { value: response, configurable: true, writable: true });
}

export function describeResponse(
  response: WireResponse,
  secrets: readonly string[],
  names: readonly string[],
): CallResponse {
  const redact = createRedact(secrets);
  const { status, body, end } = response;
  const headers = new Headers();
  for (const name in response.headers) {
    const value = headerValue(response.headers, name) ?? '';
    const text = names.includes(name) ? redactedMark : shownHeader(name, value, response, redact);
    try {
      headers.set(name, text);
    } catch {
      // The transport accepts headers that `Headers` does not: skip them.
    }
  }
  const type = headerValue(response.headers, 'content-type') ?? '';
  // A truncated body may end in the middle of a secret.
  const isShown = end === 'whole' && body.length <= maxErrorBytes && toMediaType(type).kind !== 'bytes';
  return { status, headers, text: isShown ? limitBytes(redact(decodeLeniently(body, type)), maxTextBytes) : '' };
}

/** New sessions and cookies are secret by their name alone; the target of a redirect may contain a secret (rule S7). */
function shownHeader(name: string, value: string, { status, url }: WireResponse, redact: Redact): string {
  if (isSecret({ key: name, value: '' })) return redactedMark;
  const isRedirect = name === 'location' && status >= 300 && status < 400;
  return redact(isRedirect ? shownTarget(value, url) : value);
}

/** A host name has at most 253 characters. */
const maxTargetLength = 270;

/**
 * What is shown of a redirect's target: its path at the origin of the request, elsewhere its origin. User info, query,
 * fragment and parameters of the path (`;jsessionid=…`) may echo a secret (rules E5, S7).
 */
export function shownTarget(location: string, requestUrl: string | undefined): string {
  if (location === '' || !URL.canParse(location, requestUrl)) return '';
  const { protocol, origin, pathname } = new URL(location, requestUrl);
  const isOwn = requestUrl !== undefined && origin === new URL(requestUrl).origin;
  const target = isOwn ? pathname.replace(/;[^/]*/g, '') : origin;
  return /^https?:$/.test(protocol) && target.length <= maxTargetLength ? target : '';
}

export function unreadableError(
  problem: Unreadable,
  request: RequestLine,
  { status }: WireResponse,
  secrets: readonly string[],
): RequestError {
  const redact = createRedact(secrets);
  const { code, message } = problem;
  const cause = withoutSecrets(withoutQuotes(problem.cause), redact);
  return new RequestError(cleanMessage(redact(message)), { code, request, status, cause });
}

/** Drops a cause that quotes a secret. */
function withoutSecrets(cause: unknown, redact: Redact): unknown {
  const quotes = chainOf(cause).some((error) => {
    const shown = [error, error.stack, error.issues, { ...error }].map(describeValue).join('\n');
    return redact(shown) !== shown;
  });
  return quotes ? undefined : cause;
}
