import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { WireError } from './error-writer.js';

/**
 * Creates the error response. It keeps the headers that middleware has set for every response (a request id, CORS), but none
 * of a response that failed after it was created.
 */
export function toHonoResponse(c: Context, error: WireError): Response {
  if (c.finalized) c.res = undefined;
  const response = c.newResponse(error.body, error.status as ContentfulStatusCode, error.headers);
  for (const name of error.staleHeaders) {
    if (error.headers[name] === undefined) response.headers.delete(name);
  }
  return response;
}

/** Removes a wait header that middleware has set on an error that is not a rate limit (rule W2). */
export function dropBarredHeader(response: Response, { barredHeader }: WireError): void {
  if (barredHeader !== undefined) response.headers.delete(barredHeader);
}

/**
 * Rewrites a response of this package's helpers as soon as a handler returns it, before any middleware copies it: so
 * `return rateLimited(…)` has the connector's own wait header, like a thrown error.
 */
export function rewrite(response: Response, error: WireError): Response {
  const headers = new Headers(error.headers);
  response.headers.forEach((value, name) => {
    const replaced = name === 'retry-after' || error.staleHeaders.includes(name) || headers.has(name);
    if (!replaced) headers.set(name, value);
  });
  return new Response(error.body, { status: error.status, headers });
}
