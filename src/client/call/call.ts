import type { FailedRequest } from '../../contract/index.js';
import type { ConnectorRequest } from '../client-types.js';
import type { Reading } from '../http/read-data.js';
import { type BodySource, toBodySource } from '../http/request-body.js';
import { toHeaderRecord } from '../http/request-headers.js';
import { toPath, toTarget, withoutQuery } from '../http/request-target.js';
import { checkSchema, type DataSchema } from '../http/schema.js';
import type { Gates } from '../rate-limit/gates.js';
import type { Lane } from '../rate-limit/lane.js';
import { checkPriority, checkRequestOptions, checkResponseType, checkTimeout, type Settings } from '../settings.js';
import type { CallObserver } from './observer.js';

/** One call as the caller made it, ready to be sent as often as it takes. */
export interface Call<Data = unknown> {
  readonly request: FailedRequest;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodySource;
  readonly schema: DataSchema<Data> | undefined;
  /** How the body of a success is read. */
  readonly reading: Reading;
  /** As the caller says; `undefined` where the method decides (rule G7). */
  readonly idempotent: boolean | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly lane: Lane;
  readonly priority: number;
  /** There when somebody watches. */
  readonly observer?: CallObserver;
}

/** Checks what the caller asks for. @throws TypeError naming the option that is wrong. */
export function toCall<Data>(request: ConnectorRequest<Data>, settings: Settings, gates: Gates): Call<Data> {
  const { method, path } = checkRequest(request, settings);
  const body = toBodySource(request);
  const schema = checkSchema(request.schema);
  return {
    target: toTarget(settings.basePath, path, request.query),
    request: { method, path: withoutQuery(path) },
    headers: toHeaderRecord(settings.headers, request.headers, body),
    body,
    schema,
    reading: {
      method,
      responseType: checkResponseType(request.responseType),
      isChecked: schema !== undefined,
      parseJson: settings.parseJson,
    },
    idempotent: request.idempotent,
    timeoutMs: checkTimeout(request.timeoutMs, settings.timeoutMs, 'timeoutMs'),
    signal: request.signal,
    lane: gates.for({ method, path }),
    priority: checkPriority(request.priority),
  };
}

const commonMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** What a call is named by. @throws TypeError naming the option that is wrong. */
export function checkRequest(request: ConnectorRequest, base: Settings): FailedRequest {
  if (typeof request !== 'object' || request === null) throw new TypeError('`request` must be an object.');
  checkRequestOptions(request);
  const path = toPath(request.path, base);
  if (commonMethods.has(request.method)) return { method: request.method, path };
  const method = typeof request.method === 'string' ? request.method.toUpperCase() : '';
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT') {
    throw new TypeError(`\`method\` must be an HTTP method, got ${JSON.stringify(request.method)}.`);
  }
  return { method, path };
}
