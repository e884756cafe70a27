/** What an {@link ApiKeyError} means over HTTP: 400, 403, 404, 409 (rule K13). */
export type ApiKeyErrorKind = 'validation' | 'forbidden' | 'not-found' | 'conflict';

export interface FieldError {
  /** The field's wire name, such as `expiresOn`. */
  readonly field: string;
  /** For a person, to be shown beside the field. */
  readonly message: string;
}

/** What reading one field gave: its value, or what is wrong with it. */
export type FieldReading<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly error: FieldError; readonly value?: undefined };

const brand = Symbol.for('concordat.ApiKeyError');

/** Why a call on API keys was refused. Its message is meant for the user and holds no secret. */
export class ApiKeyError extends Error {
  readonly kind: ApiKeyErrorKind;
  /** One entry a wrong field; empty unless `kind` is `validation`. */
  readonly fieldErrors: readonly FieldError[];

  constructor(kind: ApiKeyErrorKind, message: string, options?: { fieldErrors?: readonly FieldError[] }) {
    super(message);
    this.kind = kind;
    this.fieldErrors = Object.freeze([...(options?.fieldErrors ?? [])]);
  }
}

// Literals on the prototype survive minifiers; the brand works across copies of the package.
Object.defineProperty(ApiKeyError.prototype, 'name', { value: 'ApiKeyError', configurable: true, writable: true });
Object.defineProperty(ApiKeyError.prototype, brand, { value: true });

/** Whether a value is an {@link ApiKeyError}, optionally of one kind, from this or another copy of the package. */
export function isApiKeyError(value: unknown, kind?: ApiKeyErrorKind): value is ApiKeyError {
  if (typeof value !== 'object' || value === null) return false;
  if ((value as Record<symbol, unknown>)[brand] !== true) return false;
  return kind === undefined || (value as ApiKeyError).kind === kind;
}

/** The error of one or more wrong fields; the message is their messages. */
export function validationError(fieldErrors: readonly FieldError[]): ApiKeyError {
  return new ApiKeyError('validation', fieldErrors.map(({ message }) => message).join(' '), { fieldErrors });
}

// Somebody else's key is answered like none at all, so that ids leak nothing (rule K7).
export function notFoundError(): ApiKeyError {
  return new ApiKeyError('not-found', 'API key not found.');
}
