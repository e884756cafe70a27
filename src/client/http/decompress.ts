import { constants } from 'node:buffer';
import { once } from 'node:events';
import { pipeline, Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzip,
  inflate,
  inflateRaw,
} from 'node:zlib';
import type { RequestLine } from '../../contract/index.js';
import { telling } from '../../internal/index.js';
import { RequestError, tooLargeError } from '../errors.js';
import { quoteShort } from './read-success.js';
import { headerValue, type ResponseOutcome, type WireResponse } from './wire.js';

// How a coding is removed from a whole body, and from one that arrives in pieces.
const gzip = { decompress: promisify(gunzip), open: createGunzip };
const deflate = { decompress: promisify(inflate), open: createInflate };
const rawDeflate = { decompress: promisify(inflateRaw), open: createInflateRaw };
const brotli = { decompress: promisify(brotliDecompress), open: createBrotliDecompress };
type Coding = typeof gzip | typeof deflate | typeof brotli;

/** The supported content codings (RFC 9110, 8.4.1). */
const codings: Readonly<Record<string, Coding>> = { gzip, 'x-gzip': gzip, br: brotli, deflate };

/** Some servers omit the zlib wrapper that the standard requires of `deflate`. */
function codingOf(name: string, [first = 0]: Uint8Array): Coding {
  return name === 'deflate' && first % 16 !== 8 ? rawDeflate : (codings[name] as Coding);
}

/** No server compresses twice, and each layer of a decompression bomb costs time. */
const maxLayers = 3;

/**
 * Decompresses a body into at most `maxBytes` (rules D1, E8). Never rejects: `end` says whether the body is too large,
 * broken or encoded in an unknown way.
 */
export async function decompress(response: ResponseOutcome, maxBytes: number): Promise<ResponseOutcome> {
  const problem = encodingProblem(response.headers);
  if (problem !== undefined) return undecodable(response, problem);
  let { body } = response;
  const maxOutputLength = Math.min(maxBytes, constants.MAX_LENGTH); // zlib refuses more
  try {
    for (const name of layersOf(response.headers))
      body = await codingOf(name, body).decompress(body, { maxOutputLength });
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? { ...response, body: new Uint8Array(), end: 'too-large' } : undecodable(response, error);
  }
  return { ...response, body };
}

/** Why a body with this head can be decompressed by nobody, if so. */
export function encodingProblem(headers: WireResponse['headers']): Error | undefined {
  const layers = layersOf(headers);
  const unknown = layers.find((name) => !Object.hasOwn(codings, name));
  if (unknown !== undefined) return new Error(`the content-encoding ${quoteShort(unknown)} is unknown`);
  return layers.length > maxLayers ? new Error('it is compressed too many times') : undefined;
}

/** The codings of a body, the outermost first. */
function layersOf(headers: WireResponse['headers']): string[] {
  const names = (headerValue(headers, 'content-encoding') ?? '').toLowerCase().split(',');
  const layers = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  return layers.reverse();
}

function undecodable(response: ResponseOutcome, error: unknown): ResponseOutcome {
  return { ...response, body: new Uint8Array(), end: 'undecodable', error };
}

/**
 * Decompresses the body of a connector that compresses although the request asked it not to (rule D1), and whose head has
 * no {@link encodingProblem}. The stream fails with a RequestError: INVALID_ENCODING if it is broken, RESPONSE_TOO_LARGE
 * beyond `maxBytes`.
 */
export function decompressStream(
  stream: ReadableStream<Uint8Array>,
  encoding: string,
  {
    request,
    status,
    maxBytes,
    tell,
    over,
  }: { request: RequestLine; status: number; maxBytes: number; tell(error: unknown): void; over(): void },
): ReadableStream<Uint8Array> {
  const layers = layersOf({ 'content-encoding': encoding });
  if (layers.length === 0) return telling(stream, tell, over, over);
  const invalid = (reason: string, cause?: unknown) => {
    const message = `the response cannot be decompressed: ${reason}`;
    return new RequestError(message, { code: 'INVALID_ENCODING', request, status, cause });
  };
  let sourceError: unknown;
  const compressed = Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
  compressed.once('error', (error) => {
    sourceError = error;
  });
  const bounded = () => {
    let size = 0;
    return new Transform({
      transform(chunk: Uint8Array, _encoding, done) {
        size += chunk.length;
        done(size > maxBytes ? tooLargeError('`maxStreamBytes`', { request, status }) : null, chunk);
      },
      destroy(error, done) {
        compressed.destroy(); // a layer that waits for more would not notice that nobody wants it
        const isKnown = error === null || error === sourceError || error instanceof RequestError;
        done(isKnown ? error : invalid(error.message, error));
      },
    });
  };
  const steps = layers.flatMap((name) => [(packed: AsyncIterable<Uint8Array>) => unpack(packed, name), bounded()]);
  const unpacked = pipeline([compressed, ...steps] as Transform[], () => {}) as Transform;
  return telling(Readable.toWeb(unpacked) as ReadableStream<Uint8Array>, tell, over, over);
}

/** Removes one layer. Its first byte has to arrive before it is known how; of nothing, nothing is left. */
async function* unpack(packed: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed, { objectMode: false });
  await once(source, 'readable');
  const begin: Buffer | null = source.read();
  if (begin === null) return;
  source.unshift(begin);
  yield* pipeline(source, codingOf(name, begin).open(), () => {});
}
