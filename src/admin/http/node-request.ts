interface NodeRequest {
  readonly rawHeaders?: unknown;
  readonly socket?: { readonly remoteAddress?: unknown };
}

/** What Node's adapter of hono hands over beside the Request, bare or inside `server`. */
function nodeRequest(env: unknown): NodeRequest | undefined {
  const bindings = (env ?? {}) as { incoming?: NodeRequest; server?: { incoming?: NodeRequest } };
  return bindings.incoming ?? bindings.server?.incoming;
}

/** The address of the request's socket; `''` where the runtime tells none, so that all such requests count as one source. */
export function socketAddress(_request: Request, env: unknown): string {
  const address = nodeRequest(env)?.socket?.remoteAddress;
  return typeof address === 'string' ? address : '';
}

/**
 * The headers as they arrived. A fetch Request joins repeated headers by commas, so Node's own list is better where there
 * is one (rule K8).
 */
export function arrivedHeaders(request: Request, env: unknown): Headers | readonly string[] {
  const raw = nodeRequest(env)?.rawHeaders;
  return Array.isArray(raw) && raw.every((entry) => typeof entry === 'string') ? raw : request.headers;
}

/** The value of `authorization`; of several, which no key check lets pass, the first. */
export function authorizationOf(headers: Headers | readonly string[]): string | undefined {
  if (!Array.isArray(headers)) return (headers as Headers).get('authorization') ?? undefined;
  const index = headers.findIndex((entry, place) => place % 2 === 0 && entry.toLowerCase() === 'authorization');
  return index === -1 ? undefined : headers[index + 1];
}
