import type { FailedRequest } from '../../contract/index.js';
import { isNestedDeeper } from '../../internal/index.js';
import { RequestError, withoutQuotes } from '../errors.js';
import { headerValue, type WireResponse } from './wire.js';

/** The part of a zod schema that the client needs: whatever validates like one will do. */
export interface DataSchema<Output> {
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: SchemaFailure };
}

export interface SchemaFailure {
  issues?: readonly { path?: readonly PropertyKey[]; message?: string }[] | undefined;
}

/** A successful answer. */
export class ConnectorResponse<Data = unknown> {
  readonly status: number;
  /** Parsed JSON for a JSON content type, text otherwise, `undefined` when there is no body. */
  readonly data: Data;
  readonly #wireHeaders: WireResponse['headers'];
  #headers: Headers | undefined;

  constructor(status: number, wireHeaders: WireResponse['headers'], data: Data) {
    this.status = status;
    this.data = data;
    this.#wireHeaders = wireHeaders;
  }

  /** Made when first asked for: most callers only want the data. */
  get headers(): Headers {
    if (this.#headers === undefined) {
      this.#headers = new Headers();
      for (const [name, value] of Object.entries(this.#wireHeaders)) {
        for (const item of Array.isArray(value) ? value : [value ?? '']) this.#headers.append(name, item);
      }
    }
    return this.#headers;
  }
}

/**
 * Turns a whole success into what the caller gets.
 *
 * @throws RequestError when the body is no JSON though it says so, or refused by the schema.
 */
export function readSuccess<Data>(
  response: WireResponse,
  request: FailedRequest,
  schema: DataSchema<Data> | undefined,
): ConnectorResponse<Data> {
  const value = readData(response, request);
  if (schema === undefined) return new ConnectorResponse(response.status, response.headers, value as Data);
  const checked = schema.safeParse(value);
  if (checked.success) return new ConnectorResponse(response.status, response.headers, checked.data);
  throw new RequestError(`the data does not fit \`schema\`: ${describeIssues(checked.error)}`, {
    code: 'INVALID_DATA',
    request,
    status: response.status,
    cause: checked.error,
  });
}

/** Deeper than any data, and not deep enough for what walks through it to run out of stack (rule E8). */
const mostLevels = 1000;

const utf8 = new TextDecoder();

function readData(response: WireResponse, request: FailedRequest): unknown {
  if (response.body.length === 0) return isJson(response) || response.status === 204 ? undefined : emptyText(request);
  if (!isJson(response)) return utf8.decode(response.body);
  if (isNestedDeeper(response.body, mostLevels)) {
    throw invalidJson(`the answer is nested more than ${mostLevels} levels deep`, response, request);
  }
  try {
    return JSON.parse(utf8.decode(response.body));
  } catch {
    throw invalidJson('the answer says it is JSON and cannot be parsed', response, request);
  }
}

/** Without a cause: what V8 throws quotes the body (rule S7). */
function invalidJson(problem: string, { status }: WireResponse, request: FailedRequest): RequestError {
  return new RequestError(problem, { code: 'INVALID_JSON', request, status });
}

function emptyText(request: FailedRequest): '' | undefined {
  return request.method === 'HEAD' ? undefined : '';
}

const jsonType = /^[^;]*[/+]json\s*(;|$)/i;

function isJson(response: WireResponse): boolean {
  return jsonType.test(headerValue(response.headers, 'content-type') ?? '');
}

/** The error for a success whose body is not all there. */
export function incompleteBody(
  response: WireResponse,
  request: FailedRequest,
  { bound = '`maxResponseBytes`', note = '' } = {},
): RequestError {
  if (response.end === 'too-large') {
    return new RequestError(`the answer is larger than ${bound}`, {
      code: 'RESPONSE_TOO_LARGE',
      request,
      status: response.status,
    });
  }
  return new RequestError(`the connection ended in the middle of the answer${note}`, {
    code: 'NETWORK_ERROR',
    request,
    status: response.status,
    cause: withoutQuotes(response.error),
  });
}

/** Says where the data is wrong, and never what it holds. */
function describeIssues(error: SchemaFailure): string {
  const issues = error.issues ?? [];
  const shown = issues
    .slice(0, 3)
    .map((issue) => `${issue.path?.map(String).join('.') || '(whole)'}: ${issue.message}`);
  return shown.join('; ') + (issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : '');
}
