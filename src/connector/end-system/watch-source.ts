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
    init: body ? { ...init, body: watched(body, tell) as BodyInit } : init,
    get failure() {
      return failure;
    },
  };
}

/** A stream that is locked, and what is none, is for fetch to judge. */
function watched(body: unknown, tell: (error: unknown) => void): unknown {
  if (body instanceof ReadableStream) return body.locked ? body : telling(body, tell);
  return Symbol.asyncIterator in Object(body) ? iterate(body as AsyncIterable<unknown>, tell) : body;
}

async function* iterate(body: AsyncIterable<unknown>, tell: (error: unknown) => void) {
  try {
    yield* body;
  } catch (error) {
    tell(error);
    throw error;
  }
}
