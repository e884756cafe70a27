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
  const chunks = new Chunks();
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) break; // which cancels the rest
  }
  return { bytes: chunks.join().subarray(0, maxBytes), truncated: length > maxBytes };
}

/** Whether responses with this status never have a body. */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** So many chunks are kept as they arrive: each takes memory of its own, however few bytes it has. */
const mostChunks = 256;

/** Collects a foreign body, in whatever chunks it arrives: in linear time, and in memory for its bytes (rule E8). */
export class Chunks {
  readonly #joined: Uint8Array[] = [];
  #latest: Uint8Array[] = [];

  push(chunk: Uint8Array): void {
    if (this.#latest.push(chunk) < mostChunks) return;
    this.#joined.push(joinBytes(this.#latest));
    this.#latest = [];
  }

  /** All bytes; a single chunk is not copied. */
  join(): Uint8Array<ArrayBuffer> {
    const all = [...this.#joined, ...this.#latest];
    return all.length === 1 ? (all[0] as Uint8Array<ArrayBuffer>) : joinBytes(all);
  }
}

function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
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
  const charset = /;\s*charset\s*=\s*["']?([^\s;,"']*)/i.exec(contentType)?.[1]?.toLowerCase();
  return charset === '' || charset === 'utf-8' || charset === 'utf8' ? undefined : charset;
}

/** The charset that XML names in its first line, unless that is UTF-16, in which nobody could have read it so far. */
export function charsetOfXml(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 100));
  const charset = /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)/.exec(head)?.[1]?.toLowerCase();
  return charset?.startsWith('utf-16') ? undefined : charset;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const ascii = /^(?:us-)?ascii$/;

/**
 * A strict decoder: for UTF-8 by default, and for ASCII, which is part of it; a byte order mark decides if the charset is
 * UTF-16 without an order, or missing.
 *
 * @throws RangeError for an unknown charset.
 */
export function decoderOf(charset: string | undefined, { 0: first, 1: second }: Uint8Array): TextDecoder {
  if (charset !== undefined && ascii.test(charset)) return utf8;
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
const windows1252 = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? characters.charCodeAt(byte - 0x80) : byte,
);

/**
 * Decodes Windows-1252, which "Latin-1" means on the web, too. Not by TextDecoder: that of Node 20.18.3 and newer,
 * and of versions of Node 22 and 24, makes control characters of the euro sign and of typographic quotes and dashes.
 */
function decodeWindows1252(bytes: Uint8Array): string {
  const part = 8192; // so many arguments a function may have
  let text = '';
  for (let at = 0; at < bytes.length; at += part) {
    const codes = Uint16Array.from(bytes.subarray(at, at + part), (byte) => windows1252[byte] as number);
    text += String.fromCharCode(...codes);
  }
  return text;
}

/** In these, text that is not plain ASCII is hardly ever valid UTF-8; but much UTF-8 is labelled with them. */
const singleByte = /^(?:(?:us-)?ascii|latin\d|iso-8859|windows-125|cp125)/;

/**
 * Text decoded as well as possible, for what nobody can be asked to send again. Without a charset in its content type, XML
 * that is not UTF-8 has the one that it names.
 *
 * @param isCut whether the end is missing, perhaps in the middle of a character.
 */
export function decodeLeniently(bytes: Uint8Array, contentType: string | null, isCut = false): string {
  const charset = charsetOf(contentType ?? '');
  try {
    if (charset === undefined || singleByte.test(charset)) {
      const decoder = decoderOf(undefined, bytes);
      return isCut && decoder === utf8 ? decodeCut(bytes) : decoder.decode(bytes);
    }
  } catch {
    // Not UTF-8.
  }
  try {
    const named = (charset ?? charsetOfXml(bytes))?.replace(ascii, 'latin1'); // as on the web
    const { encoding } = decoderOf(named, bytes);
    return decodeWith(new TextDecoder(encoding), bytes);
  } catch {
    return new TextDecoder().decode(bytes); // the charset is unknown
  }
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    utf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** With `stream`, a character at the end need not be whole. */
const decodeCut = (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });

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

const alreadyRead = 'BODY_ALREADY_READ';

/** A request's body was read, such as by a parser of the host, before the handler got it, and cannot be made again. */
export function bodyAlreadyReadError(message: string): Error {
  return Object.assign(new Error(message), { code: alreadyRead });
}

/** Whether reading a body failed with {@link bodyAlreadyReadError}, from this or another copy of the package. */
export function isBodyAlreadyRead(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === alreadyRead;
}

/** Tells of the error that a reader gets, and, apart from that, when a reader wants no more or has read it all. */
export function telling<Chunk>(
  stream: ReadableStream<Chunk>,
  tell: (error: unknown) => void,
  cancelled: (reason: unknown) => void = () => {},
  ended: () => void = () => {},
): ReadableStream<Chunk> {
  const reader = stream.getReader();
  const pull = async (controller: ReadableStreamDefaultController<Chunk>) => {
    try {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      controller.close();
      ended();
    } catch (error) {
      tell(error);
      throw error;
    }
  };
  const cancel = (reason: unknown) => {
    cancelled(reason);
    return reader.cancel(reason);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

/** Ends what makes the body of a response that is not used: a file, a generator or a connection would stay open. */
export function cancelBody(response: Response, reason?: unknown): void {
  response.body?.cancel(reason).catch(() => {}); // somebody may be reading it
}

/** Not `instanceof`: a response may come from another copy of fetch. */
export function isResponse(value: unknown): value is Response {
  const response = value as Partial<Response> | undefined | null;
  return typeof response?.status === 'number' && typeof response.headers?.get === 'function';
}

/** What a content type says of a body, for whoever reads it (rule D1). */
export interface MediaType {
  readonly kind: 'json' | 'text' | 'bytes' | 'untyped';
  /** In lower case; `undefined` if it is UTF-8 or none. */
  readonly charset: string | undefined;
}

const jsonType = /^[^;]*[/+]json\s*(;|$)/i;
const textType = /^(?:text\/|application\/(?:xml|x-www-form-urlencoded)\s*(?:;|$)|[^;]*\+xml\s*(?:;|$))/i;

export function toMediaType(contentType: string): MediaType {
  const textOrBytes = textType.test(contentType) ? 'text' : 'bytes';
  const kind = contentType.trim() === '' ? 'untyped' : jsonType.test(contentType) ? 'json' : textOrBytes;
  return { kind, charset: charsetOf(contentType) };
}
