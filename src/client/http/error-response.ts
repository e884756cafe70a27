import { type CallResponse, cleanMessage, type FailedRequest, limitBytes } from '../../contract/index.js';
import { createRedact, describeValue, isSecret, type Redact } from '../../internal/index.js';
import { RequestError, Unreadable, withoutQuotes } from '../errors.js';
import { type Reading, textOf } from './read-data.js';
import { type ErrorContent, readErrorContent } from './read-error.js';
import { type ConnectorResponse, readSuccess } from './read-success.js';
import type { DataSchema } from './schema.js';
import { headerValue, maxErrorBytes, type WireResponse } from './wire.js';

/** The most bytes of a body that an error shows (rule E9). */
const maxTextBytes = 16 * 1024;

/**
 * Puts on an error what the connector answered (rule E9), without secrets (rules E5, S7). Not enumerable: what logs an error as
 * JSON does not log a page of the connector's data.
 *
 * @returns the same error.
 */
export function withResponse<Failure extends Error>(
  error: Failure,
  response: WireResponse,
  secrets: readonly string[],
): Failure {
  return showResponse(error, describeResponse(response, secrets));
}

export function showResponse<Failure extends Error>(error: Failure, response: CallResponse): Failure {
  return Object.defineProperty(error, 'response', { value: response, configurable: true, writable: true });
}

function describeResponse(response: WireResponse, secrets: readonly string[]): CallResponse {
  const redact = createRedact(secrets);
  const { status, body, end } = response;
  const headers = new Headers();
  for (const name in response.headers) {
    const text = shownHeader(name, headerValue(response.headers, name) ?? '', status, redact);
    try {
      headers.set(name, text);
    } catch {
      // Read more leniently than it can be written: it is of no use to anybody.
    }
  }
  // Of a part it is not known whether it ends in the middle of a secret.
  const isShown = end === 'whole' && body.length <= maxErrorBytes;
  const type = headerValue(response.headers, 'content-type');
  return { status, headers, text: isShown ? limitBytes(redact(textOf(body, type) ?? ''), maxTextBytes) : '' };
}

/** A new session or cookie is known as a secret by its name alone, and a redirect may lead to one (rule S7). */
function shownHeader(name: string, value: string, status: number, redact: Redact): string {
  if (isSecret({ key: name, value: '' })) return '[redacted]';
  const isRedirect = name === 'location' && status >= 300 && status < 400;
  return redact(isRedirect ? originOf(value) : value);
}

/** A name has at most 253 characters. */
const longestOrigin = 270;

/** Where a redirect leads, and no more: user info, path and query may hold what a connector echoes (rules E5, S7). */
export function originOf(location: string): string {
  const { protocol, origin } = URL.canParse(location) ? new URL(location) : { protocol: '', origin: '' };
  return (protocol === 'http:' || protocol === 'https:') && origin.length <= longestOrigin ? origin : '';
}

/**
 * Reads a success; at once, unless the schema has to wait for something.
 *
 * @throws RequestError (or rejects) with the response on it when it cannot be read as asked.
 */
export function readAnswer<Data>(
  response: WireResponse,
  call: { request: FailedRequest; reading: Reading; schema: DataSchema<Data> | undefined },
  secretsOf: () => readonly string[],
): ConnectorResponse<Data> | Promise<ConnectorResponse<Data>> {
  const failed = (error: unknown): never => {
    if (!(error instanceof Unreadable)) throw error;
    const secrets = secretsOf();
    throw withResponse(unreadableAnswer(error, call.request, response, secrets), response, secrets);
  };
  try {
    const read = readSuccess(response, call.reading, call.schema);
    return read instanceof Promise ? read.catch(failed) : read;
  } catch (error) {
    return failed(error);
  }
}

/** What a limit said, with the response where an error may come of it: there may be many that wait. */
export function readLimit(response: WireResponse, secrets: readonly string[], mayBeShown: boolean): ErrorContent {
  const content = readErrorContent(response, secrets, 'rate-limit');
  return mayBeShown ? { ...content, response: describeResponse(response, secrets) } : content;
}

/** The error of a success that could not be read. */
export function unreadableAnswer(
  problem: Unreadable,
  request: FailedRequest,
  { status }: WireResponse,
  secrets: readonly string[],
): RequestError {
  const redact = createRedact(secrets);
  const { code, message } = problem;
  const cause = withoutSecrets(withoutQuotes(problem.cause), redact);
  return new RequestError(cleanMessage(redact(message)), { code, request, status, cause });
}

/** A cause that quotes a secret is left out. */
function withoutSecrets(cause: unknown, redact: Redact): unknown {
  let current = cause as { stack?: unknown; issues?: unknown; cause?: unknown } | undefined;
  for (let depth = 0; depth < 10 && current !== undefined && current !== null; depth++) {
    const { stack, issues } = typeof current === 'object' ? current : {};
    const shown = [current, stack, issues, { ...(current as object) }].map(describeValue).join('\n');
    if (redact(shown) !== shown) return undefined;
    current = current?.cause as typeof current;
  }
  return cause;
}
