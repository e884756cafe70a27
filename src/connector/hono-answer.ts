import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorAnswer } from './error-answer.js';
import { originalError } from './responses.js';

/**
 * An error answer that keeps the headers which middleware has prepared for every answer (a request id, CORS), and none of
 * an answer that was already there and failed afterwards.
 */
export function answerWithHono(c: Context, answer: ErrorAnswer): Response {
  if (c.finalized) c.res = undefined;
  return dropStaleHeaders(c.newResponse(answer.body, answer.status as ContentfulStatusCode, answer.headers), answer);
}

/** Takes off what other code put on an error answer and what would change its meaning, above all a wait header (W2). */
export function dropStaleHeaders(response: Response, answer: ErrorAnswer): Response {
  for (const name of answer.staleHeaders) {
    if (answer.headers[name] === undefined) response.headers.delete(name);
  }
  return response;
}

/**
 * Has the responses of this package's helpers written again as soon as a handler returns one, before any middleware
 * copies it: `return rateLimited(…)` then carries the connector's own wait header, like a thrown error does.
 */
export function rewriteReturnedError(returned: unknown, write: (thrown: unknown) => ErrorAnswer): unknown {
  const original = originalError(returned as Response);
  return original ? rewrite(returned as Response, write(original.thrown)) : returned;
}

function rewrite(response: Response, answer: ErrorAnswer): Response {
  const headers = new Headers(answer.headers);
  response.headers.forEach((value, name) => {
    const replaced = name === 'retry-after' || answer.staleHeaders.includes(name) || headers.has(name);
    if (!replaced) headers.set(name, value);
  });
  return new Response(answer.body, { status: answer.status, headers });
}
