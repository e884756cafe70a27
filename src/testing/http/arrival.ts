import { abortable } from '../../internal/index.js';

/** A request that has been read, over fetch or over a socket. */
export interface Arrival {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal | undefined;
}

export async function fromRequest(request: Request): Promise<Arrival> {
  const { method, headers, signal } = request;
  const body = request.body === null ? undefined : new Uint8Array(await abortable(request.arrayBuffer(), signal));
  return { method, url: new URL(request.url), headers, body, signal };
}

/** Reads the arguments of `fetch`. Creates a `Request` only when needed, since that costs more than all the rest. */
export async function fromFetch(input: Request | string | URL, init: RequestInit = {}): Promise<Arrival> {
  const { body, method = 'GET', headers } = init;
  const isPlain = body === undefined || body === null || typeof body === 'string';
  if (isForeign(input)) {
    const body = input.body === null ? null : await abortable(input.arrayBuffer(), init.signal ?? input.signal);
    return fromFetch(input.url, {
      method: input.method,
      headers: [...input.headers],
      body,
      signal: input.signal,
      ...Object.fromEntries(Object.entries(init).filter(([, value]) => value !== undefined)),
    });
  }
  init.signal?.throwIfAborted();
  if (input instanceof Request || !isPlain || (body && (method === 'GET' || method === 'HEAD'))) {
    return fromRequest(new Request(input, init));
  }
  const sent = new Headers(headers);
  if (typeof body === 'string' && !sent.has('content-type')) sent.set('content-type', 'text/plain;charset=UTF-8');
  return {
    method: /^(?:get|head|post|put|delete|options)$/i.test(method) ? method.toUpperCase() : method,
    url: new URL(input),
    headers: sent,
    body: typeof body === 'string' ? new TextEncoder().encode(body) : undefined,
    signal: init.signal ?? undefined,
  };
}

/** A Request of another copy of fetch, which this one cannot take. */
function isForeign(input: Request | string | URL): input is Request {
  return typeof input === 'object' && 'method' in input && !(input instanceof Request);
}

export function toRequest({ method, url, headers, body, signal }: Arrival): Request {
  return new Request(url, { method, headers, body: body ?? null, signal: signal ?? null });
}
