import type { RequestHandler } from 'msw';
import { withoutTrailingSlashes } from '../../internal/index.js';

type Msw = typeof import('msw');

/**
 * Handlers for msw that respond to every request below `baseUrl` and the connector's path. A network error becomes msw's own.
 * @throws TypeError when `baseUrl` is not a URL; Error when msw is not installed.
 */
export function mswHandlers(
  baseUrl: string,
  pathOfConnector: string,
  respond: (request: Request, basePath: string) => Promise<Response>,
): RequestHandler[] {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) {
    throw new TypeError(`\`baseUrl\` must be a URL such as "http://connector.test", got ${JSON.stringify(baseUrl)}.`);
  }
  const { origin, pathname } = new URL(baseUrl);
  const given = withoutTrailingSlashes(pathname);
  const basePath = given.endsWith(pathOfConnector) ? given : given + pathOfConnector;
  const base = (origin + basePath).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const { http } = loadMsw();
  return [
    http.all(new RegExp(`^${base}(?:[/?]|$)`), async ({ request }) => {
      try {
        return await respond(request, basePath);
      } catch (error) {
        if (request.signal.aborted) throw error;
        return Response.error();
      }
    }),
  ];
}

/** Loads msw only when it is needed, and synchronously, because `setupServer(...handlers)` takes no promise. */
function loadMsw(): Msw {
  // Not an import, so that runtimes without node:module can load this file.
  const { createRequire } = globalThis.process?.getBuiltinModule?.('node:module') ?? {};
  if (createRequire === undefined) throw new Error('`handlers()` needs Node 20.16 or newer, or a compatible runtime.');
  try {
    return createRequire(import.meta.url)('msw') as Msw;
  } catch (error) {
    throw new Error('`handlers()` needs the package `msw`: npm install --save-dev msw', { cause: error });
  }
}
