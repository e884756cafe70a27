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
