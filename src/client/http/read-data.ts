import { isNestedDeeper } from '../../internal/index.js';
import { Unreadable } from '../errors.js';
import { named } from './unpack.js';
import { headerValue, type WireResponse } from './wire.js';

/** What the body of a success is read as; {@link RequestOptions.responseType} says what each means. */
export type ResponseType = 'auto' | 'json' | 'text' | 'bytes' | 'stream';

export interface Reading {
  readonly method: string;
  readonly responseType: ResponseType;
  /** Whether there is a schema: then data is expected, and a body that says nothing of itself is none. */
  readonly isChecked: boolean;
  readonly parseJson: ((text: string) => unknown) | undefined;
}

/** The data of a success, or `undefined` where there is none (rule D1). @throws Unreadable when it is not what was asked for. */
export function readData(response: WireResponse, reading: Reading): unknown {
  if (response.incoming !== undefined) return response.incoming;
  const { status, body } = response;
  if (status === 204 || status === 205 || status === 304 || reading.method === 'HEAD') return undefined;
  const { responseType } = reading;
  const { kind, charset } = mediaTypeOf(headerValue(response.headers, 'content-type') ?? '');
  const type = responseType === 'auto' ? kind : responseType;
  if (type === 'json') return readJson(body, charset, reading.parseJson);
  if (type === 'untyped' && reading.isChecked) {
    const what = body.length === 0 ? 'has neither a body nor' : 'does not have';
    throw new Unreadable('INVALID_JSON', `JSON was expected, and the answer ${what} a content type${advice(body)}`);
  }
  // A copy: other bytes of the same connection may lie beside these.
  return type === 'bytes' ? new Uint8Array(body) : decode(body, charset);
}

const advice = (body: Uint8Array) =>
  body.length === 0 ? '' : "; `responseType: 'json'` reads it as JSON, whatever it says it is";

interface MediaType {
  readonly kind: 'json' | 'text' | 'bytes' | 'untyped';
  readonly charset: string | undefined;
}

const jsonType = /^[^;]*[/+]json\s*(;|$)/i;
const textType = /^\s*(?:text\/|application\/(?:xml|x-www-form-urlencoded)\s*(?:;|$)|[^;]*\+xml\s*(?:;|$))/i;
const charsetParameter = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** The type that was read last: a connector nearly always answers with the same. */
let latest: { readonly value: string; readonly type: MediaType } = { value: '', type: toMediaType('') };

function mediaTypeOf(value: string): MediaType {
  if (value !== latest.value) latest = { value, type: toMediaType(value) };
  return latest.type;
}

function toMediaType(value: string): MediaType {
  const charset = charsetParameter.exec(value)?.[1]?.toLowerCase();
  const textOr = textType.test(value) ? 'text' : 'bytes';
  const kind = value.trim() === '' ? 'untyped' : jsonType.test(value) ? 'json' : textOr;
  return { kind, charset: charset === '' || charset === 'utf-8' || charset === 'utf8' ? undefined : charset };
}

/** A body for a person to read: as well as it can be, and `undefined` where it is no text. */
export function textOf(body: Uint8Array, contentType: string | undefined): string | undefined {
  const { kind, charset } = toMediaType(contentType ?? '');
  if (kind === 'bytes') return undefined;
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** Deeper than any data, and not deep enough for what walks through it to run out of stack (rule E8). */
const mostLevels = 1000;

function readJson(body: Uint8Array, charset: string | undefined, parse: Reading['parseJson']): unknown {
  if (body.length === 0) throw new Unreadable('INVALID_JSON', 'JSON was expected, and the answer has no body');
  const text = decode(body, charset, 'INVALID_JSON');
  if (isNestedDeeper(charset === undefined ? body : Buffer.from(text), mostLevels)) {
    throw new Unreadable('INVALID_JSON', `the answer is nested more than ${mostLevels} levels deep`);
  }
  try {
    return parse === undefined ? JSON.parse(text) : parse(text);
  } catch (error) {
    // What V8 throws quotes the body (rule S7); what the caller's own function throws is the caller's.
    throw new Unreadable('INVALID_JSON', 'JSON was expected, and the answer cannot be parsed as such', error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Unreadable where the bytes are no text of that charset: nothing is replaced in silence. */
function decode(
  bytes: Uint8Array,
  charset: string | undefined,
  code: 'INVALID_TEXT' | 'INVALID_JSON' = 'INVALID_TEXT',
) {
  const decoder = decoderOf(charset, bytes);
  try {
    return decoder.decode(bytes);
  } catch {
    const problem = `the answer is not valid ${decoder.encoding}, which its content type makes it`;
    throw new Unreadable(code, `${problem}; \`responseType: 'bytes'\` gives it as it is`);
  }
}

/** UTF-8 where nothing else is said; a byte order mark tells the UTF-16 of a text that does not say which it is. */
function decoderOf(charset: string | undefined, [first, second]: Uint8Array): TextDecoder {
  const mayBeMarked = charset === undefined || charset === 'utf-16';
  const bigEndian = mayBeMarked && first === 0xfe && second === 0xff;
  const littleEndian = mayBeMarked && first === 0xff && second === 0xfe;
  const label = bigEndian ? 'utf-16be' : littleEndian ? 'utf-16le' : charset;
  if (label === undefined) return utf8;
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    const problem = `the answer is in the charset ${named(label)}, which is not known`;
    throw new Unreadable('INVALID_TEXT', `${problem}; \`responseType: 'bytes'\` gives it as it is`);
  }
}
