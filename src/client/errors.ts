import type { AnyConnectorError, CallResponse, RequestLine } from '../contract/index.js';
import { type Clock, defineError, isErrorOf, latestDateMs } from '../internal/index.js';

/** Why a call got no usable response. */
export type RequestErrorCode =
  /** The connection failed, or the response was cut off. */
  | 'NETWORK_ERROR'
  /** `timeoutMs` passed without a complete response. */
  | 'TIMEOUT'
  /** `totalTimeoutMs` passed: `cause` is the rate limit or the quota that it waited for, or else what failed last. */
  | 'BUDGET_EXCEEDED'
  /** A 3xx: redirects are not followed, so session headers never leave the origin. */
  | 'REDIRECT'
  /** A status above 599, or a part (206) that was not requested. */
  | 'UNEXPECTED_STATUS'
  /** The body of a success is larger than `maxResponseBytes`. */
  | 'RESPONSE_TOO_LARGE'
  /** JSON was expected, but the body is empty, not JSON, or nested more than 1,000 levels deep. */
  | 'INVALID_JSON'
  /** Text in an unknown charset, or not valid in the charset that it declares. */
  | 'INVALID_TEXT'
  /** A body with an unknown `content-encoding`, or one that cannot be decompressed. */
  | 'INVALID_ENCODING'
  /** A success that `schema` does not accept, or for which it throws. */
  | 'INVALID_DATA'
  /** The caller's `body` failed while it was being sent. */
  | 'BODY_FAILED'
  /** `client.pages` was led back to a page that it had already read. */
  | 'PAGE_LOOP'
  /** The client was closed: `cause` as for `BUDGET_EXCEEDED`. */
  | 'CLIENT_CLOSED';

/**
 * A call that ended without a response that the contract knows. Errors that the connector responded with are
 * `ConnectorError`s instead.
 */
export class RequestError extends Error {
  declare readonly kind: 'request';
  readonly code: RequestErrorCode;
  readonly method: string;
  readonly path: string;
  /** The HTTP status, if there was a response. */
  declare readonly status?: number;
  /** The connector's response, if there was one; not enumerable (rule E9). */
  declare readonly response?: CallResponse;
  /** How many attempts were sent. */
  declare readonly attempts?: number;

