import { telling } from '../../internal/index.js';

interface WatchedSource {
  readonly init: RequestInit | undefined;
  /** What the body has failed with. Of that fetch throws the same kind of error as when the connection breaks. */
  readonly failure: { readonly error: unknown } | undefined;
}

/** Watches a request body that is a stream, or another iterable that Node's fetch takes. */
export function watchSource(init: RequestInit | undefined): WatchedSource {
  const body: unknown = init?.body;
  let failure: WatchedSource['failure'];
  const tell = (error: unknown) => {
    failure = { error };
  };
  return {
    init: isIterable(body) ? { ...init, body: watched(body, tell) as BodyInit } : init,
    get failure() {
      return failure;
    },
  };
}

function watched(body: AsyncIterable<unknown>, tell: (error: unknown) => void): unknown {
  if (body instanceof ReadableStream && !body.locked) return telling(body, tell);
  return body instanceof ReadableStream ? body : iterate(body, tell);
}

async function* iterate(body: AsyncIterable<unknown>, tell: (error: unknown) => void) {
  try {
    yield* body;
  } catch (error) {
    tell(error);
    throw error;
  }
}

function isIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && (body instanceof ReadableStream || Symbol.asyncIterator in body);
}
