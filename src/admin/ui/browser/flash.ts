import type { Context } from 'hono';
import { parseJson } from '../../../internal/index.js';
import type { AdminContext } from '../../context.js';
import { createCookie, signedName } from './cookies.js';
import { createSigner } from './signing.js';

/** A notice for the next page. It is signed, so that no link can put words on a page. */
export function createFlashes({ basePath, clock, sessionSecret }: AdminContext) {
  const signer = createSigner(sessionSecret, 'notice');
  const lifetimeSeconds = 60;
  const cookie = createCookie(basePath, signedName('concordat_notice', sessionSecret), 'Lax', lifetimeSeconds);
  return {
    leave(c: Context, message: string) {
      cookie.write(c, signer.seal(JSON.stringify([message, clock.now()])));
    },
    /** Returns the message once. */
    take(c: Context) {
      const value = cookie.read(c);
      if (value === undefined) return undefined;
      cookie.clear(c);
      const [message, writtenAtMs] = (parseJson(signer.open(value) ?? '') ?? []) as [string?, number?];
      return clock.now() - (writtenAtMs ?? 0) > lifetimeSeconds * 1000 ? undefined : message;
    },
  };
}
