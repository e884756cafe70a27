/** What was read of a body, and whether there was more. */
export interface LimitedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly truncated: boolean;
}

/**
 * Reads at most `maxBytes` of a body and cancels the rest, whatever `content-length` says.
 *
 * @throws what the stream fails with.
 */
export async function readLimited(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<LimitedBytes> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) break; // which cancels the rest
  }
  return { bytes: joinBytes(chunks).subarray(0, maxBytes), truncated: length > maxBytes };
}

export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** The charset that a content type names, in lower case; `undefined` if it is UTF-8 or none. */
export function charsetOf(contentType: string): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1]?.toLowerCase();
  return charset === '' || charset === 'utf-8' || charset === 'utf8' ? undefined : charset;
}

/** The charset that XML names in its first line. */
export function charsetOfXml(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 100));
  return /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)/.exec(head)?.[1]?.toLowerCase();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A strict decoder: for UTF-8 by default; a byte order mark decides if the charset is UTF-16 without an order, or missing.
 *
 * @throws RangeError for an unknown charset.
 */
export function decoderOf(charset: string | undefined, { 0: first, 1: second }: Uint8Array): TextDecoder {
  const mayHaveMark = charset === undefined || charset === 'utf-16';
  const isBigEndian = mayHaveMark && first === 0xfe && second === 0xff;
  const isLittleEndian = mayHaveMark && first === 0xff && second === 0xfe;
  const label = isBigEndian ? 'utf-16be' : isLittleEndian ? 'utf-16le' : charset;
  return label === undefined ? utf8 : new TextDecoder(label, { fatal: true });
}

export const decodeWith = (decoder: TextDecoder, bytes: Uint8Array): string =>
  decoder.encoding === 'windows-1252' ? decodeWindows1252(bytes) : decoder.decode(bytes);

/** The characters of the bytes 0x80 to 0x9f in Windows-1252; all other bytes are as in Latin-1. */
const characters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Decodes Windows-1252, which "Latin-1" and "ASCII" mean on the web, too. Not by TextDecoder: that of Node 20.18.3 and newer,
 * and of versions of Node 22 and 24, makes control characters of the euro sign and of typographic quotes and dashes.
 */
function decodeWindows1252(bytes: Uint8Array): string {
  const part = 8192; // so many arguments a function may have
  let text = '';
  for (let at = 0; at < bytes.length; at += part) text += String.fromCharCode(...bytes.subarray(at, at + part));
  return text.replace(/[\x80-\x9f]/g, (character) => characters[character.charCodeAt(0) - 0x80] as string);
}

/**
 * Text decoded as well as possible, for what nobody can be asked to send again. Without a charset in its content type, XML
 * that is not UTF-8 has the one that it names.
 */
export function decodeLeniently(bytes: Uint8Array, contentType: string | null): string {
  const charset = charsetOf(contentType ?? '');
  try {
    if (charset === undefined) return decodeWith(decoderOf(undefined, bytes), bytes);
  } catch {
    // Not UTF-8.
  }
  try {
    return decodeWith(new TextDecoder(charset ?? charsetOfXml(bytes)), bytes);
  } catch {
    return new TextDecoder().decode(bytes); // the charset is unknown
  }
}

const code = (character: string) => character.charCodeAt(0);
const [quote, backslash] = [code('"'), code('\\')];
const [list, object, endOfList, endOfObject] = [code('['), code('{'), code(']'), code('}')];

/** Whether arrays and objects in this JSON (UTF-8) are nested deeper than `levels` (rule E8). */
export function isNestedDeeper(json: Uint8Array, levels: number): boolean {
  if (json.length <= levels) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length && depth <= levels; index++) {
    const byte = json[index];
    if (byte === quote) inString = !inString;
    else if (inString) index += byte === backslash ? 1 : 0;
    else if (byte === list || byte === object) depth++;
    else if (byte === endOfList || byte === endOfObject) depth--;
  }
  return depth > levels;
}

/** Parses JSON; `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object, and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
