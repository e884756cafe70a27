import { Readable } from 'node:stream';
import { toMultipart } from './multipart.js';

/** What a transport can send. */
export type RequestBody =
  | string
  | Uint8Array
  | Blob
  | Readable
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;
/**
 * A body; or a factory that makes it anew for every try: what a stream and an async iterable need to be sent again, and nothing
 * else (rule G8).
 */
export type BodyOption = RequestBody | FormData | URLSearchParams | (() => RequestBody | Promise<RequestBody>);

/** What the bodies of a call's tries are made from. */
export interface BodySource {
  /** `content-type` that the kind of body implies. */
  readonly contentType: string | undefined;
  /** Whether only the caller knows how long it is, and may say so. */
  readonly mayHaveLength?: boolean;
  /** The same for every try; a stream can be sent only once. */
  readonly fixed?: RequestBody;
  /** Makes a body for each try. */
  readonly factory?: () => RequestBody | Promise<RequestBody>;
}

const noBody: BodySource = { contentType: undefined };

/** @throws TypeError when `json` cannot be written as JSON, `body` is nothing that can be sent, or both are given. */
export function toBodySource(options: { json?: unknown; body?: BodyOption | undefined }): BodySource {
  const { json, body } = options;
  if (json !== undefined) {
    if (body !== undefined) throw new TypeError('`json` and `body` exclude each other.');
    return { contentType: 'application/json', fixed: toJson(json) };
  }
  if (body === undefined || body === null) return noBody;
  if (typeof body === 'function') return { ...noBody, factory: body, mayHaveLength: true };
  if (body instanceof URLSearchParams) {
    return { contentType: 'application/x-www-form-urlencoded;charset=UTF-8', fixed: body.toString() };
  }
  if (body instanceof FormData) return toMultipart(body);
  const fixed = checkBody(body, '`body`');
  return { contentType: (fixed as Partial<Blob>).type || undefined, fixed, mayHaveLength: isStream(fixed) };
}

/** Hands out the body of one try after the other, and clears away streams that are no longer needed (rule G8). */
export class BodyFeed {
  readonly #source: BodySource;
  #made: RequestBody | undefined;
  /** How many tries there were. */
  sends = 0;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** Whether {@link body} can be sent as it is; else {@link prepare} it. */
  get ready(): boolean {
    return this.#source.factory === undefined || this.#made !== undefined;
  }

  /** Whether one more try can be made: a stream without a factory is used up by the first. */
  get replayable(): boolean {
    return this.#source.factory !== undefined || this.sends === 0 || !isStream(this.#source.fixed);
  }

  get body(): RequestBody | undefined {
    return this.#made ?? this.#source.fixed;
  }

  /** @throws what the factory throws, or TypeError when it returns nothing that can be sent. */
  async prepare(signal: AbortSignal | undefined): Promise<void> {
    const made = checkBody(await this.#source.factory?.(), 'What the `body` factory returns');
    if (signal?.aborted) discard(made);
    else this.#made = made;
  }

  /** A try with the body is over. */
  sent(): void {
    this.sends++;
    this.release();
  }

  /** Lets go of a body that was made and not sent; one that the caller gave is left alone until it is used. */
  release(): void {
    discard(this.#made);
    if (this.sends > 0) discard(this.#source.fixed);
    this.#made = undefined;
  }
}

/** Whether a body can be read only once. */
export function isStream(body: RequestBody | undefined): body is Exclude<RequestBody, string | Uint8Array | Blob> {
  return typeof body === 'object' && !(body instanceof Uint8Array || body instanceof Blob);
}

function discard(body: RequestBody | undefined): void {
  if (body instanceof Readable) body.destroy();
  else if (body instanceof ReadableStream) {
    if (!body.locked) void body.cancel().catch(() => {});
  } else if (isStream(body)) {
    void Promise.resolve((body as Partial<AsyncGenerator>).return?.(undefined)).catch(() => {}); // of a generator
  }
}

function checkBody(body: unknown, what: string): RequestBody {
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob) return body;
  if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) return body as RequestBody;
  throw new TypeError(
    `${what} must be a string, a Uint8Array or Buffer, a Blob or File, a Node or web stream, or an async iterable${
      what === '`body`' ? ', a FormData or URLSearchParams' : ''
    }; use \`json\` for objects.`,
  );
}

function toJson(json: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(json);
  } catch (cause) {
    throw new TypeError(`\`json\` cannot be written as JSON: ${(cause as Error).message}`, { cause });
  }
  if (text === undefined) throw new TypeError(`\`json\` cannot be written as JSON: it is a ${typeof json}.`);
  return text;
}
