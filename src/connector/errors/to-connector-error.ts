import {
  ConnectorError,
  type ConnectorErrorDetails,
  errorOfKind,
  errorTable,
  isConnectorError,
  kindOfStatus,
  NotFoundError,
  parseWait,
  RateLimitError,
  readCode,
} from '../../contract/index.js';
import type { RateLimitHeader } from './options.js';

/** What the service sees when a connector fails in a way that its author did not foresee (rule E4). */
export const internalErrorCode = 'INTERNAL_ERROR';
const internalErrorMessage = 'The connector failed while handling this request.';

/** The wait when a rate limit does not say how long (rule W6). */
export const fallbackWaitMs = 60_000;

/**
 * The wait that a response gives in the connector's header, else in `Retry-After`: the fallback if it cannot be read. An end
 * system may write seconds where the connector writes a date, or the other way round.
 */
function waitOf(headers: Lowercased, { header, format }: RateLimitHeader): number | undefined {
  const own = headers[header.toLowerCase()];
  const value = own ?? headers['retry-after'];
  if (value === undefined) return undefined;
  const isEither = own === undefined || format === 'seconds' || format === 'http-date';
  const { date, age } = headers;
  return parseWait(value, { format: isEither ? 'auto' : format, date, age }).waitMs ?? fallbackWaitMs;
}

/** Headers by their names in lower case. */
type Lowercased = Readonly<Record<string, string>>;

/**
 * The error that a response stands for (rule E4). A 429 is a rate limit, and so is a 403 or 503 that says how long to wait.
 *
 * @param headers those of the response.
 */
export function errorOfResponse(
  status: number,
  headers: Lowercased,
  rateLimit: RateLimitHeader,
  message: string | undefined,
  details: ConnectorErrorDetails,
): ConnectorError {
  const waitMs = waitOf(headers, rateLimit);
  if (status === 429 || (waitMs !== undefined && (status === 403 || status === 503))) {
    return new RateLimitError(message, { ...details, retryAfterMs: waitMs ?? fallbackWaitMs });
  }
  return errorOfStatus(status, message, details);
}

/**
 * Turns whatever was thrown into a contract error. Contract errors are returned as they are, also those of another copy of
 * this package; only one of status 429 becomes a `RateLimitError`. Hono's `HTTPException`, NestJS's `HttpException` and an
 * error with `expose: true` (http-errors, body-parser) keep their status and message, one with `expose: false` (send, for a
 * file that is not there) its status. Anything else becomes a 500 without details (rule E4): the original is its `cause`, and its
 * `detail` only with `exposeDetail`. Never throws.
 *
 * @example
 * toConnectorError(new Error('no such column: passwd')).toPayload()
 * // { errors: { code: 'INTERNAL_ERROR', message: 'The connector failed while handling this request.' } }
 */
export function toConnectorError(thrown: unknown, options: { exposeDetail?: boolean } = {}): ConnectorError {
  return readThrown(thrown, { header: 'Retry-After', format: 'auto' }, options.exposeDetail);
}

/** The same where the wait header is known. */
export function readThrown(thrown: unknown, rateLimit: RateLimitHeader, exposeDetail?: boolean): ConnectorError {
  try {
    if (isConnectorError(thrown) && typeof thrown.toPayload === 'function') {
      return thrown.status === 429 && thrown.kind === 'other' ? limitIn(thrown, rateLimit) : thrown;
    }
    const status = publicStatus(thrown);
    if (status !== undefined) return publicError(thrown as PublicError, status, rateLimit);
  } catch {
    // A proxy or getter that throws is not an error meant for the service.
  }
  return new ConnectorError(internalErrorMessage, {
    status: 500,
    code: internalErrorCode,
    cause: thrown,
    detail: exposeDetail ? thrown : undefined,
  });
}

interface PublicError extends Error {
  status?: unknown;
  statusCode?: unknown;
  expose?: unknown;
  type?: unknown;
  /** The response of a Hono HTTPException. */
  res?: Response | undefined;
  /** Those of http-errors for the response. */
  headers?: unknown;
  /** Of a NestJS HttpException; its ValidationPipe lists what is wrong in `message`. */
  response?: unknown;
}

/**
 * The status of an error that is meant for the caller. A bare `status` is not enough: errors of HTTP clients have one too,
 * and it is the end system's.
 */
function publicStatus(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const error = thrown as PublicError & { getResponse?: unknown };
  const status = error.status ?? error.statusCode;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) return undefined;
  return typeof error.getResponse === 'function' || (typeof error.expose === 'boolean' && status < 500)
    ? status
    : undefined;
}

function publicError(error: PublicError, status: number, rateLimit: RateLimitHeader): ConnectorError {
  const headers = error.res === undefined ? lowercased(error.headers) : Object.fromEntries(error.res.headers);
  return errorOfResponse(status, headers, rateLimit, messageOf(error), detailsOf(error, headers));
}

function detailsOf(error: PublicError, headers: Lowercased): ConnectorErrorDetails {
  // An exception of NestJS may be made of an object.
  const { code, detail } = Object(error.response) as { code?: unknown; detail?: unknown };
  return { cause: error, code: readCode(code), detail, headers: withoutWait(headers) };
}

