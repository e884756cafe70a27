import { isEnabled } from '../../../api-keys/index.js';
import type { AdminContext, HostSignIn } from '../../context.js';
import { AdminHttpError } from '../../http/errors.js';
import { createBrowserIds } from './browser-id.js';
import type { Sessions } from './session.js';

/**
 * The host says at every request who is signed in (rule K20); a user who is disabled or unknown gets a 403. Tokens of forms are
 * bound to user and browser.
 */
export function createHostSessions({ basePath, users }: AdminContext, { authenticate }: HostSignIn): Sessions {
  const browser = createBrowserIds('concordat_browser', 'Lax', basePath);
  return {
    async read(c, lookups) {
      const userId = await lookups.ask('The sign-in of this service', async () =>
        checkUserId(await authenticate(c.req.raw, c.env)),
      );
      if (userId === '') return undefined;
      const user = await lookups.findUser(users, userId);
      // Not to the sign-in page, which may send a browser that is signed in straight back.
      if (!isEnabled(user)) throw new AdminHttpError(403, 'You are signed in, but your account has no access here.');
      const idWith = (browserId: string) => JSON.stringify([user.id, browserId]);
      return { id: idWith(browser.ensure(c)), otherIds: browser.read(c).map(idWith), user };
    },
  };
}

/** @throws Error when the host says neither who is signed in nor that nobody is (rule K19) */
function checkUserId(userId: unknown): string {
  if (userId === undefined || userId === null || userId === false) return '';
  if (typeof userId === 'string') return userId;
  throw new Error('`authenticate` must return the id of a user as text, or `undefined` for nobody.');
}
