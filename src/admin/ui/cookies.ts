import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';

interface CookieOptions {
  readonly basePath: string;
  readonly sameSite: 'Lax' | 'Strict';
  readonly maxAgeSeconds: number;
}

/** Scripts cannot read it, and it goes to the administration only; over https it never goes out in the clear. */
export function writeCookie(c: Context, name: string, value: string, options: CookieOptions): void {
  setCookie(c, name, value, {
    path: options.basePath || '/',
    httpOnly: true,
    sameSite: options.sameSite,
    secure: isSecure(c),
    maxAge: options.maxAgeSeconds,
  });
}

export function clearCookie(c: Context, name: string, basePath: string): void {
  deleteCookie(c, name, { path: basePath || '/', httpOnly: true, secure: isSecure(c) });
}

function isSecure(c: Context): boolean {
  return new URL(c.req.url).protocol === 'https:';
}
