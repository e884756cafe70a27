import { Readable } from 'node:stream';

/** What a transport can send. */
export type RequestBody = string | Uint8Array | Readable | ReadableStream<Uint8Array>;
/** A body, or a factory that makes it anew for every try: what a stream needs to be sent again (rule G8). */
export type BodyOption = RequestBody | (() => RequestBody | Promise<RequestBody>);

/** Makes the body of one try after the other. */
export interface BodySource {
  /** `content-type` that the kind of body implies. */
  readonly contentType: string | undefined;
  /** Whether {@link next} works again after it was called. */
  readonly replayable: boolean;
  next(): RequestBody | undefined | Promise<RequestBody>;
}

const none: BodySource = { contentType: undefined, replayable: true, next: () => undefined };

/** @throws TypeError when `json` cannot be written as JSON, `body` is nothing that can be sent, or both are given. */
export function toBodySource(options: { json?: unknown; body?: BodyOption | undefined }): BodySource {
  const { json, body } = options;
  if (json !== undefined) {
    if (body !== undefined) throw new TypeError('`json` and `body` exclude each other.');
    const text = toJson(json);
    return { contentType: 'application/json', replayable: true, next: () => text };
  }
  if (body === undefined || body === null) return none;
  if (typeof body === 'function') {
    return { contentType: undefined, replayable: true, next: () => fromFactory(body) };
  }
  const sendable = checkBody(body, '`body`');
  const replayable = typeof sendable === 'string' || sendable instanceof Uint8Array;
  return { contentType: undefined, replayable, next: () => sendable };
}

async function fromFactory(factory: () => RequestBody | Promise<RequestBody>): Promise<RequestBody> {
  return checkBody(await factory(), 'What the `body` factory returns');
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
