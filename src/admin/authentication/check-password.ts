import { type DirectoryUser, verifyPassword } from '../../api-keys/index.js';
import { sourceKey } from '../../internal/index.js';
import type { AdminContext } from '../context.js';
import { busyError, tooManyFailuresError } from '../http/errors.js';
import { PasswordProofs, type PresentedPassword } from './password-proofs.js';
import { createGate, type Gate } from './semaphore.js';

/** Two of the four threads that Node has for scrypt, files and name look-ups alike. */
const checksAtOnce = 2;
/** Takes about a minute on a small machine. */
const checksWaiting = 500;

/** What checking passwords needs to remember. */
export interface PasswordChecks {
  readonly proofs: PasswordProofs;
  readonly gate: Gate;
  /** The same credentials from one source are checked once, however many requests bring them at a time. */
  readonly underWay: Map<string, Promise<boolean>>;
}

export function createPasswordChecks(clock: AdminContext['clock']): PasswordChecks {
  return {
    proofs: new PasswordProofs(clock),
    gate: createGate({ atOnce: checksAtOnce, waiting: checksWaiting, refusal: busyError }),
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
  address: string,
  { username, password }: { username: string; password: string },
): Promise<DirectoryUser | undefined> {
  const { proofs } = context.passwords;
  const source = sourceKey(address);
  const user = (await context.users.findByUsername(username)) ?? undefined;
  // Taken now: a host may change its user object while the password is checked.
  const { id, passwordHash } = user ?? {};
  const presented = proofs.present(source, username, password, { id, passwordHash });
  if (proofs.holds(presented) && isEnabled(user)) return user;
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
  return isRight && id !== undefined ? await findUnchanged(context, id, passwordHash) : undefined;
}

/** The user as they are now; `undefined` when they are gone, disabled, or have another password hash. */
export async function findUnchanged(
  context: AdminContext,
  id: string,
  passwordHash: string | undefined,
): Promise<DirectoryUser | undefined> {
  const user = (await context.users.findById(id)) ?? undefined;
  return isEnabled(user) && user.passwordHash === passwordHash ? user : undefined;
}

/** @throws AdminHttpError 429 */
export function refuseWhenThrottled(context: AdminContext, address: string): void {
  const retryAfterMs = context.throttle.retryAfterMs(address);
  if (retryAfterMs > 0) throw tooManyFailuresError(retryAfterMs);
}

function once(
  { passwords: { gate, proofs, underWay } }: AdminContext,
  source: string,
  { place, tag }: PresentedPassword,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const key = place + tag.toString('base64');
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const lane = proofs.knows(source) ? 'known' : 'unknown';
  const job = gate.run(source, lane, check).finally(() => underWay.delete(key));
  underWay.set(key, job);
  return job;
}

function isEnabled(user: DirectoryUser | undefined): user is DirectoryUser {
  return user !== undefined && user.enabled !== false;
}
