import type { FailedRequest } from '../contract/index.js';

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
  /** A success says it is JSON and is not, or is nested more than 1,000 levels deep. */
  | 'INVALID_JSON'
  /** A success that `schema` does not accept. */
  | 'INVALID_DATA'
  /** The client was closed. */
  | 'CLIENT_CLOSED';

/**
 * A call that ended without an answer that the contract knows. Failures that the connector did answer are
 * `ConnectorError`s instead.
 */
export class RequestError extends Error {
  readonly code: RequestErrorCode;
  readonly method: string;
  readonly path: string;
  /** The HTTP status, where there was one. */
  declare readonly status?: number;

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
  /** The connector's status, where it answered. */
  declare readonly status?: number;
  /** The connector's error code, where it gave one. */
  declare readonly code?: string;
  /** Whether the connector refused the login, so that calls fail at once until the cool-down is over. */
  readonly refused: boolean;

  constructor(
    message: string,
    options: { status?: number | undefined; code?: string | undefined; refused?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (options.status !== undefined) this.status = options.status;
    if (options.code !== undefined) this.code = options.code;
    this.refused = options.refused ?? false;
  }
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

for (const [type, name] of [
  [RequestError, 'RequestError'],
  [InitializeError, 'InitializeError'],
  [AbandonedLogin, 'AbandonedLogin'],
] as const) {
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true });
}
