import type { Context } from 'hono';
import { toJson } from '../../internal/index.js';
import { stateOf } from './request-state.js';

export interface StreamRecordsOptions {
  /** @default 'application/x-ndjson', and 'application/octet-stream' where the first item is bytes */
  contentType?: string | undefined;
}

/**
 * Streams records as they come, one line of JSON each (NDJSON), or bytes: a `Uint8Array` is sent as it is. A failure before
 * the first item becomes the contract's error response. A later one breaks the connection, so that the service never takes
 * some of the records for all of them (rule D2). `onError` gets both. One item is in memory at a time; when the service
 * disconnects the iteration ends (`return()`). For HEAD it ends before the first item.
 *
 * @param iterable anything with `Symbol.asyncIterator` or `Symbol.iterator`: a generator, a database cursor, a
 * `ReadableStream`.
 * @throws whatever the iteration throws for its first item; a TypeError for an item that JSON would change, such as a Map, a
 * promise or `NaN` (rule D1).
 * @example
 * connector.get('/issues', (c) => streamRecords(c, database.iterate('SELECT id, title FROM issue')))
 */
export async function streamRecords(
  c: Context,
  iterable: AsyncIterable<unknown> | Iterable<unknown>,
  { contentType }: StreamRecordsOptions = {},
): Promise<Response> {
  const type = (isBytes: boolean) => contentType ?? (isBytes ? 'application/octet-stream' : 'application/x-ndjson');
  if (c.req.method === 'HEAD') {
    // An iterator, a web stream and a stream of Node may be open already.
    const source = iterable as Partial<Record<'return' | 'cancel' | 'destroy', () => unknown>>;
    await (source.return ?? source.cancel ?? source.destroy)?.call(source);
    return c.newResponse(null, 200, { 'content-type': type(false) });
  }
  const inside = contextOfNow();
  const items = encode(iterable);
  const first = await items.next();
  let pending: IteratorResult<Encoded> | undefined = first;
  const late = (error: unknown): never => {
    stateOf(c).reportLate?.(error, c);
    throw error;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = pending ?? (await inside(() => items.next().catch(late)));
        pending = undefined;
        if (done) controller.close();
        else controller.enqueue(value.bytes);
      },
      async cancel() {
        await inside(() => items.return(undefined));
      },
    },
    { highWaterMark: 0 },
  );
  return c.newResponse(body, 200, { 'content-type': type(first.value?.isBytes ?? false) });
}

/**
 * Runs steps in the async context of this moment (`AsyncLocalStorage`, `contextStorage()` of Hono): whoever reads a body later
 * has another one. A callback runs in the context in which it was added, and adds the next one.
 */
function contextOfNow(): <T>(step: () => Promise<T>) => Promise<T> {
  const steps: (() => void)[] = [];
  let wake = () => {};
  const listen = () => {
    void new Promise<void>((resolve) => (wake = resolve)).then(() => {
      listen();
      for (const step of steps.splice(0)) step();
    });
  };
  listen();
  return (step) =>
    new Promise((resolve) => {
      steps.push(() => resolve(step()));
      wake();
    });
}

interface Encoded {
  readonly bytes: Uint8Array;
  readonly isBytes: boolean;
}

async function* encode(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<Encoded, undefined> {
  const encoder = new TextEncoder();
  for await (const item of items) {
    if (item instanceof Uint8Array) {
      // A stream refuses empty chunks.
      if (item.byteLength > 0) yield { bytes: item, isBytes: true };
      continue;
    }
    yield { bytes: encoder.encode(`${toJson(item, 'A record')}\n`), isBytes: false };
  }
}
