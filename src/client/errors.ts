import type { AnyConnectorError, CallResponse, FailedRequest } from '../contract/index.js';

/** Why a call got no usable answer. */
export type RequestErrorCode =
  /** The connection failed, or the answer was cut off. */
  | 'NETWORK_ERROR'
  /** `timeoutMs` passed without a whole answer. */
  | 'TIMEOUT'
  /** `totalTimeoutMs` passed, waits and retries included. */
  | 'BUDGET_EXCEEDED'
  /** A 3xx: redirects are not followed, so that session headers never leave the origin. */
  | 'REDIRECT'
  /** A status that HTTP does not know: below 200 or above 599. */
  | 'UNEXPECTED_STATUS'
  /** The body of a success is larger than `maxResponseBytes`. */
  | 'RESPONSE_TOO_LARGE'
  /** JSON was expected, and the body is empty, none, or nested more than 1,000 levels deep. */
  | 'INVALID_JSON'
  /** A text in a charset that is not known, or in another one than it says. */
  | 'INVALID_TEXT'
  /** A body in a `content-encoding` that is not known, or that cannot be unpacked. */
  | 'INVALID_ENCODING'
  /** A success that `schema` does not accept, or throws an error about. */
  | 'INVALID_DATA'
  /** The caller's `body` failed while it was being sent. */
  | 'BODY_FAILED'
  /** `client.pages` was led back to a page that it had read. */
  | 'PAGE_LOOP'
  /** The client was closed. */
  | 'CLIENT_CLOSED';

/**
 * A call that ended without an answer that the contract knows. Failures that the connector did answer are
 * `ConnectorError`s instead.
 */
export class RequestError extends Error {
  declare readonly kind: 'request';
  readonly code: RequestErrorCode;
  readonly method: string;
  readonly path: string;
  /** The HTTP status, where there was one. */
  declare readonly status?: number;
  /** What the connector answered, where it did; not enumerable (rule E9). */
  declare readonly response?: CallResponse;
  /** How often the call was sent. */
  declare readonly attempts?: number;

  constructor(
    message: string,
    options: { code: RequestErrorCode; request: FailedRequest; status?: number | undefined; cause?: unknown },
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
 * Logging in failed for good: the connector refused it (400, 401, 403), answered nonsense, or stayed unreachable
 * through all retries (rules S5, S6).
 */
export class InitializeError extends Error {
  declare readonly kind: 'initialize';
  /** The connector's status, where it answered. */
  declare readonly status?: number;
  /** The connector's error code, where it gave one. */
  declare readonly code?: string;
  /** Whether the connector refused the login, so that calls fail at once until the cool-down is over. */
  readonly refused: boolean;
  /** What the connector answered, where it refused; not enumerable (rule E9). */
  declare readonly response?: CallResponse;

  constructor(
    message: string,
    options: { status?: number | undefined; code?: string | undefined; refused?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (options.status !== undefined) this.status = options.status;
    if (options.code !== undefined) this.code = options.code;
    this.refused = options.refused ?? false;
    const response = (options.cause as { response?: CallResponse } | undefined)?.response;
    if (response !== undefined) Object.defineProperty(this, 'response', { value: response });
  }
}

/** What a call rejects with, told apart by `kind`; beside it a TypeError for wrong options, and the reason of a signal. */
export type CallError = AnyConnectorError | RequestError | InitializeError;

/** Why a success cannot be used, until it is known whose call it answers. */
export class Unreadable extends Error {
  readonly code: RequestErrorCode;

  constructor(code: RequestErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The error of a call that a closed client does not make, or does not go on with. */
export function closedError(request: FailedRequest): RequestError {
  return new RequestError('the client is closed', { code: 'CLIENT_CLOSED', request });
}

/** Why a login ended that nobody waited for any more. */
export class AbandonedLogin extends Error {}

/** Errors of parsers: V8's quotes the JSON that it could not read, undici's keeps the bytes that are no HTTP. */
const quotingErrors: ReadonlySet<unknown> = new Set(['SyntaxError', 'HTTPParserError']);

/** What may be shown as a cause: nothing that quotes an answer, because a connector may echo credentials (rules E5, S7). */
export function withoutQuotes(cause: unknown): unknown {
  let current = cause as { name?: unknown; cause?: unknown } | undefined;
  for (let depth = 0; depth < 10 && typeof current === 'object' && current !== null; depth++) {
    if (quotingErrors.has(current.name)) return undefined;
    current = current.cause as typeof current;
  }
  return cause;
}

/** A refusal that another process met comes through the shared state, as an error that only has the fields. */
export function toInitializeErrorOfOwn(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'InitializeError' || error instanceof InitializeError) return error;
  const { message, status, code, refused = false } = error as InitializeError;
  return new InitializeError(message, { status, code, refused });
}

for (const [type, name, kind] of [
  [RequestError, 'RequestError', 'request'],
  [InitializeError, 'InitializeError', 'initialize'],
  [AbandonedLogin, 'AbandonedLogin', undefined],
] as const) {
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true });
  if (kind === undefined) continue;
  Object.defineProperty(type.prototype, 'kind', { value: kind, configurable: true });
  Object.defineProperty(type.prototype, brandOf(name), { value: true });
}

/** The same in every copy of the package. */
function brandOf(name: string): symbol {
  return Symbol.for(`concordat.${name}`);
}

/**
 * Whether a value is a {@link RequestError}: also one of another copy of this package, where `instanceof` says no.
 *
 * @example
 * if (isRequestError(error)) console.error(error.code, error.attempts)
 */
export function isRequestError(value: unknown): value is RequestError {
  return hasBrand(value, 'RequestError');
}

/**
 * Whether a value is an {@link InitializeError}: also one of another copy of this package, where `instanceof` says no.
 *
 * @example
 * if (isInitializeError(error) && error.refused) console.error('wrong password?', error.code)
 */
export function isInitializeError(value: unknown): value is InitializeError {
  return hasBrand(value, 'InitializeError');
}

function hasBrand(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return (value as Record<symbol, unknown>)[brandOf(name)] === true;
  } catch {
    return false; // a proxy that throws: anything may be thrown, and this guard is asked about it
  }
}
