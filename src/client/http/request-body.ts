import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { checkText, isBytes } from '../../internal/index.js';
import { type BodySource, checkBody, isStream, noBody, type RequestBody } from './body-source.js';

/** Supplies each attempt with its body, and destroys streams that are no longer needed (rule G8). */
export class BodySupply {
  /** Calls without a body share one: a hundred thousand of them may wait at once. */
  static for(source: BodySource): BodySupply {
    return source === noBody ? noSupply : new BodySupply(source);
  }

  readonly #source: BodySource;
  #produced: RequestBody | undefined;

  private constructor(source: BodySource) {
    this.#source = source;
  }

  /** Whether {@link body} can be sent; if not, call {@link prepare}. */
  get ready(): boolean {
    return this.#source.factory === undefined || this.#produced !== undefined;
  }

  /** Whether the body can be sent more than once: the first attempt uses up a stream without a factory. */
  get replayable(): boolean {
    return this.#source.factory !== undefined || !isStream(this.#source.fixed);
  }

  get body(): RequestBody | undefined {
    return this.#produced ?? this.#source.fixed;
  }

  /**
   * @param ends abort when the call is over: a body that comes later is discarded.
   * @throws what the factory throws, or TypeError if it returns something that cannot be sent.
   */
  async prepare(...ends: (AbortSignal | undefined)[]): Promise<void> {
    const body = checkBody(await this.#source.factory?.(), 'What the `body` factory returns');
    if (ends.some((end) => end?.aborted)) discard(body);
    else this.#produced = body;
  }

  /** Discards what is left of the body. */
  release(): void {
    this.discardProduced();
    discard(this.#source.fixed);
  }

  /** For a response that may begin before all of the body is sent. @returns what is to be released before it ends. */
  releaseAfter(response: { onEnd(callback: () => void): void }): BodySupply {
    response.onEnd(() => this.release());
    return noSupply;
  }

  /** Discards what the factory made. */
  discardProduced(): void {
    discard(this.#produced);
    this.#produced = undefined;
  }
}

const noSupply = BodySupply.for({ ...noBody });

/** Lets go of a body that is no longer needed: a file that was to be sent would stay open (rule G8). */
export function discard(body: unknown): void {
  // To destroy the request of a server would close its connection, before the server can respond.
  if (body instanceof IncomingMessage && body.method) body.resume();
  else if (body instanceof Readable) body.on('error', () => {}).destroy();
  else if (body instanceof ReadableStream) {
    const reader = readers.get(body);
    if (reader !== undefined || !body.locked) void (reader ?? body).cancel().catch(() => {});
  } else if (isStream(body)) {
    void Promise.resolve((body as Partial<AsyncGenerator>).return?.(undefined)).catch(() => {}); // of a generator
  }
}

/** The caller's body failed while it was being sent: not the connector's failure, and no reason to retry. */
export class BodyFailure extends Error {
  constructor(cause: unknown) {
    super(`\`body\` failed while it was being sent: ${(cause as Error | undefined)?.message ?? cause}`, { cause });
  }
}

export interface OutgoingBody {
  /** Bytes and text as they are; everything else as an async iterable. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** The length of a Blob. */
  readonly length?: number;
  /** Whether some of the stream or Blob is still to be sent; how far other bodies are is not known. */
  isSending?: boolean;
  /** Set once the body has failed. */
  failure?: BodyFailure;
}

/**
 * undici destroys the stream of a request that it does not send, but a request that is held back needs its stream
 * again. So undici gets a generator, which touches the stream only once bytes are really sent.
 */
export function toOutgoingBody(body: RequestBody | undefined): OutgoingBody {
  const isBlob = body instanceof Blob;
  if (!isBlob && !isStream(body)) return { body };
  if (isBlob && body.size === 0) return { body: '' };
  const open = () => (isBlob ? body.stream() : body) as AsyncIterable<unknown>;
  const outgoing: OutgoingBody = { body: readLazily(open, (state) => Object.assign(outgoing, state)) };
  return isBlob ? Object.assign(outgoing, { length: body.size }) : outgoing;
}

/** @returns the failure of the body, unless the connection failed instead. */
export function bodyFailure(outgoing: OutgoingBody, error: unknown): BodyFailure | undefined {
  const { cause } = (error ?? {}) as { cause?: unknown }; // fetch wraps it
  const code = 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH';
  const mismatch = [error, cause].find((each) => (Object(each) as { code?: unknown }).code === code);
  return outgoing.failure ?? (mismatch === undefined ? undefined : new BodyFailure(mismatch));
}

/** The readers of web streams that are being sent: only they can cancel those, also in the middle of a read. */
const readers = new WeakMap<ReadableStream, ReadableStreamDefaultReader<unknown>>();

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

async function* readLazily(
  open: () => AsyncIterable<unknown>,
  tell: (state: Pick<OutgoingBody, 'isSending' | 'failure'>) => void,
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
