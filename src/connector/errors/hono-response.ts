import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { WireError } from './error-writer.js';

/**
 * Creates the error response. It keeps the headers that middleware has set for every response (a request id, CORS), but none
 * of a response that failed after it was created.
 */
export function toHonoResponse(c: Context, error: WireError): Response {
  if (c.finalized) c.res = undefined;
  else forgetHeaders(c, [...error.staleHeaders, ...Object.keys(error.headers)]);
  const response = c.newResponse(error.body, error.status as ContentfulStatusCode, error.headers);
  for (const name of error.staleHeaders) {
    if (error.headers[name] === undefined) response.headers.delete(name);
  }
  return response;
}

/** Of headers that were set before there was a response: Hono copies them to any that follows, over its own. */
export function forgetHeaders(c: Context, names: Iterable<string>): void {
  for (const name of names) c.header(name);
}
