import type { FailedRequest } from '../contract/index.js';
import type { Call } from './call.js';
import type { ConnectorRequest } from './client-types.js';
import type { Gates } from './gates.js';
import { toBodySource } from './request-body.js';
import { toHeaderRecord } from './request-headers.js';
import { toTarget, withoutQuery } from './request-target.js';
import { checkPriority, checkRequestOptions, checkTimeout, type Settings } from './settings.js';

/** Checks what the caller asks for. @throws TypeError naming the option that is wrong. */
export function toCall(request: ConnectorRequest, settings: Settings, gates: Gates): Call {
  const { method, path } = checkRequest(request);
  const body = toBodySource(request);
  return {
    target: toTarget(settings.basePath, path, request.query),
    request: { method, path: withoutQuery(path) },
    headers: toHeaderRecord(request.headers, body.contentType),
    body,
    timeoutMs: checkTimeout(request.timeoutMs, settings.timeoutMs, 'timeoutMs'),
    signal: request.signal,
    gate: gates.for({ method, path }),
    priority: checkPriority(request.priority),
  };
}

const commonMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function checkRequest(request: ConnectorRequest): FailedRequest {
  if (typeof request !== 'object' || request === null) throw new TypeError('`request` must be an object.');
  checkRequestOptions(request);
  if (commonMethods.has(request.method)) return { method: request.method, path: request.path };
  const method = typeof request.method === 'string' ? request.method.toUpperCase() : '';
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT') {
    throw new TypeError(`\`method\` must be an HTTP method, got ${JSON.stringify(request.method)}.`);
  }
  return { method, path: request.path };
}
