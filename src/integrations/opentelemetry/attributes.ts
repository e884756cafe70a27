import type { Attributes } from '@opentelemetry/api';
import type { ClientChannelMessage } from '../../client/index.js';

/** The instrumentation scope of all spans and metrics. */
export const scopeName = 'concordat';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH']);

/** `http.request.method`, limited to known methods (semantic conventions for HTTP). */
export function methodAttributes(method: string): Attributes {
  if (knownMethods.has(method)) return { 'http.request.method': method };
  return { 'http.request.method': '_OTHER', 'http.request.method_original': method };
}

/** `server.address` of an IPv6 host has no brackets, which belong to URLs. */
export function serverAttributes(baseUrl: string): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl);
  const standard = protocol === 'https:' ? 443 : 80;
  const address = hostname.replace(/^\[|\]$/g, '');
  return { 'server.address': address, 'server.port': port === '' ? standard : Number(port) };
}

export function outcomeAttributes({ status, error }: { status?: number; error?: unknown }): Attributes {
  const statusType = status !== undefined && status >= 400 ? String(status) : undefined;
  const type = error === undefined ? statusType : errorType(error);
  return {
    ...(status === undefined ? {} : { 'http.response.status_code': status }),
    ...(type === undefined ? {} : { 'error.type': type }),
  };
}

export function scopeAttributes({ scope }: ClientChannelMessage<'pause' | 'resume' | 'heartbeat'>): Attributes {
  return scope === undefined ? {} : { 'concordat.rate_limit.scope': scope };
}

/** `error.type`: the status of the response, the code of a `RequestError`, or the name of the class. */
function errorType(error: unknown): string {
  const { name, code, kind, status } = (error ?? {}) as Record<string, unknown>;
  if (kind === 'request' && typeof code === 'string') return code;
  // The status of an `InitializeError` belongs to the login: the call itself got no response.
  if (typeof kind === 'string' && kind !== 'initialize' && typeof status === 'number') return String(status);
  return typeof name === 'string' && name !== '' ? name : '_OTHER';
}
