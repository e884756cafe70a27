import { defineError, isErrorOf } from '../internal/index.js';

/** The kind of an {@link ApiKeyError}; over HTTP 400, 403, 404, 409 and 503 (rule K13). */
export type ApiKeyErrorKind = 'validation' | 'forbidden' | 'not-found' | 'conflict' | 'unavailable';

export interface FieldError {
  /** The field's wire name, such as `expiresOn`. */
  readonly field: string;
  /** For people, to be shown beside the field. */
  readonly message: string;
}

/** The result of reading one field: its value, or what is wrong with it. */
export type FieldReading<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly error: FieldError; readonly value?: undefined };

export function wrongField(field: string, message: string): FieldReading<never> {
  return { error: { field, message } };
}

/** Why a call on API keys was refused. The message is meant for the user and contains no secret. */
export class ApiKeyError extends Error {
  readonly kind: ApiKeyErrorKind;
  /** One entry for each wrong field; empty unless `kind` is `validation`. */
  readonly fieldErrors: readonly FieldError[];

  constructor(
    kind: ApiKeyErrorKind,
    message: string,
    options?: { fieldErrors?: readonly FieldError[]; cause?: unknown },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.fieldErrors = Object.freeze([...(options?.fieldErrors ?? [])]);
  }
}

defineError(ApiKeyError, 'ApiKeyError');

/** Whether a value is an {@link ApiKeyError}, optionally of one kind, from this or another copy of the package. */
export function isApiKeyError(value: unknown, kind?: ApiKeyErrorKind): value is ApiKeyError {
  return isErrorOf(value, 'ApiKeyError', kind);
}

/** An error for one or more fields; its message joins theirs. */
export function validationError(fieldErrors: readonly FieldError[]): ApiKeyError {
  return new ApiKeyError('validation', fieldErrors.map(({ message }) => message).join(' '), { fieldErrors });
}

// The same error for another user's key and for none at all, so that it reveals no ids (rule K7).
export function notFoundError(): ApiKeyError {
  return new ApiKeyError('not-found', 'API key not found.');
}
