import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { cancelBody } from '../../internal/index.js';
import type { WireError } from './error-writer.js';
import { timeHeaders } from './options.js';

/**
 * Creates the error response. It keeps the headers that middleware has set for every response (a request id, CORS), but none
 * of a response that failed after it was created.
 */
export function toHonoResponse(c: Context, error: WireError): Response {
  if (c.finalized) {
    cancelBody(c.res);
    c.res = undefined;
  } else forgetHeaders(c, error);
  const response = c.newResponse(error.body, error.status as ContentfulStatusCode, error.headers);
  for (const name of error.staleHeaders) {
    if (error.headers[name] === undefined) response.headers.delete(name);
  }
  return response;
}

/**
 * Forgets the headers that an error makes wrong: Hono copies those that were set before there was a response to any that
 * follows, over its own.
 */
export function forgetHeaders(c: Context, { staleHeaders, headers }: WireError): void {
  for (const name of [...staleHeaders, ...timeHeaders, ...Object.keys(headers)]) {
    if (name !== 'set-cookie' && name !== 'vary') c.header(name);
  }
}
