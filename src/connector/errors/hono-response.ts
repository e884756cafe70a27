import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { WireError } from './error-writer.js';

/**
 * An error answer that keeps the headers which middleware has prepared for every answer (a request id, CORS), and none of
 * an answer that was already there and failed afterwards.
 */
export function toHonoResponse(c: Context, answer: WireError): Response {
  if (c.finalized) c.res = undefined;
  const response = c.newResponse(answer.body, answer.status as ContentfulStatusCode, answer.headers);
  for (const name of answer.staleHeaders) {
    if (answer.headers[name] === undefined) response.headers.delete(name);
  }
  return response;
}

/** Takes off what middleware has put on an error answer and what would make a limit of it (W2). Its encoding stays: it is true. */
export function dropBarredHeader(response: Response, { barredHeader }: WireError): void {
  if (barredHeader !== undefined) response.headers.delete(barredHeader);
}

/**
 * A response of this package's helpers written again, as soon as a handler returns it and before any middleware copies it:
 * `return rateLimited(…)` then carries the connector's own wait header, like a thrown error does.
 */
export function rewrite(response: Response, answer: WireError): Response {
  const headers = new Headers(answer.headers);
  response.headers.forEach((value, name) => {
    const replaced = name === 'retry-after' || answer.staleHeaders.includes(name) || headers.has(name);
    if (!replaced) headers.set(name, value);
  });
  return new Response(answer.body, { status: answer.status, headers });
}
