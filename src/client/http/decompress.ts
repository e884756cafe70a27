import { pipeline, Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  type InputType,
  inflate,
  inflateRaw,
  type ZlibOptions,
} from 'node:zlib';
import type { RequestLine } from '../../contract/index.js';
import { RequestError } from '../errors.js';
import { quoteShort } from './read-success.js';
import { headerValue, type ResponseOutcome } from './wire.js';

type Decompress = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;

const gunzipBody: Decompress = promisify(gunzip);
const inflateBody: Decompress = promisify(inflate);
const inflateRawBody: Decompress = promisify(inflateRaw);

/** The supported content codings (RFC 9110, 8.4.1). */
const decompressors: Readonly<Record<string, Decompress>> = {
  gzip: gunzipBody,
  'x-gzip': gunzipBody,
  br: promisify(brotliDecompress),
  // Some servers omit the zlib wrapper that the standard requires.
  deflate: (bytes, options) =>
    (((bytes as Uint8Array)[0] ?? 0) % 16 === 8 ? inflateBody : inflateRawBody)(bytes, options),
};

const streamDecompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
};

/** No server compresses twice, and each layer of a decompression bomb costs time. */
const maxLayers = 3;

/**
 * Decompresses a body into at most `maxBytes` (rules D1, E8). Never rejects: `end` says whether the body is too large,
 * broken or encoded in an unknown way.
 */
export async function decompress(response: ResponseOutcome, maxBytes: number): Promise<ResponseOutcome> {
  const layers = layersOf(headerValue(response.headers, 'content-encoding') ?? '');
  const unknown = layers.find((name) => !Object.hasOwn(decompressors, name));
  if (unknown !== undefined) {
    return undecodable(response, new Error(`the content-encoding ${quoteShort(unknown)} is unknown`));
  }
  if (layers.length > maxLayers) return undecodable(response, new Error('it is compressed too many times'));
  let { body } = response;
  try {
    for (const name of layers.reverse()) {
      body = await (decompressors[name] as Decompress)(body, { maxOutputLength: maxBytes });
    }
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? { ...response, body: new Uint8Array(), end: 'too-large' } : undecodable(response, error);
  }
  return { ...response, body };
}

/** The codings that were applied to a body, in that order. */
function layersOf(contentEncoding: string): string[] {
  const names = contentEncoding.toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
}

function undecodable(response: ResponseOutcome, error: unknown): ResponseOutcome {
  return { ...response, body: new Uint8Array(), end: 'undecodable', error };
}

/**
 * Decompresses the body of a connector that compresses although the request asked it not to (rule D1).
 *
 * @throws RequestError (or the stream fails with it): INVALID_ENCODING for an unknown or broken encoding,
 *   RESPONSE_TOO_LARGE beyond `maxBytes`.
 */
export function decompressStream(
  stream: ReadableStream<Uint8Array>,
  encoding: string,
  { request, status, maxBytes }: { request: RequestLine; status: number; maxBytes: number },
): ReadableStream<Uint8Array> {
  const layers = layersOf(encoding);
  if (layers.length === 0) return stream;
  const [name = ''] = layers;
  const invalid = (reason: string, cause?: unknown) => {
    const message = `the response cannot be decompressed: ${reason}`;
    return new RequestError(message, { code: 'INVALID_ENCODING', request, status, cause });
  };
  if (layers.length > 1 || !Object.hasOwn(streamDecompressors, name)) {
    void stream.cancel().catch(() => {});
    throw invalid('its content-encoding is unknown');
  }
  let size = 0;
  let sourceError: unknown;
  const compressed = Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
  compressed.once('error', (error) => {
    sourceError = error;
  });
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      const isTooLarge = size > maxBytes;
      const message = 'the response is larger than `maxStreamBytes`';
      done(isTooLarge ? new RequestError(message, { code: 'RESPONSE_TOO_LARGE', request, status }) : null, chunk);
    },
    destroy(error, done) {
      const isKnown = error === null || error === sourceError || error instanceof RequestError;
      done(isKnown ? error : invalid(error.message, error));
    },
  });
  pipeline(compressed, (streamDecompressors[name] as () => Transform)(), counted, () => {});
  return Readable.toWeb(counted) as ReadableStream<Uint8Array>;
}
