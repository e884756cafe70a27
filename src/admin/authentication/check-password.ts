import {
  type DirectoryUser,
  isEnabled,
  isPasswordHash,
  type RequestLookups,
  verifyPassword,
} from '../../api-keys/index.js';
import { sourceKey } from '../../internal/index.js';
import type { AdminContext } from '../context.js';
import { busyError, tooManyFailuresError } from '../http/errors.js';
import { controlCharacters } from './basic-credentials.js';
import { PasswordProofs, type PresentedPassword } from './password-proofs.js';
import { createSemaphore } from './semaphore.js';

/** Two of the four threads that Node uses for scrypt, files and DNS together. */
const checksAtOnce = 2;
/** About a minute of work on a small machine. */
const checksWaiting = 500;

export type PasswordChecks = ReturnType<typeof createPasswordChecks>;

/** State shared by all password checks. */
export function createPasswordChecks(clock: AdminContext['clock']) {
  return {
    proofs: new PasswordProofs(clock),
    semaphore: createSemaphore({ atOnce: checksAtOnce, waiting: checksWaiting, refusal: busyError }),
    /** Concurrent requests with the same credentials from one source share one check. */
    underWay: new Map<string, Promise<boolean>>(),
  };
}

/**
 * Checks a username and a password (rule K14): the user, or `undefined` after a failure, which is counted. An unknown
 * user takes as long as a wrong password that is not checked by the host.
 *
 * @param address the source, from `context.clientAddress`
 * @throws AdminHttpError 429 when the source has failed too often, 503 when too many passwords are being checked, both
 *   with `retry-after`
 */
export async function checkPassword(
  context: AdminContext,
  lookups: RequestLookups,
  address: string,
  { username, password }: { username: string; password: string },
): Promise<DirectoryUser | undefined> {
  const { proofs } = context.passwords;
  const source = sourceKey(address);
  const user = controlCharacters.test(username) ? undefined : await lookups.findByUsername(context.users, username);
  // Read now: the host may change its user object during the check.
  const id = user?.id;
  const passwordHash = passwordHashOf(user);
  const presented = proofs.present(source, username, password, { id, passwordHash });
  // Without a stored hash nothing would tell that the password has changed.
  const canRemember = passwordHash !== undefined;
  if (canRemember && proofs.holds(presented) && isEnabled(user)) {
    lookups.remember(context.users, user);
    return user;
  }
  refuseWhenThrottled(context, address);
  const isRight = await once(context, source, presented, async () => {
    // Checked again: most of a burst waited while its first ones failed.
    refuseWhenThrottled(context, address);
    // The right password of a disabled user fails like a wrong one.
    const isAccepted = (await matches(context, lookups, address, user, password)) && isEnabled(user);
    if (!isAccepted) context.throttle.failed(address);
    return isAccepted;
  });
  if (!isRight || id === undefined) return undefined;
  const unchanged = await findUnchanged(context, lookups, { id, passwordHash });
  if (unchanged === undefined) return undefined;
  if (canRemember) proofs.add(source, presented);
  else proofs.addSource(source);
  return unchanged;
}

/** @throws Error when the stored hash cannot be read: nobody could sign in, and "wrong password" would hide why */
async function matches(
  context: AdminContext,
  lookups: RequestLookups,
  address: string,
  user: DirectoryUser | undefined,
  password: string,
): Promise<boolean> {
  const { verifyPassword: hostCheck } = context;
  if (hostCheck === undefined) {
    const passwordHash = passwordHashOf(user);
    const isRight = await verifyPassword(password, passwordHash);
    if (passwordHash === undefined || isPasswordHash(passwordHash)) return isRight;
    // Counted, so that it is no way to try names without end.
    context.throttle.failed(address);
    throw new Error(`The \`passwordHash\` of user ${user?.id} is not from \`hashPassword\`: give \`verifyPassword\`.`);
  }
  // A check of our own, so that an unknown user takes time, too. Without a password, LDAP signs in anybody as nobody.
  if (user === undefined || password === '') return await verifyPassword(password, undefined);
  return (await lookups.ask('The password check of this service', () => hostCheck(user, password))) === true;
}

/** The stored hash. Databases say null, or an empty text, for the users of a single sign-on. */
export function passwordHashOf(user: DirectoryUser | undefined): string | undefined {
  return user?.passwordHash || undefined;
}

/**
 * The user, looked up again; `undefined` when deleted, disabled, or with another password hash.
 *
 * @throws Error when only `findById` returns another hash: nobody could sign in, and "wrong password" would hide why
 */
export async function findUnchanged(
  context: AdminContext,
  lookups: RequestLookups,
  { id, passwordHash }: { id: string; passwordHash: string | undefined },
): Promise<DirectoryUser | undefined> {
  const user = await lookups.findUser(context.users, id);
  if (!isEnabled(user)) return undefined;
  if (passwordHashOf(user) === passwordHash) return user;
  const byName = await lookups.findByUsername(context.users, user.username);
  if (byName?.id !== id || passwordHashOf(byName) !== passwordHash) return undefined;
  throw new Error(
    `\`users.findById\` returned the user ${id} without the \`passwordHash\` that \`findByUsername\` returns.`,
  );
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
  const kind = proofs.knows(source) ? 'known' : 'unknown';
  const job = semaphore.run(source, kind, check).finally(() => underWay.delete(key));
  underWay.set(key, job);
  return job;
}
