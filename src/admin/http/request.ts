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

/**
 * Whether a browser says that another site's page sent the request. Browsers add remembered Basic credentials to such
 * requests, so what changes something is refused then; a key is never added by a browser.
 */
export function isCrossSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const origin = request.headers.get('origin');
  if (origin === null) return false;
  const host = request.headers.get('host') ?? new URL(request.url).host;
  return !URL.canParse(origin) || new URL(origin).host !== host.toLowerCase();
}

/** A request with its full path, and the part of it below the base path. */
export interface PlacedRequest {
  readonly request: Request;
  readonly path: string;
}

/**
 * Finds the path below the base path. Hosts that mount a handler (express, hono's `mount`) and some proxies take the mount
 * path off: a path that does not begin with the base path is then put below it, so that every part sees full paths.
 */
export function placeRequest(request: Request, basePath: string): PlacedRequest {
  const url = new URL(request.url);
  const { pathname } = url;
  if (basePath === '') return { request, path: pathname };
  if (pathname === basePath || pathname.startsWith(`${basePath}/`)) {
    return { request, path: pathname.slice(basePath.length) || '/' };
  }
  url.pathname = basePath + pathname;
  return { request: new Request(url, request), path: pathname };
}
