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
  if (body instanceof Response && body.body !== null) return new Response(watchWebStream(body.body, onFailure), body);
  if (body instanceof ReadableStream) return watchWebStream(body, onFailure);
  const { pipe, once } = Object(body) as Partial<NodeStream>;
  if (typeof pipe === 'function' && typeof once === 'function') (body as NodeStream).once('error', onFailure);
  return body;
}

function watchWebStream(body: ReadableStream, onFailure: (thrown: unknown) => void): ReadableStream {
  if (body.locked) return body;
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          onFailure(error);
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
