import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { createCookie } from './cookies.js';

const maxAgeSeconds = 24 * 60 * 60;

/**
 * Cookies that tell one browser from another. Tokens of forms are bound to them where there is no session of our own. The id is in
 * the name: tabs that a browser restores together each get one, and none overwrites another's.
 */
export function createBrowserIds(name: string, sameSite: 'Lax' | 'Strict', basePath: string) {
  const cookie = createCookie(basePath, `${name}_`, sameSite, maxAgeSeconds);
  // What a request has been given: a second call sees it, and writes nothing.
  const written = new WeakMap<Request, string>();
  return {
    /** All that this request came with. */
    read: (c: Context) => cookie.endings(c),
    /** One for a new form; writes a cookie. */
    ensure(c: Context) {
      const known = written.get(c.req.raw);
      if (known !== undefined) return known;
      const id = cookie.endings(c)[0] ?? randomBytes(16).toString('base64url');
      written.set(c.req.raw, id);
      cookie.write(c, '1', id);
      return id;
    },
  };
}
