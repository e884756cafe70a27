// A body of one kind or another, made of a seed alone: what is sent, and what has to arrive.
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { seededRandom } from '../simulation/seeded-random.js';

/** What chance decides. */
export class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A whole number from 0 to less than `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  oneOf<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** Mostly short, sometimes nothing, now and then longer than any buffer on the way. */
  length(): number {
    return this.below(2 ** this.oneOf([0, 1, 4, 8, 8, 10, 10, 12, 14, 16, 18]));
  }

  bytes(length = this.length()): Buffer {
    const bytes = Buffer.alloc(length);
    // What repeats is what compression is made for.
    const variety = this.oneOf([2, 16, 256, 256]);
    for (let index = 0; index < length; index++) bytes[index] = this.below(variety);
    return bytes;
  }

  /** Characters from the given ranges of code points. */
  text(ranges: readonly (readonly [from: number, to: number])[], length = Math.min(this.length(), 20_000)): string {
    let text = '';
    for (let index = 0; index < length; index++) {
      const [from, to] = this.oneOf(ranges);
      text += String.fromCodePoint(from + this.below(to - from + 1));
    }
    return text;
  }

  /** The bytes in order, cut anywhere. */
  chunks(bytes: Uint8Array): Uint8Array[] {
    const cuts = Array.from({ length: this.below(6) }, () => this.below(bytes.length + 1)).sort((a, b) => a - b);
    return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
  }
}

const ascii = [0x20, 0x7e] as const;
const everything = [ascii, [0x09, 0x0d], [0xa0, 0x2ff], [0x400, 0x4ff], [0x4e00, 0x9fff], [0x1f300, 0x1f6ff]] as const;

/** Charsets with an encoder of Node's that has nothing to do with the decoder that is tested. */
const charsets = [
  { names: ['utf-8', 'UTF-8', '"utf8"'], ranges: everything, encode: (text: string) => Buffer.from(text) },
  { names: ['us-ascii', 'ascii'], ranges: [ascii], encode: (text: string) => Buffer.from(text, 'latin1') },
  {
    names: ['iso-8859-1', 'ISO-8859-1', 'latin1', 'windows-1252'],
    ranges: [ascii, [0xa0, 0xff]] as const,
    encode: (text: string) => Buffer.from(text, 'latin1'),
  },
  { names: ['utf-16le', 'utf-16'], ranges: everything, encode: (text: string) => Buffer.from(text, 'utf16le') },
  { names: ['utf-16be'], ranges: everything, encode: (text: string) => Buffer.from(text, 'utf16le').swap16() },
] as const;

const encodings: readonly [name: string | undefined, pack: (bytes: Buffer) => Buffer][] = [
  [undefined, (bytes) => bytes],
  [undefined, (bytes) => bytes],
  ['identity', (bytes) => bytes],
  ['gzip', (bytes) => gzipSync(bytes, { level: 1 })],
  ['deflate', (bytes) => deflateSync(bytes, { level: 1 })],
  ['deflate', (bytes) => deflateRawSync(bytes, { level: 1 })],
  ['br', (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
];

export interface RandomResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Uint8Array[];
  /** What the caller has to get. */
  readonly expected: Uint8Array | string | object;
}

export function randomResponse(chance: Chance): RandomResponse {
  const { type, bytes, expected } = chance.oneOf([randomBytes, randomText, randomJson])(chance);
  const [encoding, pack] = chance.oneOf(encodings);
  const packed = pack(bytes);
  return {
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      ...(chance.below(2) === 0 ? { 'content-length': String(packed.length) } : {}),
    },
    chunks: chance.chunks(packed),
    expected,
  };
}

interface RandomContent {
  readonly type: string | undefined;
  readonly bytes: Buffer;
  readonly expected: Uint8Array | string | object;
}

function randomBytes(chance: Chance): RandomContent {
  const type = chance.oneOf(['image/png', 'application/pdf', 'application/octet-stream', 'video/mp4; charset=utf-8']);
  const bytes = chance.bytes();
  return { type, bytes, expected: new Uint8Array(bytes) };
}

function randomText(chance: Chance): RandomContent {
  const charset = chance.oneOf(charsets);
  const text = chance.text(charset.ranges);
  if (charset.names[0] === 'utf-8' && chance.below(3) === 0) {
    const type = chance.oneOf([undefined, 'text/plain', 'application/xml', 'image/svg+xml']);
    return { type, bytes: charset.encode(text), expected: text };
  }
  const essence = chance.oneOf(['text/csv', 'Text/Plain', 'application/xml', 'application/x-www-form-urlencoded']);
  return { type: `${essence}; charset=${chance.oneOf(charset.names)}`, bytes: charset.encode(text), expected: text };
}

function randomJson(chance: Chance): RandomContent {
  const charset = chance.oneOf(charsets);
  const expected = {
    text: chance.text(charset.ranges),
    list: [chance.below(1e9), null, true, { '': chance.below(2) }],
  };
  const type = `${chance.oneOf(['application/json', 'application/hal+json'])}; charset=${chance.oneOf(charset.names)}`;
  return { type, bytes: charset.encode(JSON.stringify(expected)), expected };
}

/** How bytes are given as the body of a request. */
export const bodyKinds = ['bytes', 'blob', 'stream', 'generator', 'form', 'json'] as const;
