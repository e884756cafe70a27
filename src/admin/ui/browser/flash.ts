import type { Context } from 'hono';
import { parseJson } from '../../../internal/index.js';
import type { AdminContext } from '../../context.js';
import { clearCookie, readCookie, writeCookie } from './cookies.js';
import { createSigner } from './signing.js';

const cookieName = 'concordat_notice';

export type Flashes = ReturnType<typeof createFlashes>;

/** A notice for the next page. It is signed, so that no link can put words on a page. */
export function createFlashes({ basePath, clock, sessionSecret }: AdminContext) {
  const signer = createSigner(sessionSecret, 'notice');
  const lifetimeSeconds = 60;
  return {
    leave(c: Context, message: string) {
      const value = signer.seal(JSON.stringify([message, clock.now()]));
      writeCookie(c, cookieName, value, { basePath, sameSite: 'Lax', maxAgeSeconds: lifetimeSeconds });
    },
    /** Returns the message once. */
    take(c: Context) {
      const cookie = readCookie(c, cookieName, basePath);
      if (cookie === undefined) return undefined;
      clearCookie(c, cookieName, basePath);
      const [message, writtenAtMs] = (parseJson(signer.open(cookie) ?? '') ?? []) as [string?, number?];
      return clock.now() - (writtenAtMs ?? 0) > lifetimeSeconds * 1000 ? undefined : message;
    },
  };
}
