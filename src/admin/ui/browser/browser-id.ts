import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { createCookie } from './cookies.js';

const maxAgeSeconds = 24 * 60 * 60;

/** A cookie that tells one browser from another. Tokens of forms are bound to it where there is no session of our own. */
export function createBrowserId(name: string, sameSite: 'Lax' | 'Strict', basePath: string) {
  const cookie = createCookie(basePath, name, sameSite, maxAgeSeconds);
  // What a request has been given: a second call sees it, and writes nothing.
  const written = new WeakMap<Request, string>();
  const read = (c: Context) => written.get(c.req.raw) ?? cookie.read(c) ?? '';
  return {
    /** The cookie of this request; `''` when there is none. */
    read,
    /** Likewise, and writes one when there is none. */
    ensure(c: Context) {
      const known = read(c);
      if (written.has(c.req.raw)) return known;
      const id = known === '' ? randomBytes(16).toString('base64url') : known;
      written.set(c.req.raw, id);
      cookie.write(c, id);
      return id;
    },
  };
}
