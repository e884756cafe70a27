import {
  BadRequestError,
  type ConnectorErrorDetails,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  UnauthorizedError,
  type Wait,
} from '../../contract/index.js';
import { createErrorWriter } from './error-writer.js';
import type { ErrorFormatOptions } from './options.js';

export interface ErrorResponseOptions extends ErrorFormatOptions {
  /** Values to redact: those of the session and of initialize's parameters (rule E5). */
  redact?: Iterable<string> | undefined;
}

/**
 * Turns any thrown value into the contract's response (rules E1-E5, W2): a contract error with its status, code and message,
 * everything else as a 500 without details.
 *
 * @throws TypeError naming the invalid option; never for what was thrown.
 * @example
 * try {
 *   return Response.json(await readIssue(id))
 * } catch (error) {
 *   return errorResponse(error, { redact: [session.token] })
 * }
 */
export function errorResponse(thrown: unknown, options: ErrorResponseOptions = {}): Response {
  const { redact = [], ...format } = options;
  const secrets = [...redact].filter((value) => typeof value === 'string');
  const { status, headers, body } = createErrorWriter(format)(thrown, secrets);
  const response = new Response(body, { status, headers });
  originals.set(response, { thrown });
  return response;
}

/**
 * The errors behind the responses of this file. A connector whose handler returns one rewrites it with its own wait header
 * and without its session's secrets.
 */
export const originals = new WeakMap<Response, { readonly thrown: unknown }>();

/** 400: the request itself is wrong, for example its payload. The service reports it and does not retry. */
export function badRequest(message?: string, details?: ConnectorErrorDetails): Response {
  return errorResponse(new BadRequestError(message, details));
}

/** 401: the session is missing, expired or refused. The service calls initialize and sends the request again. */
export function unauthorized(message?: string, details?: ConnectorErrorDetails): Response {
  return errorResponse(new UnauthorizedError(message, details));
}

/** 403 without the wait header: access is denied. The service reports it and does not wait (rule W2). */
export function forbidden(message?: string, details?: ConnectorErrorDetails): Response {
  return errorResponse(new ForbiddenError(message, details));
}

/** 404: the resource is not available. The service reports it. */
export function notFound(message?: string, details?: ConnectorErrorDetails): Response {
  return errorResponse(new NotFoundError(message, details));
}

/** How long to wait, and how to write it if not as `Retry-After` in seconds. */
export type RateLimitedOptions = ConnectorErrorDetails & Wait & Pick<ErrorFormatOptions, 'rateLimit'>;

/**
 * 403 with the wait header: the service waits that long and then continues (rule W2). Seconds are rounded up. In a connector
 * its `rateLimit` option names the header.
 *
 * @throws TypeError without `retryAfterMs` or `resumeAt`.
 * @example
 * return rateLimited('100 calls a minute are allowed', { retryAfterMs: 12_000 })
 */
export function rateLimited(message: string | undefined, options: RateLimitedOptions): Response;
export function rateLimited(options: RateLimitedOptions): Response;
export function rateLimited(first: string | undefined | RateLimitedOptions, second?: RateLimitedOptions): Response {
  const error = new RateLimitError(first as string | undefined, second as RateLimitedOptions);
  const { rateLimit } = (second ?? first) as RateLimitedOptions;
  return errorResponse(error, { rateLimit });
}