function lowercased(headers: unknown): Lowercased {
  const entries = Object.entries(Object(headers) as object);
  const texts = entries.filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** The rate limit that an author has thrown as a plain error of status 429. */
function limitIn(error: ConnectorError, rateLimit: RateLimitHeader): ConnectorError {
  const { code, message, detail } = error.toPayload({ maxDetailBytes: Number.POSITIVE_INFINITY }).errors;
  const headers = lowercased(error.headers);
  const ownCode = code === errorTable.other.code ? undefined : code;
  const details = { cause: error, code: ownCode, detail, headers: withoutWait(headers) };
  return errorOfResponse(error.status, headers, rateLimit, message, details);
}

/** The connector's own header takes its place. */
function withoutWait({ 'retry-after': _, ...headers }: Lowercased): Record<string, string> {
  return headers;
}

/**
 * In Express and Fastify an error's status is that of its response, and what limits requests (`@fastify/rate-limit`, NestJS's
 * throttler) has said how long to wait in the `Retry-After` of that response, or of the error (http-errors). A throttler with a
 * name writes that behind it, as in `Retry-After-short`; the longest wait counts.
 *
 * @returns the rate limit, or what was thrown.
 */
export function limitOf(thrown: unknown, prepared: PreparedHeaders): unknown {
  try {
    if (isConnectorError(thrown)) return thrown;
    // A limiter with a body of its own may throw that.
    const { status, statusCode, headers } = Object(thrown) as PublicError;
    const limited = status ?? statusCode;
    if (limited !== 429 && limited !== 503) return thrown;
    const wait = lowercased(headers)['retry-after'] ?? prepared.getHeader('retry-after');
    const waits = wait === undefined ? namedWaits(prepared) : [wait];
    if (limited === 503 && waits.length === 0) return thrown;
    const waitsMs = waits.map((value) => parseWait(String(value)).waitMs ?? fallbackWaitMs);
    const retryAfterMs = waits.length === 0 ? fallbackWaitMs : Math.max(...waitsMs);
    if (publicStatus(thrown) === undefined) return new RateLimitError(undefined, { cause: thrown, retryAfterMs });
    const error = thrown as PublicError;
    return new RateLimitError(messageOf(error), { ...detailsOf(error, lowercased(headers)), retryAfterMs });
  } catch {
    return thrown; // a getter that throws
  }
}

/** The response so far, of Express or Fastify. */
export interface PreparedHeaders {
  getHeader(name: string): unknown;
  getHeaders(): object;
}

function namedWaits(prepared: PreparedHeaders): unknown[] {
  const headers = Object.entries(prepared.getHeaders());
  return headers.filter(([name]) => /^retry-after-(?!ms$)/i.test(name)).map(([, value]) => value);
}

function messageOf(error: PublicError): string | undefined {
  if (error.type === 'entity.parse.failed' || ofJsonParser.test(error.message)) return invalidJsonMessage;
  if (error.expose === false) return undefined; // such as the path of a file that is not there
  const { message } = Object(error.response) as { message?: unknown };
  if (Array.isArray(message)) return message.join('; ');
  return error.message.trim() === '' ? undefined : error.message;
}

/** What V8 and JavaScriptCore say of broken JSON quotes it. NestJS makes an exception of its own of that. */
const ofJsonParser =
  /^Unexpected token .* is not valid JSON$|^(?:Unexpected|Expected|Bad|Unterminated|Exponent|No) .* JSON at position \d+(?: \(line \d+ column \d+\))?$|^Unexpected end of JSON input$|^JSON Parse error/s;

export const invalidJsonMessage = 'The request body is not valid JSON.';
export const invalidPathMessage = 'The path of the request cannot be decoded.';

/** The error for a status in its class (rule E2); a 413 has a code of its own. */
export function errorOfStatus(
  status: number,
  message: string | undefined,
  details: ConnectorErrorDetails,
): ConnectorError {
  const kind = kindOfStatus(status);
  if (kind !== 'other') return errorOfKind(kind, message, { ...details, status });
  if (status !== 413) {
    return new ConnectorError(message ?? `The connector responded with ${status}.`, { ...details, status });
  }
  const code = details.code ?? 'PAYLOAD_TOO_LARGE';
  return new ConnectorError(message ?? 'The request body is too large.', { ...details, code, status });
}

/** What the service was last told of what was thrown. */
const told = new WeakMap<object, unknown>();

/** Notes it for `logError`, because `onError` gets only what was thrown. */
export function noteTold(thrown: unknown, error: unknown): void {
  told.set(Object(thrown), error);
}

/** What the service is told: a translation, or what was thrown. */
export const toldOf = (thrown: unknown): unknown => told.get(Object(thrown)) ?? thrown;

export function noRoute(method: string, path: string): NotFoundError {
  return new NotFoundError(`There is no route for ${method} ${path.length <= 200 ? path : `${path.slice(0, 200)}…`}.`);
}
