import { isErrorOf } from '../internal/index.js';
import type { ErrorKind } from './error-table.js';
import type {
  BadRequestError,
  ConnectorError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  UnauthorizedError,
} from './errors.js';

/** What `isConnectorError(value, kind)` narrows to. */
export type ErrorOfKind<K extends ErrorKind> = K extends 'rate-limit'
  ? RateLimitError
  : ConnectorError & { readonly kind: K };

/** Any contract error, as a union by `kind`. */
export type AnyConnectorError =
  | BadRequestError
  | UnauthorizedError
  | ForbiddenError
  | RateLimitError
  | NotFoundError
  | (ConnectorError & { readonly kind: 'other' });

/**
 * Whether a value is a contract error, optionally of one kind. Works where `instanceof` cannot: when the error comes
 * from another copy of this package. A `switch` over `kind` narrows further.
 *
 * @example
 * isConnectorError(new NotFoundError(), 'not-found') // true
 */
export function isConnectorError(value: unknown): value is AnyConnectorError;
export function isConnectorError<K extends ErrorKind>(value: unknown, kind: K): value is ErrorOfKind<K>;
export function isConnectorError(value: unknown, kind?: ErrorKind): boolean {
  return isErrorOf(value, 'ConnectorError', kind);
}
