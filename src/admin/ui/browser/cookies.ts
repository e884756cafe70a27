import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { createSigner } from './signing.js';

/** A cookie not readable by scripts, sent to the administration only, and over https never sent in the clear. */
export function createCookie(basePath: string, name: string, sameSite: 'Lax' | 'Strict', maxAge: number) {
  const isSecure = (c: Context) => new URL(c.req.url).protocol === 'https:';
  /** Browsers accept these prefixes over https only, and `__Host-` not below a base path (RFC 6265bis, 4.1.3). */
  const nameFor = (c: Context) => (isSecure(c) ? (basePath === '' ? '__Host-' : '__Secure-') : '') + name;
  const options = (c: Context) => ({ path: basePath || '/', httpOnly: true, secure: isSecure(c) });
  return {
    read: (c: Context) => getCookie(c, nameFor(c)),
    /** What follows the name in the names of this request's cookies. */
    endings(c: Context) {
      const names = Object.keys(getCookie(c)).filter((one) => one.startsWith(nameFor(c)));
      return names.map((one) => one.slice(nameFor(c).length));
    },
    write: (c: Context, value: string, ending = '') =>
      setCookie(c, nameFor(c) + ending, value, { ...options(c), sameSite, maxAge }),
    clear: (c: Context) => void deleteCookie(c, nameFor(c), options(c)),
  };
}

/**
 * The name of a signed cookie, with a mark of the secret, which it does not reveal: cookies ignore ports, and two
 * administrations on one host would overwrite each other's.
 */
export function signedName(name: string, secret: Uint8Array): string {
  return `${name}_${createSigner(secret, 'names of cookies').tag(name).slice(0, 8)}`;
}
