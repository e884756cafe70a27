import { promisify } from 'node:util';
import { brotliDecompress, gunzip, type InputType, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { type Answered, headerValue } from './wire.js';

type Unpacker = (bytes: InputType, options: ZlibOptions) => Promise<Buffer>;

const ofGzip: Unpacker = promisify(gunzip);
const ofZlib: Unpacker = promisify(inflate);
const ofDeflate: Unpacker = promisify(inflateRaw);

/** The content codings that are unpacked (RFC 9110, 8.4.1). */
const unpackers: Readonly<Record<string, Unpacker>> = {
  gzip: ofGzip,
  'x-gzip': ofGzip,
  br: promisify(brotliDecompress),
  // Some servers leave out the wrapper that the standard asks for.
  deflate: (bytes, options) => (((bytes as Uint8Array)[0] ?? 0) % 16 === 8 ? ofZlib : ofDeflate)(bytes, options),
};

/** What the client asks for where it unpacks by itself. */
export const acceptedEncodings = 'gzip, br, deflate';

/** Nobody packs twice, and each layer of a bomb costs time. */
const mostLayers = 3;

/** Whether a body has to go through {@link unpack}. */
export function isPacked({ headers, body, end }: Answered): boolean {
  return headers['content-encoding'] !== undefined && body.length > 0 && end === 'whole';
}

/**
 * Unpacks a compressed body into at most `maxBytes` (rules D1, E8). Never rejects: what is larger, broken or packed in another way
 * is said by `end`.
 */
export async function unpack(response: Answered, maxBytes: number): Promise<Answered> {
  const layers = layersOf(headerValue(response.headers, 'content-encoding') ?? '');
  const unknown = layers.find((name) => !Object.hasOwn(unpackers, name));
  if (unknown !== undefined) return failed(response, new Error(`${named(unknown)} is no known content-encoding`));
  if (layers.length > mostLayers) return failed(response, new Error('it is packed too many times'));
  let { body } = response;
  try {
    for (const name of layers.reverse()) {
      body = await (unpackers[name] as Unpacker)(body, { maxOutputLength: maxBytes });
    }
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? { ...response, body: new Uint8Array(), end: 'too-large' } : failed(response, error);
  }
  return { ...response, body };
}

/** A name that a connector gave, where it is one: a part of a longer one might be a part of a secret. */
export function named(name: string): string {
  return name.length > 40 ? 'a name of more than 40 characters' : JSON.stringify(name);
}

/** The codings that a body was packed in, the first one first. */
export function layersOf(contentEncoding: string): string[] {
  const names = contentEncoding.toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
}

function failed(response: Answered, error: unknown): Answered {
  return { ...response, body: new Uint8Array(), end: 'packed', error };
}
