import { defineError, describeValue, latestDateMs } from '../internal/index.js';
import { type ErrorKind, errorTable, kindOfStatus } from './error-table.js';
import { defaultMaxDetailBytes, type ErrorPayload, limitBytes, readCode } from './payload.js';
import type { CallResponse, RequestLine } from './request-line.js';

export interface ConnectorErrorDetails {
  /** The end system's error code; numbers become strings. @default the kind's own code (rule E3) */
  code?: string | number | undefined;
  /** Extra details: text as it is, an Error with its stack, anything else as JSON. Left out when empty. */
  detail?: unknown;
  /** Additional response headers. Only a `RateLimitError` sets the wait header (rule W2). */
  headers?: Record<string, string> | undefined;
  cause?: unknown;
  /** Whether `detail` is written to the wire. @default true */
  exposeDetail?: boolean | undefined;
  /** Whether the response had a contract body (`connector`) or came from something else, such as a proxy (rule E6). */
  origin?: 'connector' | 'unknown' | undefined;
  /** Set by the client: prefixes the message with the call that failed. */
  request?: RequestLine | undefined;
}

export interface ConnectorErrorOptions extends ConnectorErrorDetails {
  /** HTTP status, 400 to 599. */
  status: number;
}

/**
 * A failure in terms of the connector contract: thrown by connectors, and by the service's client for a connector's error
 * response. Kinds that the contract names have a subclass (rule E2).
 *
 * @throws TypeError when `message` is empty or `status` is not an error status.
 * @example
 * throw new ConnectorError('The ledger is closed', { status: 409, code: 'LEDGER_CLOSED' })
 */
export class ConnectorError extends Error {
  declare readonly kind: ErrorKind;
  readonly status: number;
  readonly code: string;
  declare readonly detail?: string;
  declare readonly headers?: Readonly<Record<string, string>>;
  readonly origin: 'connector' | 'unknown';
  declare readonly method?: string;
  declare readonly path?: string;
  /** The connector's response, on an error of the client; not enumerable (rule E9). */
  declare readonly response?: CallResponse;
  /** How often the call was sent, on an error of the client. */
  declare readonly attempts?: number;
  readonly #reason: string;
  readonly #exposeDetail: boolean;

  constructor(message: string, options: ConnectorErrorOptions) {
    const { status, code, detail, headers, cause, request } = checkOptions(message, options);
    const kindOfClass = (new.target.prototype as { kind?: ErrorKind }).kind;
    const kind = kindOfClass ?? kindOfStatus(status);
    const codeText = readCode(code) ?? errorTable[kind].code;
    super(
      request ? `${request.method} ${request.path}: ${status} ${codeText}: ${message}` : message,
      cause === undefined ? undefined : { cause },
    );
    this.#reason = message;
    this.#exposeDetail = options.exposeDetail ?? true;
    this.status = status;
    this.code = codeText;
    this.origin = options.origin ?? 'connector';
    const detailText = detail === undefined || detail === null ? '' : describeValue(detail);
    if (detailText !== '') this.detail = detailText;
    if (headers !== undefined) this.headers = Object.freeze({ ...headers });
    if (request !== undefined) {
      this.method = request.method;
      this.path = request.path;
    }
    if (kindOfClass === undefined) {
      Object.defineProperty(this, 'kind', { value: kind, configurable: true });
    }
  }

  /** The contract body for this error: `{"errors":{code, message, detail?}}` in that order (rules E1, E5). */
  toPayload(options?: { maxDetailBytes?: number }): ErrorPayload {
    const errors: ErrorPayload['errors'] = { code: this.code, message: this.#reason };
    if (this.detail !== undefined && this.#exposeDetail) {
      errors.detail = limitBytes(this.detail, options?.maxDetailBytes ?? defaultMaxDetailBytes);
    }
    return { errors };
  }
}

/** 400: the request itself is wrong. The service reports it and does not retry. */
export class BadRequestError extends ConnectorError {
  declare readonly kind: 'bad-request';

  constructor(message?: string, options?: ConnectorErrorDetails) {
    super(message ?? errorTable['bad-request'].message, withStatus(400, options));
  }
}

/** 401: no valid session. The service calls initialize and sends the request again. */
export class UnauthorizedError extends ConnectorError {
  declare readonly kind: 'unauthorized';

  constructor(message?: string, options?: ConnectorErrorDetails) {
    super(message ?? errorTable.unauthorized.message, withStatus(401, options));
  }
}

/** 403 without the wait header: access denied. The service reports it and neither retries nor waits. */
export class ForbiddenError extends ConnectorError {
  declare readonly kind: 'forbidden';

  constructor(message?: string, options?: ConnectorErrorDetails) {
    super(message ?? errorTable.forbidden.message, withStatus(403, options));
  }
}

/** 404: the resource is not available. The service reports it. */
export class NotFoundError extends ConnectorError {
  declare readonly kind: 'not-found';

