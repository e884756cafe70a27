import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idLength = 12;
const secretLength = 43;
const checksumLength = 6;

export const defaultKeyPrefix = 'ck';

/** `keyPrefix`: a lowercase letter, then lowercase letters and digits. */
const prefixPattern = /^[a-z][a-z0-9]{1,15}$/;

/**
 * The format of a key's value: `ck_<id 12>_<secret 43><checksum 6>`, letters and digits (rule K2); with another
 * `keyPrefix`, that one in place of `ck`. For a secret scanner, remove the anchors.
 */
export const apiKeyPattern = /^ck_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** Any prefix: keys made before `keyPrefix` was changed stay valid. */
const valuePattern = /^[a-z][a-z0-9]{1,15}_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

const idPattern = /^[0-9A-Za-z]{12}$/;

/** The parts of a key's value. `id` is public; `secret` is never stored, shown or logged. */
export interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

/** Generates a key: a random public id and 256 random bits. */
export function generateKey(prefix = defaultKeyPrefix): KeyParts & { readonly key: string } {
  const id = randomText(idLength);
  const secret = randomText(secretLength);
  const body = `${prefix}_${id}_${secret}`;
  return { id, secret, key: body + checksum(body) };
}

/** Parses a key's value; `undefined` when its format or checksum is wrong, without a look-up. */
export function parseKey(value: string): KeyParts | undefined {
  const match = valuePattern.exec(value);
  if (match === null) return undefined;
  const [, id, secret, given] = match as unknown as [string, string, string, string];
  return checksum(value.slice(0, -checksumLength)) === given ? { id, secret } : undefined;
}

/** Whether a text has the value of a key in it, whatever the prefix, and whether or not the checksum fits. */
export function containsKey(text: string): boolean {
  return /_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}(?![0-9A-Za-z])/.test(text);
}

export function isKeyPrefix(value: unknown): boolean {
  return typeof value === 'string' && prefixPattern.test(value);
}

export function isApiKeyId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value);
}

/** CRC-32 of everything before it, in base 62. It catches typos and look-alikes; it protects nothing. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < checksumLength; place++) {
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // Bytes beyond the last multiple of 62 would favor the first letters.
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}
