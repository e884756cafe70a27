import { type DirectoryUser, isEnabled, type RequestLookups, verifyPassword } from '../../api-keys/index.js';
import { sourceKey } from '../../internal/index.js';
import type { AdminContext } from '../context.js';
import { busyError, tooManyFailuresError } from '../http/errors.js';
import { PasswordProofs, type PresentedPassword } from './password-proofs.js';
import { createSemaphore, type Semaphore } from './semaphore.js';

/** Two of the four threads that Node has for scrypt, files and name look-ups alike. */
const checksAtOnce = 2;
/** Takes about a minute on a small machine. */
const checksWaiting = 500;

/** What checking passwords needs to remember. */
export interface PasswordChecks {
  readonly proofs: PasswordProofs;
  readonly semaphore: Semaphore;
  /** The same credentials from one source are checked once, however many requests bring them at a time. */
  readonly underWay: Map<string, Promise<boolean>>;
}

export function createPasswordChecks(clock: AdminContext['clock']): PasswordChecks {
  return {
    proofs: new PasswordProofs(clock),
    semaphore: createSemaphore({ atOnce: checksAtOnce, waiting: checksWaiting, refusal: busyError }),
    underWay: new Map(),
  };
}

/**
 * Checks a username and a password (rule K14): the user, or `undefined` after a failure that has been counted. An
 * unknown user takes as long as a wrong password.
 *
 * @param address who asks, from `context.clientAddress`
 * @throws AdminHttpError 429 when the source has failed too often, 503 when too many passwords are being checked, both with
 *   `retry-after`
 */
export async function checkPassword(
  context: AdminContext,
  lookups: RequestLookups,
  address: string,
  { username, password }: { username: string; password: string },
): Promise<DirectoryUser | undefined> {
  const { proofs } = context.passwords;
  const source = sourceKey(address);
  const user = (await context.users.findByUsername(username)) ?? undefined;
  // Taken now: a host may change its user object while the password is checked.
  const { id, passwordHash } = user ?? {};
  const presented = proofs.present(source, username, password, { id, passwordHash });
  if (proofs.holds(presented) && isEnabled(user)) {
    lookups.remember(context.users, user);
    return user;
  }
  refuseWhenThrottled(context, address);
  const isRight = await once(context, source, presented, async () => {
    // Asked again: of a burst from one source most have waited while the first ones failed.
    refuseWhenThrottled(context, address);
    const matches = await verifyPassword(password, passwordHash);
    // A password that is right for a disabled user is answered as a wrong one.
    if (matches && isEnabled(user)) proofs.add(source, presented);
    else context.throttle.failed(address);
    return matches && isEnabled(user);
  });
  return isRight && id !== undefined ? await findUnchanged(context, lookups, { id, passwordHash }) : undefined;
}

/** The user as they are now; `undefined` when they are gone, disabled, or have another password hash. */
export async function findUnchanged(
  context: AdminContext,
  lookups: RequestLookups,
  { id, passwordHash }: { id: string; passwordHash: string | undefined },
): Promise<DirectoryUser | undefined> {
  const user = await lookups.findUser(context.users, id);
  return isEnabled(user) && user.passwordHash === passwordHash ? user : undefined;
}

/** @throws AdminHttpError 429 */
export function refuseWhenThrottled(context: AdminContext, address: string): void {
  const retryAfterMs = context.throttle.retryAfterMs(address);
  if (retryAfterMs > 0) throw tooManyFailuresError(retryAfterMs);
}

function once(
  { passwords: { semaphore, proofs, underWay } }: AdminContext,
  source: string,
  { place, tag }: PresentedPassword,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const key = place + tag.toString('base64');
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const lane = proofs.knows(source) ? 'known' : 'unknown';
  const job = semaphore.run(source, lane, check).finally(() => underWay.delete(key));
  underWay.set(key, job);
  return job;
}
