import {
  charsetOfXml,
  type DataSchema,
  decodeLeniently,
  decoderOf,
  decodeWith,
  describeIssues,
  isNestedDeeper,
  schemaError,
  toMediaType,
  type Validated,
  validate,
  withoutValues,
} from '../../internal/index.js';
import { Unreadable } from '../errors.js';
import { hasNoBody, headerValue, type WireResponse } from './wire.js';

/** What the body of a success is read as; {@link RequestOptions.responseType} says what each means. */
export type ResponseType = 'auto' | 'json' | 'text' | 'bytes' | 'stream';

/** What `data` is for a {@link ResponseType} that says so; without a body (such as a 204) `undefined`, or an empty stream. */
export interface DataByType {
  text: string | undefined;
  bytes: Uint8Array<ArrayBuffer> | undefined;
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface ReadOptions<Data = unknown> {
  readonly method: string;
  readonly responseType: ResponseType;
  readonly schema: DataSchema<Data> | undefined;
  readonly parseJson: ((text: string) => unknown) | undefined;
}

/** A successful response. */
export interface ConnectorResponse<Data = unknown> {
  /** 200 to 299, or 304 if the call carried a condition. */
  readonly status: number;
  /** The body as `responseType` and `schema` say; `undefined` without one: 204, 205, 304, and responses to HEAD. */
  readonly data: Data;
  readonly headers: Headers;
}

/** Makes a caller's result of the data. The whole response is made only for those who ask for it. */
export type ToResult<Data, Result> = (data: Data, response: () => ConnectorResponse<Data>) => Result;

export function toResponse<Data>({ status, headers: wireHeaders }: WireResponse, data: Data): ConnectorResponse<Data> {
  let headers: Headers | undefined;
  return {
    status,
    data,
    /** Created on first use: most callers only want the data. A property of its own, which a copy (`{ ...response }`) has. */
    get headers() {
      headers ??= toHeaders(wireHeaders);
      return headers;
    },
  };
}

function toHeaders(wireHeaders: WireResponse['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(wireHeaders)) {
    for (const item of Array.isArray(value) ? value : [value ?? '']) {
      // Older versions of undici 7 read a Latin-1 header as UTF-8, and `Headers` does not take what comes of it.
      headers.append(name, item.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'));
    }
  }
  return headers;
}

/**
 * Reads the data of a complete success; synchronously, unless there is a schema.
 *
 * @throws (or rejects with) what `toError` makes of a body that is not what was expected, or that the schema refuses.
 */
export function readSuccess<Data>(
  response: WireResponse,
  options: ReadOptions<Data>,
  toError: (problem: Unreadable) => Error,
): Data | Promise<Data> {
  const { schema } = options;
  const fail = (error: unknown): never => {
    throw error instanceof Unreadable ? toError(error) : error;
  };
  try {
    const data = readData(response, options);
    // A 304 has no data to check.
    if (schema === undefined || response.status === 304) return data as Data;
    return applySchema(schema, data).catch(fail);
  } catch (error) {
    return fail(error);
  }
}

async function applySchema<Data>(schema: DataSchema<Data>, data: unknown): Promise<Data> {
  let result: Validated<Data>;
  try {
    result = await validate(schema, data);
  } catch (error) {
    throw new Unreadable('INVALID_DATA', '`schema` threw an error instead of checking the data', error);
  }
  if (result.issues === undefined) return result.value;
  // What the message quotes of the data is redacted later, like everything that a connector says.
  const issues = withoutValues(schema, result.issues);
  const cause = issues === result.issues ? result.cause : schemaError(issues);
  const what = data === undefined ? 'the response has no body, which' : 'the data';
  throw new Unreadable('INVALID_DATA', `${what} does not fit \`schema\`: ${describeIssues(issues, 3)}`, cause);
}

/** The data of a success, or `undefined` if it has none (rule D1). @throws Unreadable if it is not as expected. */
function readData(response: WireResponse, { method, responseType, schema, parseJson }: ReadOptions): unknown {
  if (response.incoming !== undefined) return response.incoming;
  const { status, body } = response;
  if (hasNoBody(method, status)) return undefined;
  const { kind, charset } = toMediaType(headerValue(response.headers, 'content-type') ?? '');
  const type = responseType === 'auto' ? kind : responseType;
  if (type === 'json') return readJson(body, charset, parseJson);
  if (type === 'untyped' && schema !== undefined) {
    const problem = body.length === 0 ? 'the response has neither body nor content type' : untypedBody;
    throw new Unreadable('INVALID_JSON', `expected JSON, but ${problem}`);
  }
  // A copy: the buffer may hold other bytes of the same connection.
  return type === 'bytes' ? new Uint8Array(body) : decodeText(body, charset);
}

/** XML that is not UTF-8 is read in the charset that it names in its first line; many programs name one and write UTF-8. */
function decodeText(body: Uint8Array, charset: string | undefined): string {
  try {
    return decode(body, charset);
  } catch (error) {
    const named = charset === undefined ? charsetOfXml(body) : undefined;
    if (named === undefined) throw error;
    return decode(body, named);
  }
}

const untypedBody = "the response has no content type; `responseType: 'json'` reads it as JSON regardless";

/** A body for a person to read, decoded as well as possible; `undefined` if it is not text. */
export function textOf(body: Uint8Array, contentType: string | undefined): string | undefined {
  const { kind } = toMediaType(contentType ?? '');
  return kind === 'bytes' ? undefined : decodeLeniently(body, contentType ?? '');
}

/** Deeper than any real data, and shallow enough that code which walks through it keeps its stack (rule E8). */
const maxLevels = 1000;

function readJson(body: Uint8Array, charset: string | undefined, parse: ReadOptions['parseJson']): unknown {
  if (body.length === 0) throw new Unreadable('INVALID_JSON', 'expected JSON, but the response has no body');
  const text = decode(body, charset, 'INVALID_JSON');
  if (isNestedDeeper(charset === undefined ? body : Buffer.from(text), maxLevels)) {
    throw new Unreadable('INVALID_JSON', `the response is nested more than ${maxLevels} levels deep`);
  }
  try {
    return parse === undefined ? JSON.parse(text) : parse(text);
  } catch (error) {
    // A cause that quotes the body is removed before the error is shown (rule S7).
    throw new Unreadable('INVALID_JSON', 'expected JSON, but the response cannot be parsed', error);
  }
}

/** @throws Unreadable if the bytes are not text in that charset: nothing is replaced silently. */
function decode(
  bytes: Uint8Array,
  charset: string | undefined,
  code: 'INVALID_TEXT' | 'INVALID_JSON' = 'INVALID_TEXT',
): string {
  const decoder = knownDecoderOf(charset, bytes);
  try {
    return decodeWith(decoder, bytes);
  } catch {
    throw new Unreadable(code, `the response is not valid ${decoder.encoding}; ${asBytes}`);
  }
}

function knownDecoderOf(charset: string | undefined, bytes: Uint8Array): TextDecoder {
  try {
    return decoderOf(charset, bytes);
  } catch {
    throw new Unreadable(
      'INVALID_TEXT',
      `the response has the unknown charset ${quoteShort(String(charset))}; ${asBytes}`,
    );
  }
}

const asBytes = "`responseType: 'bytes'` returns it undecoded";

/** Quotes a name that the connector sent, unless it is long: part of a longer one might be part of a secret. */
export function quoteShort(name: string): string {
  return name.length > 40 ? 'a name of more than 40 characters' : JSON.stringify(name);
}
