import { pipeline, Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FailedRequest } from '../../contract/index.js';
import { RequestError } from '../errors.js';
import { layersOf } from './unpack.js';

/** The content codings that are unpacked while they arrive (RFC 9110, 8.4.1). */
const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
};

/**
 * Unpacks what a connector packed although it was asked for the bytes as they are (rule D1).
 *
 * @throws RequestError (or the stream fails with it) when it is packed in another way or broken (INVALID_ENCODING), or larger than
 *   `maxBytes` (RESPONSE_TOO_LARGE).
 */
export function unpackStream(
  stream: ReadableStream<Uint8Array>,
  encoding: string,
  { request, status, maxBytes }: { request: FailedRequest; status: number; maxBytes: number },
): ReadableStream<Uint8Array> {
  const layers = layersOf(encoding);
  if (layers.length === 0) return stream;
  const [name = ''] = layers;
  const invalid = (message: string, cause?: unknown) =>
    new RequestError(`the answer cannot be unpacked: ${message}`, { code: 'INVALID_ENCODING', request, status, cause });
  if (layers.length > 1 || !Object.hasOwn(unpackers, name)) {
    void stream.cancel().catch(() => {});
    throw invalid('its content-encoding is not known');
  }
  let size = 0;
  let broken: unknown;
  const packed = Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
  packed.once('error', (error) => {
    broken = error;
  });
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      const isTooLarge = size > maxBytes;
      const message = 'the answer is larger than `maxStreamBytes`';
      done(isTooLarge ? new RequestError(message, { code: 'RESPONSE_TOO_LARGE', request, status }) : null, chunk);
    },
    destroy(error, done) {
      const isKnown = error === null || error === broken || error instanceof RequestError;
      done(isKnown ? error : invalid(error.message, error));
    },
  });
  pipeline(packed, (unpackers[name] as () => Transform)(), counted, () => {});
  return Readable.toWeb(counted) as ReadableStream<Uint8Array>;
}
