import {
  ConnectorError,
  type ConnectorErrorDetails,
  errorOfKind,
  isConnectorError,
  kindOfStatus,
  parseWait,
  RateLimitError,
} from '../../contract/index.js';

/** What the service reads when a connector failed in a way that its author did not foresee (rule E4). */
export const internalErrorCode = 'INTERNAL_ERROR';
const internalErrorMessage = 'The connector failed while handling this request.';

/** How long to wait when a limit does not say (rule W6). */
export const fallbackWaitMs = 60_000;

/**
 * Turns whatever was thrown into the one error that is answered. Contract errors stay as they are, also those of another
 * copy of this package; a Hono `HTTPException` and an error that says `expose: true` (http-errors, body-parser) keep their
 * status and message, as their authors meant them to be read. Anything else is a 500 that tells nothing (rule E4): the
 * real error is its `cause`, and its `detail` only with `exposeDetail`. Never throws.
 *
 * @example
 * toConnectorError(new Error('no such column: passwd')).toPayload()
 * // { errors: { code: 'INTERNAL_ERROR', message: 'The connector failed while handling this request.' } }
 */
export function toConnectorError(thrown: unknown, options: { exposeDetail?: boolean } = {}): ConnectorError {
  try {
    if (isConnectorError(thrown) && typeof thrown.toPayload === 'function') return thrown;
    const status = publicStatus(thrown);
    if (status !== undefined) return publicError(thrown as PublicError, status);
  } catch {
    // A proxy or getter that throws: certainly nothing that its author meant to be read.
  }
  return new ConnectorError(internalErrorMessage, {
    status: 500,
    code: internalErrorCode,
    cause: thrown,
    detail: options.exposeDetail ? thrown : undefined,
  });
}

interface PublicError extends Error {
  status?: unknown;
  statusCode?: unknown;
  expose?: unknown;
  type?: unknown;
  /** Of a Hono HTTPException: the answer that its author prepared. */
  res?: Response | undefined;
}

/**
 * The status of an error that was made to be answered. A bare `status` is not enough: the errors of HTTP clients carry
 * one too, and it is the end system's.
 */
function publicStatus(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const error = thrown as PublicError & { getResponse?: unknown };
  const status = error.status ?? error.statusCode;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) return undefined;
  return typeof error.getResponse === 'function' || (error.expose === true && status < 500) ? status : undefined;
}

function publicError(error: PublicError, status: number): ConnectorError {
  const headers = error.res === undefined ? undefined : Object.fromEntries(error.res.headers);
  const message = messageOf(error);
  const details: ConnectorErrorDetails = { cause: error, headers };
  if (status === 429) {
    const { waitMs } = parseWait(headers?.['retry-after']);
    return new RateLimitError(message, { ...details, retryAfterMs: waitMs ?? fallbackWaitMs });
  }
  return errorOfStatus(status, message, details);
}

function messageOf(error: PublicError): string | undefined {
  if (error.type === 'entity.parse.failed') return invalidJsonMessage;
  return error.message.trim() === '' ? undefined : error.message;
}

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
