import type * as z from 'zod';
import { ConnectorError } from '../../contract/index.js';
import {
  checkSchema,
  type DataSchema,
  decodeLeniently,
  describeIssues,
  isUtf8,
  validate,
  withoutValues,
} from '../../internal/index.js';
import { type EndSystemRequest, nameRequest } from './failure.js';
import { isReadable } from './time-limit.js';

/** The requests of responses that {@link endSystemFetch} has returned. */
export const requestOf = new WeakMap<Response, EndSystemRequest>();

/**
 * Reads the JSON of an end system's response and validates it with a schema: zod's, or any Standard Schema (valibot,
 * ArkType, …). A page, other text, an empty body or another shape is a 502 that names the field: the end system is not what
 * the connector was written for, and neither the service nor the connector is at fault. The message contains no values.
 *
 * @throws ConnectorError 502 `END_SYSTEM_INVALID_RESPONSE`; 502 `END_SYSTEM_UNREACHABLE` if the body breaks off; 504 if it takes
 * too long.
 * @example
 * const issue = await readResponse(await github(`${baseUrl}/issues/7`), z.object({ number: z.number(), title: z.string() }))
 */
export async function readResponse<S extends z.ZodType>(response: Response, schema: S): Promise<z.output<S>>;
/** The same with a schema of another library, such as valibot or ArkType. */
export async function readResponse<Output>(response: Response, schema: DataSchema<Output>): Promise<Output>;
export async function readResponse<Output>(response: Response, schema: DataSchema<Output>): Promise<Output> {
  checkSchema(schema);
  const result = await validate(schema, await readJsonBody(response));
  if (result.issues === undefined) return result.value;
  throw invalid(response, `does not fit: ${describeIssues(withoutValues(schema, result.issues))}`, result.cause);
}

async function readJsonBody(response: Response): Promise<unknown> {
  const bytes = await readBytes(response);
  const type = response.headers.get('content-type');
  const text = decodeLeniently(bytes, type);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw invalid(response, describeText(text.trimStart(), type), cause);
  }
  // U+FFFD in UTF-8 was sent like this.
  if (text.includes('\ufffd') && !isUtf8(bytes))
    throw invalid(response, 'has text in another charset than it says.', undefined);
  return json;
}

async function readBytes(response: Response): Promise<Uint8Array> {
  const isOpen = isReadable(response);
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    // What fetch throws when the connection breaks; all else is a timeout, or the caller's signal.
    if (!(cause instanceof TypeError) || !isOpen) throw cause;
    const options = { status: 502, code: 'END_SYSTEM_UNREACHABLE', cause };
    throw new ConnectorError(`${subject(response)} broke off.`, options);
  }
}

function describeText(text: string, type: string | null): string {
  if (text === '') return 'is empty; JSON was expected.';
  if (text.startsWith('<')) return `is a page${type === null ? '' : ` (${type})`}, not JSON.`;
  return type === null || /json/i.test(type) ? 'is not valid JSON.' : `is ${type}, not JSON.`;
}

function invalid(response: Response, problem: string, cause: unknown): ConnectorError {
  const options = { status: 502, code: 'END_SYSTEM_INVALID_RESPONSE', cause };
  return new ConnectorError(`${subject(response)} ${problem}`, options);
}

/** `GET /issues/7: the end system's response`. */
function subject(response: Response): string {
  const name = nameRequest(requestOf.get(response) ?? { method: '', url: response.url.split('?', 1)[0] as string });
  return name === '' ? "The end system's response" : `${name}: the end system's response`;
}
