import { telling } from '../../internal/index.js';

/** What of Node's stream is needed. */
interface NodeStream {
  pipe: unknown;
  once(event: 'error', listener: (thrown: unknown) => void): unknown;
}

/**
 * Calls `onFailure` when a body that is a stream fails, before anybody else hears of it.
 *
 * @param body what Fastify sends: Node's or a web stream, a response, or anything else
 * @returns the body to send in its place: the same one, or one that reads it.
 */
export function watchBody(body: unknown, onFailure: (thrown: unknown) => void): unknown {
  const stream = body instanceof Response ? body.body : body;
  if (stream instanceof ReadableStream) {
    if (stream.locked) return body; // Fastify says so
    const watched = telling(stream, onFailure);
    return body instanceof Response ? new Response(watched, body) : watched;
  }
  const { pipe, once } = Object(body) as Partial<NodeStream>;
  if (typeof pipe === 'function' && typeof once === 'function') (body as NodeStream).once('error', onFailure);
  return body;
}
