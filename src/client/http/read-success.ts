import { cleanMessage, type FailedRequest } from '../../contract/index.js';
import { createRedact } from '../../internal/index.js';
import { RequestError, withoutQuotes } from '../errors.js';
import { type Reading, readData } from './read-data.js';
import { applySchema, type DataSchema } from './schema.js';
import type { WireResponse } from './wire.js';

/** A successful answer. */
export interface ConnectorResponse<Data = unknown> {
  /** 200 to 299, or 304 where the call carried a condition. */
  readonly status: number;
  /** What `responseType` and `schema` make of the body; `undefined` where there is none: 204, 205, 304, and any answer to HEAD. */
  readonly data: Data;
  readonly headers: Headers;
}

class ReceivedResponse<Data> implements ConnectorResponse<Data> {
  readonly status: number;
  readonly data: Data;
  readonly #wireHeaders: WireResponse['headers'];
  #headers: Headers | undefined;

  constructor({ status, headers }: WireResponse, data: Data) {
    this.status = status;
    this.data = data;
    this.#wireHeaders = headers;
  }

  /** Made when first asked for: most callers only want the data. */
  get headers(): Headers {
    this.#headers ??= toHeaders(this.#wireHeaders);
    return this.#headers;
  }
}

function toHeaders(wireHeaders: WireResponse['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(wireHeaders)) {
    for (const item of Array.isArray(value) ? value : [value ?? '']) headers.append(name, item);
  }
  return headers;
}

/**
 * Turns a whole success into what the caller gets; at once, unless the schema has to wait for something.
 *
 * @throws Unreadable (or rejects) when the body is not what was asked for, or refused by the schema.
 */
export function readSuccess<Data>(
  response: WireResponse,
  reading: Reading,
  schema: DataSchema<Data> | undefined,
): ConnectorResponse<Data> | Promise<ConnectorResponse<Data>> {
  const value = readData(response, reading);
  // A 304 has no data that could be checked.
  if (schema === undefined || response.status === 304) return new ReceivedResponse(response, value as Data);
  const data = applySchema(schema, value);
  if (data instanceof Promise) return data.then((checked) => new ReceivedResponse(response, checked));
  return new ReceivedResponse(response, data);
}

/** The error for a success whose body cannot be had. `secrets` are taken out of what the connector calls its packing (rule E5). */
export function incompleteBody(
  response: WireResponse,
  request: FailedRequest,
  { bound = '`maxResponseBytes`', note = '', secrets = [] as readonly string[] } = {},
): RequestError {
  const { status, end, error } = response;
  if (end === 'too-large') {
    return new RequestError(`the answer is larger than ${bound}`, { code: 'RESPONSE_TOO_LARGE', request, status });
  }
  if (end === 'packed') {
    const why = cleanMessage(createRedact(secrets)((error as Error).message));
    return new RequestError(`the answer cannot be unpacked: ${why}`, { code: 'INVALID_ENCODING', request, status });
  }
  const message = `the connection ended in the middle of the answer${note}`;
  return new RequestError(message, { code: 'NETWORK_ERROR', request, status, cause: withoutQuotes(error) });
}
