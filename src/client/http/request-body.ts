import { Readable } from 'node:stream';

/** What a transport can send. */
export type RequestBody = string | Uint8Array | Readable | ReadableStream<Uint8Array>;
/** A body, or a factory that makes it anew for every try: what a stream needs to be sent again (rule G8). */
export type BodyOption = RequestBody | (() => RequestBody | Promise<RequestBody>);

/** What the bodies of a call's tries are made from. */
export interface BodySource {
  /** `content-type` that the kind of body implies. */
  readonly contentType: string | undefined;
  /** The same for every try; a stream can be sent only once. */
  readonly fixed?: RequestBody;
  /** Makes a body for each try. */
  readonly factory?: () => RequestBody | Promise<RequestBody>;
}

/** @throws TypeError when `json` cannot be written as JSON, `body` is nothing that can be sent, or both are given. */
export function toBodySource(options: { json?: unknown; body?: BodyOption | undefined }): BodySource {
  const { json, body } = options;
  if (json !== undefined) {
    if (body !== undefined) throw new TypeError('`json` and `body` exclude each other.');
    return { contentType: 'application/json', fixed: toJson(json) };
  }
  if (body === undefined || body === null) return { contentType: undefined };
  if (typeof body === 'function') return { contentType: undefined, factory: body };
  return { contentType: undefined, fixed: checkBody(body, '`body`') };
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
export function isStream(body: RequestBody | undefined): body is Readable | ReadableStream<Uint8Array> {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

function discard(body: RequestBody | undefined): void {
  if (body instanceof Readable) body.destroy();
  else if (isStream(body) && !body.locked) void body.cancel().catch(() => {});
}

function checkBody(body: unknown, what: string): RequestBody {
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof Readable) return body;
  if (typeof ReadableStream !== 'undefined' && body instanceof ReadableStream) return body;
  throw new TypeError(
    `${what} must be a string, a Uint8Array or Buffer, or a Node or web stream; use \`json\` for objects.`,
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