  constructor(
    message: string,
    options: { code: RequestErrorCode; request: RequestLine; status?: number | undefined; cause?: unknown },
  ) {
    const { code, request, status, cause } = options;
    const what = status === undefined ? code : `${status} ${code}`;
    super(`${request.method} ${request.path}: ${what}: ${message}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.method = request.method;
    this.path = request.path;
    if (status !== undefined) this.status = status;
  }
}

/**
 * The login failed for good: the connector refused it (400, 401, 403), did not return a session, or stayed unreachable
 * through all retries (rules S5, S6).
 */
export class InitializeError extends Error {
  declare readonly kind: 'initialize';
  /** The HTTP status, if there was a response. */
  declare readonly status?: number;
  /** The connector's error code, if it sent one. */
  declare readonly code?: string;
  /** Whether the connector refused the login. Calls then fail at once until the cool-down is over. */
  readonly refused: boolean;
  /** After a refused login: when the cool-down ends, and a call logs in again (rule S5). */
  declare readonly retryAt?: Date;
  /** The connector's response, if it refused the login; not enumerable (rule E9). */
  declare readonly response?: CallResponse;
  /** How many attempts of the call were sent; those of the login do not count. */
  declare readonly attempts?: number;

  constructor(
    message: string,
    options: {
      status?: number | undefined;
      code?: string | undefined;
      refused?: boolean;
      retryAt?: Date | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (options.status !== undefined) this.status = options.status;
    if (options.code !== undefined) this.code = options.code;
    this.refused = options.refused ?? false;
    if (options.retryAt !== undefined) this.retryAt = options.retryAt;
    const response = (options.cause as { response?: CallResponse } | undefined)?.response;
    if (response !== undefined) Object.defineProperty(this, 'response', { value: response });
  }
}

/** Calls that wait for the same login share its error; one that was sent more or less often than the first gets a copy. */
export function withAttempts(error: InitializeError, attempts: number): InitializeError {
  const isShared = error.attempts !== undefined && error.attempts !== attempts;
  const own = isShared ? new InitializeError(error.message, { ...error, cause: error.cause }) : error;
  return Object.assign(own, { attempts });
}

/** What a call rejects with, besides a TypeError for wrong options and a signal's reason. Told apart by `kind`. */
export type CallError = AnyConnectorError | RequestError | InitializeError;

/** @param bound the option with the largest size. */
export function tooLargeError(bound: string, at: { request: RequestLine; status: number }): RequestError {
  return new RequestError(`the response is larger than ${bound}`, { code: 'RESPONSE_TOO_LARGE', ...at });
}

/** The error of a call that a closed client rejects. */
export function closedError(request: RequestLine, cause?: Error): RequestError {
  return new RequestError('the client is closed', { code: 'CLIENT_CLOSED', request, cause });
}

/** Why a login ended that no call waited for any more. */
export class AbandonedLogin extends Error {}

/** Errors of parsers: V8's quotes the JSON that it could not parse, undici's keeps the bytes that are not HTTP. */
const quotingErrors: ReadonlySet<unknown> = new Set(['SyntaxError', 'HTTPParserError']);

/** The cause, unless it quotes a response: a connector may echo credentials (rules E5, S7). */
export function withoutQuotes(cause: unknown): unknown {
  return chainOf(cause).some(({ name }) => quotingErrors.has(name)) ? undefined : cause;
}

/** What may be of interest in anything that was thrown. */
type Thrown = { name?: unknown; stack?: unknown; issues?: unknown; cause?: unknown };

/** What was thrown, and what caused it: at most ten, as errors may be in a circle. */
export function chainOf(thrown: unknown): Thrown[] {
  const chain: Thrown[] = [];
  for (let error = thrown as Thrown; error && chain.length < 10; error = error.cause as Thrown) chain.push(error);
  return chain;
}

/** A refusal in another process arrives through the shared state as an error with just the fields. */
export function reviveInitializeError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'InitializeError' || error instanceof InitializeError) return error;
  const { message, status, code, refused = false, retryAt } = error as InitializeError;
  return new InitializeError(message, {
    status,
    code,
    refused,
    retryAt: retryAt instanceof Date ? retryAt : undefined,
  });
}

/** Says when the cool-down after a refused login ends (rule S5). */
export function beginCooldown(error: InitializeError, clock: Clock, cooldownMs: number): void {
  Object.assign(error, { retryAt: new Date(Math.min(clock.now() + cooldownMs, latestDateMs)) });
}

const tooEarly = ' (no new login yet: the last one was refused a moment ago)';

/** The error of a call that comes before the cool-down after a refused login is over (rule S5), if it does. */
export function refusedEarlier(error: InitializeError, clock: Clock, until: number): InitializeError | undefined {
  const leftMs = until - clock.monotonic();
  if (leftMs <= 0) return undefined;
  const retryAt = new Date(Math.min(Math.ceil(clock.now() + leftMs), latestDateMs));
  const refusal = error.message.endsWith(tooEarly) ? (error.cause as InitializeError) : error;
  const { message, status, code } = refusal;
  return new InitializeError(message + tooEarly, { status, code, refused: true, retryAt, cause: refusal });
}

defineError(RequestError, 'RequestError', 'request');
defineError(InitializeError, 'InitializeError', 'initialize');
defineError(AbandonedLogin, 'AbandonedLogin');

/**
 * Whether a value is a {@link RequestError}, including one from another copy of this package, for which `instanceof` is
 * false.
 *
 * @example
 * if (isRequestError(error)) console.error(error.code, error.attempts)
 */
export function isRequestError(value: unknown): value is RequestError {
  return isErrorOf(value, 'RequestError');
}

/**
 * Whether a value is an {@link InitializeError}, including one from another copy of this package, for which
 * `instanceof` is false.
 *
 * @example
 * if (isInitializeError(error) && error.refused) console.error('wrong password?', error.code)
 */
export function isInitializeError(value: unknown): value is InitializeError {
  return isErrorOf(value, 'InitializeError');
}
