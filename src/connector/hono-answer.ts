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

let resProperty: PropertyDescriptor | undefined;

/**
 * Has the responses of this package's helpers written again as soon as a handler returns one, before any middleware
 * copies it: `return rateLimited(…)` then carries the connector's own wait header, like a thrown error does.
 */
export function rewriteReturnedErrors(c: Context, write: (thrown: unknown) => ErrorAnswer): void {
  resProperty ??= Object.getOwnPropertyDescriptor(Object.getPrototypeOf(c), 'res');
  const { get, set } = resProperty ?? {};
  if (get === undefined || set === undefined) return;
  Object.defineProperty(c, 'res', {
    configurable: true,
    get,
    set(response: Response | undefined) {
      const original = response && originalError(response);
      set.call(c, original ? rewrite(response, write(original.thrown)) : response);
    },
  });
}

function rewrite(response: Response, answer: ErrorAnswer): Response {
  const headers = new Headers(answer.headers);
  response.headers.forEach((value, name) => {
    const replaced = name === 'retry-after' || answer.staleHeaders.includes(name) || headers.has(name);
    if (!replaced) headers.set(name, value);
  });
  return new Response(answer.body, { status: answer.status, headers });
}
