import { mountOrderError } from './errors.js';

interface NodeRequest {
  readonly rawHeaders?: unknown;
  readonly socket?: { readonly remoteAddress?: unknown };
}

/** What Hono's Node adapter passes beside the Request, directly or in `server`. */
function nodeRequest(env: unknown): NodeRequest | undefined {
  const bindings = (env ?? {}) as { incoming?: NodeRequest; server?: { incoming?: NodeRequest } };
  return bindings.incoming ?? bindings.server?.incoming;
}

/**
 * The address of the request's socket; `''` where the runtime does not expose it: all such requests then count as one
 * source.
 */
export function socketAddress(_request: Request, env: unknown): string {
  const address = nodeRequest(env)?.socket?.remoteAddress;
  return typeof address === 'string' ? address : '';
}

/**
 * The headers as they arrived. A fetch Request joins repeated headers with commas, so Node's own list is preferred
 * (rule K8).
 */
export function arrivedHeaders(request: Request, env: unknown): Headers | readonly string[] {
  const raw = nodeRequest(env)?.rawHeaders;
  return Array.isArray(raw) && raw.every((entry) => typeof entry === 'string') ? raw : request.headers;
}

/** The value of `authorization`; the first of several, which no key check accepts. */
export function authorizationOf(headers: Headers | readonly string[]): string | undefined {
  if (!Array.isArray(headers)) return (headers as Headers).get('authorization') ?? undefined;
  const index = headers.findIndex((entry, place) => place % 2 === 0 && entry.toLowerCase() === 'authorization');
  return index === -1 ? undefined : headers[index + 1];
}

/**
 * Whether the browser reports that another site sent the request. Browsers add remembered Basic credentials to such
 * requests, so changes are refused; they never add an API key.
 */
export function isCrossSite(request: Request, publicUrl: URL | undefined): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const origin = request.headers.get('origin');
  if (origin === null) return false;
  const host = publicUrl?.host ?? request.headers.get('host') ?? new URL(request.url).host;
  return !URL.canParse(origin) || new URL(origin).host !== host.toLowerCase();
}

/**
 * Finds the path below the base path. Express, Hono's `mount` and some proxies remove the mount path: a path that does
 * not start with the base path is put below it, so that every part sees full paths. `publicUrl` replaces the origin.
 *
 * @throws AdminHttpError 500 when the host has read the body, and the request must be made anew
 */
export function placeRequest(
  request: Request,
  { basePath, publicUrl }: { basePath: string; publicUrl: URL | undefined },
): { request: Request; path: string } {
  const url = new URL(request.url);
  const { pathname } = url;
  const isFull = basePath === '' || pathname === basePath || pathname.startsWith(`${basePath}/`);
  if (!isFull) url.pathname = basePath + pathname;
  if (publicUrl !== undefined) {
    url.protocol = publicUrl.protocol;
    url.host = publicUrl.host;
    url.port = publicUrl.port;
  }
  const path = url.pathname.slice(basePath.length) || '/';
  if (url.href === request.url) return { request, path };
  if (request.bodyUsed) throw mountOrderError();
  return { request: new Request(url, request), path };
}
