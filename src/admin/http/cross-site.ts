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
