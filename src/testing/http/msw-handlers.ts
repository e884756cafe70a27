import type { RequestHandler } from 'msw';

type Msw = typeof import('msw');

/**
 * Handlers for msw that answer every request below `baseUrl`. A network error becomes msw's own.
 *
 * @param answer gets the path of `baseUrl`, which is in front of all others. *
 * @throws TypeError when `baseUrl` is no URL; Error when msw is not installed.
 */
export function mswHandlers(
  baseUrl: string,
  answer: (request: Request, basePath: string) => Promise<Response>,
): RequestHandler[] {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) {
    throw new TypeError(`\`baseUrl\` must be a URL such as "http://connector.test", got ${JSON.stringify(baseUrl)}.`);
  }
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/\/+$/, '');
  const base = (origin + basePath).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const { http } = loadMsw();
  return [
    http.all(new RegExp(`^${base}(?:[/?]|$)`), async ({ request }) => {
      try {
        return await answer(request, basePath);
      } catch (error) {
        if (request.signal.aborted) throw error;
        return Response.error();
      }
    }),
  ];
}

/** Only here, so that everything else works without it; and at once, because `setupServer(...handlers)` takes no promise. */
function loadMsw(): Msw {
  // Not an import: it would ask for node:module on runtimes that have no msw either.
  const { createRequire } = globalThis.process?.getBuiltinModule?.('node:module') ?? {};
  if (createRequire === undefined)
    throw new Error('`handlers()` needs Node 20.16 or newer, or a runtime that is like it.');
  try {
    return createRequire(import.meta.url)('msw') as Msw;
  } catch (error) {
    throw new Error('`handlers()` needs the package `msw`: npm install --save-dev msw', { cause: error });
  }
}
