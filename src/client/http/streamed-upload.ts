import { Readable } from 'node:stream';
import { checkText, isBytes } from '../../internal/index.js';

/** The caller's body failed while it was being sent: not the connector's failure, and no reason to retry. */
export class BodyFailure extends Error {
  constructor(cause: unknown) {
    super(`\`body\` failed while it was being sent: ${(cause as Error | undefined)?.message ?? cause}`, { cause });
  }
}

export interface SendingState {
  /** Whether some of the stream or Blob is still to be sent; how far other bodies are is not known. */
  isSending?: boolean;
  /** Set once the body has failed. */
  failure?: BodyFailure;
}

/** The readers of web streams that are being sent: only they can cancel those, also in the middle of a read. */
export const readers = new WeakMap<ReadableStream, ReadableStreamDefaultReader<unknown>>();

async function* readWebStream(stream: ReadableStream): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  readers.set(stream, reader);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** The streams and generators that an attempt has begun to read. */
const begun = new WeakSet<object>();

/** What is left of a stream that was read before must not pass for the whole (rule G8). */
async function* readOnce(body: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  const wasRead = Readable.isDisturbed(body as Readable);
  const iterator = body instanceof ReadableStream ? readWebStream(body) : body[Symbol.asyncIterator]();
  const isOnce = body instanceof Readable || body instanceof ReadableStream || (iterator as unknown) === body;
  if (isOnce && begun.has(body)) throw usedUp();
  if (isOnce) begun.add(body);
  let isEmpty = true;
  for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) {
    isEmpty = false;
    yield chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : chunk; // as from a FileHandle's web stream
  }
  if (wasRead && isEmpty) throw usedUp();
}

function usedUp(): TypeError {
  return new TypeError('it has been read already; pass a factory that makes a new one for every attempt');
}

export async function* readLazily(
  open: () => AsyncIterable<unknown>,
  tell: (state: SendingState) => void,
): AsyncGenerator<Uint8Array> {
  let half = ''; // of a character that goes on in the next chunk
  const name = 'its text';
  tell({ isSending: true });
  try {
    for await (const chunk of readOnce(open())) {
      if (typeof chunk === 'string') {
        const text = half + chunk;
        half = /^[\ud800-\udbff]/.exec(text.slice(-1))?.[0] ?? '';
        const whole = half === '' ? text : text.slice(0, -1);
        if (whole !== '') yield Buffer.from(checkText(whole, name));
      } else if (isBytes(chunk)) {
        checkText(half, name);
        if (chunk.length > 0) yield chunk;
      } else {
        const type = chunk === null ? 'null' : `a value of type ${typeof chunk}`;
        throw new TypeError(`it yields ${type} instead of bytes or text`);
      }
    }
    checkText(half, name);
    tell({ isSending: false });
  } catch (error) {
    const failure = new BodyFailure(error);
    tell({ failure });
    throw failure;
  }
}
