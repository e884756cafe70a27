import { type DirectoryUser, verifyPassword } from '../api-keys/index.js';
import type { AdminContext } from './context.js';
import { tooManyFailuresError } from './http-errors.js';

const busyRetryAfterMs = 1000;

/**
 * Checks a username and a password (rule K14): the user, or `undefined` after a failure that has been counted. An
 * unknown user takes as long as a wrong password.
 *
 * @param source who asks, from `context.clientAddress`
 * @throws AdminHttpError 429 with `retry-after` when the source has failed too often, or too many are being checked: no
 *   credentials were looked at
 */
export async function checkPassword(
  context: AdminContext,
  source: string,
  { username, password }: { username: string; password: string },
): Promise<DirectoryUser | undefined> {
  refuseWhenThrottled(context, source);
  const checked = context.passwordGate.run(async () => {
    // Asked again: of a burst from one source most have waited while the first ones failed.
    refuseWhenThrottled(context, source);
    const user = (await context.users.findByUsername(username)) ?? undefined;
    const matches = await verifyPassword(password, user?.passwordHash);
    // A password that is right for a disabled user is answered as a wrong one.
    if (user !== undefined && matches && user.enabled !== false) return user;
    context.throttle.failed(source);
    return undefined;
  });
  if (checked === undefined) throw tooManyFailuresError(busyRetryAfterMs);
  return await checked;
}

/** @throws AdminHttpError 429 */
export function refuseWhenThrottled(context: AdminContext, source: string): void {
  const retryAfterMs = context.throttle.retryAfterMs(source);
  if (retryAfterMs > 0) throw tooManyFailuresError(retryAfterMs);
}
