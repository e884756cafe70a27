import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { checkText, isBytes, toJson } from '../../internal/index.js';
import { isForm, toMultipart } from './multipart.js';
import { BodyFailure, readers, readLazily, type SendingState } from './streamed-upload.js';

/** What a transport can send. */
export type RequestBody =
  | string
  | Uint8Array
  | Blob
  | Readable
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;
/**
 * A body, or a factory that makes a new one for every attempt. Only streams and async iterables need a factory to be
 * sent again (rule G8).
 */
export type BodyOption =
  | RequestBody
  | ArrayBuffer
  | ArrayBufferView
  | FormData
  | URLSearchParams
  | (() => RequestBody | ArrayBuffer | ArrayBufferView | Promise<RequestBody | ArrayBuffer | ArrayBufferView>);

type BodyFactory = Extract<BodyOption, () => unknown>;

/** @throws TypeError if `json` cannot be written as JSON, `body` cannot be sent, or both are given. */
export function toBodySupply(options: { json?: unknown; body?: BodyOption | undefined }): BodySupply {
  const { json, body } = options;
  if (json !== undefined) {
    if (body !== undefined) throw new TypeError('`json` and `body` cannot be combined.');
    return new BodySupply(toJson(json, '`json`'), 'application/json');
  }
  if (body === undefined || body === null) return noBody;
  if (typeof body === 'function') return new BodySupply(body);
  if (body instanceof URLSearchParams) {
    return new BodySupply(body.toString(), 'application/x-www-form-urlencoded;charset=UTF-8');
  }
  const given = isForm(body) ? toMultipart(body) : checkBody(body, '`body`');
  // The caller may use its buffer again, long before a call that waits is sent.
  const fixed = isBytes(given) ? new Uint8Array(given) : given;
  return new BodySupply(fixed, (fixed as Partial<Blob>).type || undefined);
}

/** Whether a body can be read only once. */
function isStream(body: unknown): body is Exclude<RequestBody, string | Uint8Array | Blob> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** @throws TypeError for what cannot be sent. */
function checkBody(body: unknown, name: string): RequestBody {
  if (typeof body === 'string') return checkText(body, name);
  if (isBytes(body) || body instanceof Blob) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (isStream(body)) {
    // Whoever reads the stream learns of its error; before that, nobody would, and the error would end the process.
    if (body instanceof Readable) body.on('error', () => {});
    return body;
  }
  throw new TypeError(
    `${name} must be a string, a Buffer, an ArrayBuffer or a view of one, such as a Uint8Array, a Blob or File, a Node or web stream, or an async iterable${
      name === '`body`' ? ', a standard FormData or URLSearchParams' : ''
    }; use \`json\` for objects.`,
  );
}

/** Supplies each attempt of a call with its body, and destroys streams that are no longer needed (rule G8). */
export class BodySupply {
  /** The same body for every attempt, of which a stream can be sent only once; or what makes a new one. */
  readonly #source: RequestBody | BodyFactory | undefined;
  /** The `content-type` that the kind of body implies. */
  readonly contentType: string | undefined;
  #produced: RequestBody | undefined;

  constructor(source?: RequestBody | BodyFactory, contentType?: string) {
    this.#source = source;
    this.contentType = contentType;
  }

  get isGiven(): boolean {
    return this.#source !== undefined;
  }

  /** How many bytes will be sent; `undefined` if only the caller knows. */
  get length(): number | undefined {
    const source = this.#source ?? '';
    if (typeof source === 'function' || isStream(source)) return undefined;
    return source instanceof Blob ? source.size : Buffer.byteLength(source);
  }

  /** Whether {@link body} can be sent; if not, call {@link prepare}. */
  get ready(): boolean {
    return typeof this.#source !== 'function' || this.#produced !== undefined;
  }

  /** Whether the body can be sent more than once: the first attempt uses up a stream without a factory. */
  get replayable(): boolean {
    return !isStream(this.#source);
  }

  get body(): RequestBody | undefined {
    return typeof this.#source === 'function' ? this.#produced : this.#source;
  }

  /**
   * @param ends abort when the call is over: a body that comes later is discarded.
   * @throws what the factory throws, or TypeError if it returns something that cannot be sent.
   */
  async prepare(...ends: (AbortSignal | undefined)[]): Promise<void> {
    const body = checkBody(await (this.#source as BodyFactory)(), 'What the `body` factory returns');
    if (ends.some((end) => end?.aborted)) discard(body);
    else this.#produced = body;
  }

  /** Discards what is left of the body. */
  release(): void {
    this.discardProduced();
    discard(this.#source);
  }

  /** For a response that may begin before all of the body is sent. @returns what is to be released before it ends. */
  releaseAfter(response: { onEnd(callback: () => void): void }): BodySupply {
    response.onEnd(() => this.release());
    return noBody;
  }

  /** Discards what the factory made. */
  discardProduced(): void {
    discard(this.#produced);
    this.#produced = undefined;
  }
}

/** Calls without a body share one: a hundred thousand of them may wait at once. */
const noBody = new BodySupply();

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

export interface OutgoingBody extends SendingState {
  /** Bytes and text as they are; everything else as an async iterable. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** The length of a Blob. */
  readonly length?: number;
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
