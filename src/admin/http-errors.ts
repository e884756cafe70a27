import { type ApiKeyErrorKind, type FieldError, isApiKeyError } from '../api-keys/index.js';

/** Body of every error of the Admin API (specification 7.1, rules K9 and K13). */
export interface AdminErrorBody {
  readonly errorMessage: string;
  readonly stackTrace: null;
  /** Only for 400: what is wrong, field by field. */
  readonly fieldErrors?: readonly FieldError[];
}

/** An error with a status, for what is not about API keys: an unknown route, a body that cannot be read. */
export class AdminHttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly fieldErrors: readonly FieldError[];

  constructor(
    status: number,
    message: string,
    options: { headers?: Readonly<Record<string, string>>; fieldErrors?: readonly FieldError[] } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = options.headers ?? {};
    this.fieldErrors = options.fieldErrors ?? [];
  }
}

Object.defineProperty(AdminHttpError.prototype, 'name', {
  value: 'AdminHttpError',
  configurable: true,
  writable: true,
});

export const authenticationFailedMessage =
  'Authentication failed. Valid credentials are required to access this resource.';

const statusOfKind: Readonly<Record<ApiKeyErrorKind, number>> = {
  validation: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
};

/** The HTTP status of what a call on API keys threw; `undefined` when it is no error of theirs (rule K13). */
export function statusOfApiKeyError(thrown: unknown): number | undefined {
  return isApiKeyError(thrown) ? statusOfKind[thrown.kind] : undefined;
}

/** The one answer to whatever failed to authenticate (rule K9). */
export function authenticationFailedError(): AdminHttpError {
  return new AdminHttpError(401, authenticationFailedMessage, { headers: { 'www-authenticate': 'ApiKey' } });
}

/** @param retryAfterMs milliseconds, written as whole seconds and never as 0 */
export function tooManyFailuresError(retryAfterMs: number): AdminHttpError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new AdminHttpError(429, 'Too many failed attempts. Wait before you try again.', {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Nobody failed: there is only more to do than can be done at once (rule K14). */
export function busyError(): AdminHttpError {
  return new AdminHttpError(503, 'Too many passwords are being checked at this moment. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  });
}

/**
 * The status, body and headers of anything thrown. What nobody planned becomes a 500 that tells nothing: report it with
 * `onError` (`expected: false`).
 */
export function describeFailure(thrown: unknown): {
  readonly status: number;
  readonly body: AdminErrorBody;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: boolean;
} {
  if (thrown instanceof AdminHttpError) {
    return {
      status: thrown.status,
      body: errorBody(thrown.message, thrown.fieldErrors),
      headers: thrown.headers,
      expected: true,
    };
  }
  if (isApiKeyError(thrown)) {
    return {
      status: statusOfKind[thrown.kind],
      body: errorBody(thrown.message, thrown.fieldErrors),
      headers: {},
      expected: true,
    };
  }
  return { status: 500, body: errorBody('The request failed unexpectedly.'), headers: {}, expected: false };
}

function errorBody(errorMessage: string, fieldErrors: readonly FieldError[] = []): AdminErrorBody {
  return { errorMessage, stackTrace: null, ...(fieldErrors.length > 0 && { fieldErrors }) };
}
