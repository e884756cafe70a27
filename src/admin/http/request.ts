import type { AdminContext } from '../context.js';
import { ownNames } from '../sections.js';
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

/** The address of the request's socket; `''` where the runtime does not expose it: all requests are then one source. */
export function socketAddress(_request: Request, env: unknown): string {
  const address = nodeRequest(env)?.socket?.remoteAddress;
  return typeof address === 'string' ? address : '';
}

/** The headers as they arrived: Node's own list where there is one, as a Request joins repeated headers (rule K8). */
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
  if (!URL.canParse(origin)) return true;
  const from = new URL(origin);
  if (publicUrl !== undefined) return from.origin !== publicUrl.origin;
  // Only the host: where a proxy ends TLS, the scheme of the request is not that of the page.
  const host = request.headers.get('host') ?? new URL(request.url).host;
  // With a default port, too, which an `Origin` leaves out, but a proxy may add to the `Host`.
  const withPort = `${from.hostname}:${from.port || (from.protocol === 'https:' ? 443 : 80)}`;
  return ![from.host, withPort].includes(host.toLowerCase());
}

/**
 * Finds the path below the base path. Express, Hono's `mount` and some proxies remove the mount path or its beginning; it
 * is put back, so that every part sees full paths. `publicUrl` replaces the origin.
 *
 * @returns a function that throws an AdminHttpError 500 when the host has read the body, and the request must be made anew
 */
export function createPlacement({ basePath, publicUrl, sections }: AdminContext) {
  const sectionNames = sections.map(({ name }) => name);
  const remainderOf = createRemainders(basePath, sectionNames);
  return (request: Request) => {
    const url = new URL(request.url);
    const { pathname } = url;
    const below = pathname.slice(remainderOf(pathname).length);
    url.pathname = basePath + below;
    if (publicUrl !== undefined) {
      url.protocol = publicUrl.protocol;
      url.host = publicUrl.host;
      url.port = publicUrl.port;
    }
    const path = below || '/';
    if (url.href === request.url) return { request, path };
    if (request.bodyUsed) throw mountOrderError();
    return { request: anew(url, request), path };
  };
}

/** Nothing here supports TRACE or OPTIONS, and the runtime makes no request of the first. */
function anew(url: URL, request: Request): Request {
  return request.method === 'TRACE'
    ? new Request(url, { method: 'OPTIONS', headers: request.headers })
    : new Request(url, request);
}

/** Node's server reads away this much of a body that nobody wants. */
const mostReadAway = 64 * 1024 * 1024;

/**
 * Reads away what nobody wanted of a request that was made anew: Node's server, which does so for its own, cannot reach the
 * body any more, and would end the connection in the middle of the next request.
 */
export function readAway({ body, bodyUsed }: Request): void {
  if (body === null || bodyUsed || body.locked) return;
  let bytes = 0;
  const sink = new WritableStream<Uint8Array>({
    write(chunk) {
      bytes += chunk.byteLength;
      if (bytes > mostReadAway) throw new Error('The body is too large to be read away.');
    },
  });
  body.pipeTo(sink).catch(() => {});
}

/**
 * Finds what is left of the base path: all of it, or an end. An end that begins like an own path, such as the `/api-keys`
 * of `/settings/api-keys`, is one only before a slash or another own path: `/api-keys/sign-in` is no page.
 */
function createRemainders(basePath: string, sectionNames: readonly string[]): (pathname: string) => string {
  const names = basePath.split('/').slice(1);
  // Below a section and `/api/v1`, the own paths may have any name.
  const ends = names
    .map((_, index) => `/${names.slice(index).join('/')}`)
    .filter((end) => end === basePath || !(end === '/api/v1' || beginsWith(end, sectionNames)));
  const isLeft = (end: string, pathname: string) => {
    if (end === basePath || !beginsWith(end, ownNames)) return true;
    const below = pathname.slice(end.length);
    const pages = ownPages[end] ?? [];
    const own = [...ownNames, ...sectionNames].filter((name) => !pages.includes(name));
    return below === '/' || beginsWith(below, own);
  };
  return (pathname) =>
    ends.find((end) => (pathname === end || pathname.startsWith(`${end}/`)) && isLeft(end, pathname)) ?? '';
}

/** What comes right below own paths; a section may have the same name. */
const ownPages: Readonly<Record<string, readonly string[]>> = {
  '/api': ['v1'],
  '/api-keys': ['new', 'revoke-all'],
  '/users': ['delete'],
  '/api-key-audits': ['export'],
};

function beginsWith(path: string, names: readonly string[]): boolean {
  return names.includes(path.split('/', 2)[1] ?? '');
}
