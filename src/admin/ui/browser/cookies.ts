import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

interface CookieOptions {
  readonly basePath: string;
  readonly sameSite: 'Lax' | 'Strict';
  readonly maxAgeSeconds: number;
}

/** Not readable by scripts, sent to the administration only, and over https never sent in the clear. */
export function writeCookie(c: Context, name: string, value: string, options: CookieOptions): void {
  setCookie(c, nameFor(c, name, options.basePath), value, {
    path: options.basePath || '/',
    httpOnly: true,
    sameSite: options.sameSite,
    secure: isSecure(c),
    maxAge: options.maxAgeSeconds,
  });
}

/** The cookie that {@link writeCookie} wrote. */
export function readCookie(c: Context, name: string, basePath: string): string | undefined {
  return getCookie(c, nameFor(c, name, basePath));
}

export function clearCookie(c: Context, name: string, basePath: string): void {
  deleteCookie(c, nameFor(c, name, basePath), { path: basePath || '/', httpOnly: true, secure: isSecure(c) });
}

/**
 * Browsers accept these prefixes over https only, and `__Host-` from this host only and for the whole host, so not
 * below a base path (RFC 6265bis, 4.1.3).
 */
function nameFor(c: Context, name: string, basePath: string): string {
  if (!isSecure(c)) return name;
  return (basePath === '' ? '__Host-' : '__Secure-') + name;
}

function isSecure(c: Context): boolean {
  return new URL(c.req.url).protocol === 'https:';
}
