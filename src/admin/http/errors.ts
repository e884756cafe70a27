import { ApiKeyError, type ApiKeyErrorKind, type FieldError, isApiKeyError } from '../../api-keys/index.js';
import { defineError } from '../../internal/index.js';

/** The body of every error of the Admin API (specification 7.1, rules K9 and K13). */
export interface AdminErrorBody {
  readonly errorMessage: string;
  readonly stackTrace: null;
  /** Only with 400: what is wrong, field by field. */
  readonly fieldErrors?: readonly FieldError[];
}

/** An HTTP error that is not about API keys, such as an unknown route or an unreadable body. */
export class AdminHttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

defineError(AdminHttpError, 'AdminHttpError');

export const authenticationFailedMessage =
  'Authentication failed. Valid credentials are required to access this resource.';

/** Rule K13. */
const statusOfKind: Readonly<Record<ApiKeyErrorKind, number>> = {
  validation: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  unavailable: 503,
};

/** A refusal of one field. */
export function invalidField(field: string, message: string): ApiKeyError {
  return new ApiKeyError('validation', message, { fieldErrors: [{ field, message }] });
}

/** The one response to every failed authentication (rule K9). */
export function authenticationFailedError(): AdminHttpError {
  return new AdminHttpError(401, authenticationFailedMessage, { headers: { 'www-authenticate': 'ApiKey' } });
}

export function tooManyFailuresError(retryAfterMs: number): AdminHttpError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new AdminHttpError(429, 'Too many failed attempts. Wait before you try again.', {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Not a failure of the caller: too many checks are waiting (rule K14). */
export function busyError(): AdminHttpError {
  return new AdminHttpError(503, 'Too many passwords are being checked at this moment. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  });
}

/** The host's set-up is wrong: the client gets the remedy as well, because whoever sets it up is the first to see it. */
export function mountOrderError(): AdminHttpError {
  const message =
    'The body of this request was read before the administration got it. Mount the administration before the body parser, or keep what was parsed in `body` of the incoming message, as Express does.';
  return new AdminHttpError(500, message, { cause: new Error(message) });
}

/** The response to anything thrown. What is not `expected` is not the client's doing: report it to the host. */
export function describeFailure(thrown: unknown): {
  readonly status: number;
  readonly body: AdminErrorBody;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: boolean;
} {
  if (thrown instanceof AdminHttpError) {
    return {
      status: thrown.status,
      body: errorBody(thrown.message),
      headers: thrown.headers,
      expected: thrown.cause === undefined,
    };
  }
  if (isApiKeyError(thrown)) {
    return {
      status: statusOfKind[thrown.kind],
      body: errorBody(thrown.message, thrown.fieldErrors),
      headers: thrown.kind === 'unavailable' ? { 'retry-after': '5' } : {},
      expected: thrown.kind !== 'unavailable',
    };
  }
  return { status: 500, body: errorBody('The request failed unexpectedly.'), headers: {}, expected: false };
}

function errorBody(errorMessage: string, fieldErrors: readonly FieldError[] = []): AdminErrorBody {
  return { errorMessage, stackTrace: null, ...(fieldErrors.length > 0 && { fieldErrors }) };
}