  constructor(message?: string, options?: ConnectorErrorDetails) {
    super(message ?? errorTable['not-found'].message, withStatus(404, options));
  }
}

/** How long to wait: a duration, or a time. If both are given, both are used as given. */
export type Wait = { retryAfterMs: number; resumeAt?: Date } | { resumeAt: Date; retryAfterMs?: number };

/**
 * 403 with the wait header: the rate limit has been reached. The service waits that long and then continues.
 * Not a {@link ForbiddenError}: catching "access denied" must never catch a rate limit (rule E2).
 *
 * @throws TypeError without a wait, which the contract requires (rule W2).
 * @example
 * throw new RateLimitError('100 calls a minute are allowed', { retryAfterMs: 12_000 })
 */
export class RateLimitError extends ConnectorError {
  declare readonly kind: 'rate-limit';
  /** Milliseconds to wait from the moment the error was made; never negative. */
  readonly retryAfterMs: number;
  /** When requests are welcome again. */
  readonly resumeAt: Date;

  constructor(message: string | undefined, options: ConnectorErrorDetails & Wait & { status?: 403 | 429 | 503 });
  constructor(options: ConnectorErrorDetails & Wait);
  constructor(
    first: string | undefined | (ConnectorErrorDetails & Wait),
    second?: ConnectorErrorDetails & Wait & { status?: 403 | 429 | 503 },
  ) {
    const options = typeof first === 'object' && first !== null ? { ...first } : second;
    const message = typeof first === 'object' && first !== null ? undefined : first;
    const wait = readWait(options);
    super(message ?? errorTable['rate-limit'].message, withStatus(limitStatus(options), options));
    this.retryAfterMs = wait.retryAfterMs;
    this.resumeAt = wait.resumeAt;
  }
}

const classes = {
  'bad-request': BadRequestError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  'not-found': NotFoundError,
} as const;

/**
 * Creates the error of a kind, in its class (rule E2). A rate limit needs a wait: use {@link RateLimitError}.
 *
 * @param details `status` is used only for the kind `other`.
 */
export function errorOfKind(
  kind: Exclude<ErrorKind, 'rate-limit'>,
  message: string | undefined,
  details: ConnectorErrorOptions,
): ConnectorError {
  if (kind === 'other') return new ConnectorError(message ?? errorTable.other.message, details);
  return new classes[kind](message, details);
}

defineError(ConnectorError, 'ConnectorError');
defineError(BadRequestError, 'BadRequestError', 'bad-request');
defineError(UnauthorizedError, 'UnauthorizedError', 'unauthorized');
defineError(ForbiddenError, 'ForbiddenError', 'forbidden');
defineError(RateLimitError, 'RateLimitError', 'rate-limit');
defineError(NotFoundError, 'NotFoundError', 'not-found');

/**
 * A copy of the details with the status of the class. The status also comes first: V8 takes a slow path for a copy that gets
 * another property afterwards, which costs more than the rest of the error (2.0 µs instead of 0.45).
 */
function withStatus(status: number, details: ConnectorErrorDetails | undefined): ConnectorErrorOptions {
  return Object.assign({ status }, details, { status });
}

function checkOptions(message: unknown, options: ConnectorErrorOptions): ConnectorErrorOptions {
  if (typeof message !== 'string' || message.trim() === '') {
    throw new TypeError('`message` must be a non-empty string: it tells the service why the call failed.');
  }
  const status = options?.status;
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new TypeError(`\`status\` must be an HTTP error status from 400 to 599, got ${String(status)}.`);
  }
  return options;
}

/** 403 by contract; the service also accepts 429 and 503 (rule W3). */
function limitStatus(options: { status?: number } | undefined): number {
  const status = options?.status ?? 403;
  if (status === 403 || status === 429 || status === 503) return status;
  throw new TypeError(`\`status\` of a rate limit must be 403, 429 or 503, got ${String(status)}.`);
}

function readWait(options: Partial<Wait> | undefined): { retryAfterMs: number; resumeAt: Date } {
  const { retryAfterMs, resumeAt } = options ?? {};
  if (retryAfterMs === undefined && resumeAt === undefined) {
    throw new TypeError(
      'A rate limit needs `retryAfterMs` (milliseconds) or `resumeAt` (a Date): the service waits exactly that long.',
    );
  }
  if (resumeAt !== undefined && (!(resumeAt instanceof Date) || Number.isNaN(resumeAt.getTime()))) {
    throw new TypeError('`resumeAt` must be a valid Date.');
  }
  if (retryAfterMs !== undefined && !(Number.isFinite(retryAfterMs) && retryAfterMs >= 0)) {
    throw new TypeError(
      `\`retryAfterMs\` must be a number of milliseconds, zero or more, got ${String(retryAfterMs)}.`,
    );
  }
  const now = Date.now();
  return {
    retryAfterMs: retryAfterMs ?? Math.max(0, (resumeAt as Date).getTime() - now),
    resumeAt: resumeAt ?? new Date(Math.min(now + (retryAfterMs as number), latestDateMs)),
  };
}
