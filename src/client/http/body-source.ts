import { Readable } from 'node:stream';
import { checkText, isBytes, toJson } from '../../internal/index.js';
import { isForm, toMultipart } from './multipart.js';

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

export interface BodySource {
  /** The `content-type` that the kind of body implies. */
  readonly contentType: string | undefined;
  /** The same body for every attempt; a stream can be sent only once. */
  readonly fixed?: RequestBody;
  readonly factory?: Extract<BodyOption, () => unknown>;
}

export const noBody: BodySource = { contentType: undefined };

/** @throws TypeError if `json` cannot be written as JSON, `body` cannot be sent, or both are given. */
export function toBodySource(options: { json?: unknown; body?: BodyOption | undefined }): BodySource {
  const { json, body } = options;
  if (json !== undefined) {
    if (body !== undefined) throw new TypeError('`json` and `body` cannot be combined.');
    return { contentType: 'application/json', fixed: toJson(json, '`json`') };
  }
  if (body === undefined || body === null) return noBody;
  if (typeof body === 'function') return { ...noBody, factory: body };
  if (body instanceof URLSearchParams) {
    return { contentType: 'application/x-www-form-urlencoded;charset=UTF-8', fixed: body.toString() };
  }
  if (isForm(body)) return toMultipart(body);
  const given = checkBody(body, '`body`');
  // The caller may use its buffer again, long before a call that waits is sent.
  const fixed = isBytes(given) ? new Uint8Array(given) : given;
  return { contentType: (fixed as Partial<Blob>).type || undefined, fixed };
}

/** How many bytes will be sent; `undefined` if only the caller knows. */
export function lengthOf({ fixed = '', factory }: BodySource): number | undefined {
  if (factory !== undefined || isStream(fixed)) return undefined;
  return fixed instanceof Blob ? fixed.size : Buffer.byteLength(fixed);
}

/** Whether a body can be read only once. */
export function isStream(body: unknown): body is Exclude<RequestBody, string | Uint8Array | Blob> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** @throws TypeError for what cannot be sent. */
export function checkBody(body: unknown, name: string): RequestBody {
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
