import {
  charsetOfXml,
  type DataSchema,
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
import type { RequestErrorCode } from '../errors.js';
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

/** Why a success cannot be read. */
export interface Unreadable {
  readonly code: RequestErrorCode;
  readonly message: string;
  readonly cause?: unknown;
}

/** Makes the error of a call. */
type ToError = (problem: Unreadable) => Error;

/**
 * Reads the data of a complete success; synchronously, unless there is a schema.
 *
 * @throws (or rejects with) what `toError` makes of a body that is not what was expected, or that the schema refuses.
 */
export function readSuccess<Data>(
  response: WireResponse,
  options: ReadOptions<Data>,
  toError: ToError,
): Data | Promise<Data> {
  const { schema } = options;
  const data = readData(response, options, toError);
  // A 304 has no data to check.
  return schema === undefined || response.status === 304 ? (data as Data) : applySchema(schema, data, toError);
}

/** Of a long list in which every record is wrong, a log needs no more (rule E8). */
const mostIssues = 100;

async function applySchema<Data>(schema: DataSchema<Data>, data: unknown, toError: ToError): Promise<Data> {
  let result: Validated<Data>;
  try {
    result = await validate(schema, data);
  } catch (cause) {
    throw toError({ code: 'INVALID_DATA', message: '`schema` threw an error instead of checking the data', cause });
  }
  if (result.issues === undefined) return result.value;
  // What the message quotes of the data is redacted later, like everything that a connector says.
  const issues = withoutValues(schema, result.issues);
  const isShown = issues === result.issues && issues.length <= mostIssues;
  const cause = isShown ? result.cause : schemaError(issues.slice(0, mostIssues));
  const what = data === undefined ? 'the response has no body, which' : 'the data';
  const message = `${what} does not fit \`schema\`: ${describeIssues(issues, 3)}`;
  throw toError({ code: 'INVALID_DATA', message, cause });
}

/** The data of a success, or `undefined` if it has none (rule D1). @throws if it is not as expected. */
function readData(
  response: WireResponse,
  { method, responseType, schema, parseJson }: ReadOptions,
  toError: ToError,
): unknown {
  if (response.incoming !== undefined) return response.incoming;
  const { status, body } = response;
  if (hasNoBody(method, status)) return undefined;
  const { kind, charset } = toMediaType(headerValue(response.headers, 'content-type') ?? '');
  const type = responseType === 'auto' ? kind : responseType;
  if (type === 'json') return readJson(body, charset, parseJson, toError);
  if (type === 'untyped' && schema !== undefined) {
    const problem = body.length === 0 ? 'the response has neither body nor content type' : untypedBody;
    throw toError({ code: 'INVALID_JSON', message: `expected JSON, but ${problem}` });
  }
  // A copy: the buffer may hold other bytes of the same connection.
  if (type === 'bytes') return new Uint8Array(body);
  const named = charset === undefined ? charsetOfXml(body) : undefined;
  if (named !== undefined) {
    try {
      return decodeWith(decoderOf(undefined, body), body);
    } catch {
      // XML that is not UTF-8 is read in the charset that it names in its first line; many programs name one and write UTF-8.
    }
  }
  return decode(body, charset ?? named, toError);
}

const untypedBody = "the response has no content type; `responseType: 'json'` reads it as JSON regardless";

/** Deeper than any real data, and shallow enough that code which walks through it keeps its stack (rule E8). */
const maxLevels = 1000;

function readJson(
  body: Uint8Array,
  charset: string | undefined,
  parse: ReadOptions['parseJson'],
  toError: ToError,
): unknown {
  const code = 'INVALID_JSON';
  if (body.length === 0) throw toError({ code, message: 'expected JSON, but the response has no body' });
  const text = decode(body, charset, toError, code);
  if (isNestedDeeper(charset === undefined ? body : Buffer.from(text), maxLevels)) {
    throw toError({ code, message: `the response is nested more than ${maxLevels} levels deep` });
  }
  try {
    return parse === undefined ? JSON.parse(text) : parse(text);
  } catch (cause) {
    // A cause that quotes the body is removed before the error is shown (rule S7).
    throw toError({ code, message: 'expected JSON, but the response cannot be parsed', cause });
  }
}

/** @throws if the bytes are not text in that charset: nothing is replaced silently. */
function decode(
  bytes: Uint8Array,
  charset: string | undefined,
  toError: ToError,
  code: RequestErrorCode = 'INVALID_TEXT',
): string {
  let encoding: string | undefined;
  try {
    const decoder = decoderOf(charset, bytes);
    encoding = decoder.encoding;
    return decodeWith(decoder, bytes);
  } catch {
    const asBytes = "`responseType: 'bytes'` returns it undecoded";
    if (encoding !== undefined) throw toError({ code, message: `the response is not valid ${encoding}; ${asBytes}` });
    const message = `the response has the unknown charset ${quoteShort(String(charset))}; ${asBytes}`;
    throw toError({ code: 'INVALID_TEXT', message });
  }
}

/** Quotes a name that the connector sent, unless it is long: part of a longer one might be part of a secret. */
export function quoteShort(name: string): string {
  return name.length > 40 ? 'a name of more than 40 characters' : JSON.stringify(name);
}
