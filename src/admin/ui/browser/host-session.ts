import { isEnabled } from '../../../api-keys/index.js';
import type { AdminContext, HostSignIn } from '../../context.js';
import { createBrowserId } from './browser-id.js';
import type { Sessions } from './session.js';

/**
 * The host's own sessions (rule K20): the host says at every request who is signed in, and keeps, ends and renews its
 * sessions itself. Tokens of forms are bound to the user and to the browser.
 */
export function createHostSessions({ basePath, users }: AdminContext, { authenticate }: HostSignIn): Sessions {
  const browser = createBrowserId('concordat_browser', 'Lax', basePath);
  return {
    async read(c, lookups) {
      const userId = await lookups.ask('The sign-in of this service', () => authenticate(c.req.raw, c.env));
      if (userId === undefined || userId === null || userId === '') return undefined;
      const user = await lookups.findUser(users, String(userId));
      if (!isEnabled(user)) return undefined;
      return { id: JSON.stringify([user.id, browser.ensure(c)]), user };
    },
  };
}
