import { type Actor, type DirectoryUser, maxUserIdCharacters, type UserDirectory } from '../api-keys/index.js';
import { foldForSearch } from '../internal/index.js';
import type { AdminContext } from './context.js';
import { AdminHttpError } from './http/errors.js';

/** Your users, where Super Admins may also list and delete them in the administration UI. */
export interface ManagedUserDirectory extends UserDirectory {
  /** All users, in any order: the page sorts and searches them, and shows 25 at a time. */
  list(): readonly DirectoryUser[] | Promise<readonly DirectoryUser[]>;
  /**
   * Deletes the user, if there is one. Never give the id to another user. `userDeleted` follows by itself.
   *
   * @param by whoever deletes the user: for your log, or for a function of yours that calls `userDeleted` anyway
   */
  remove(userId: string, by: { readonly actor: Actor }): unknown;
}

export function isManaged(users: UserDirectory): users is ManagedUserDirectory {
  const { list, remove } = users as Partial<ManagedUserDirectory>;
  return typeof list === 'function' && typeof remove === 'function';
}

/** The users whose name contains a text, or whose id starts with it, sorted: a directory may have another order each time. */
export function searchUsers(users: readonly DirectoryUser[], search: string): readonly DirectoryUser[] {
  const text = foldForSearch(search);
  const found = users
    .map((user) => ({ user, name: foldForSearch(user.username), id: foldForSearch(user.id) }))
    .filter(({ name, id }) => name.includes(text) || id.startsWith(text));
  return found.sort((one, other) => compare(one.name, other.name) || compare(one.id, other.id)).map(({ user }) => user);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/**
 * Deletes a user and revokes their keys (specification 3). The caller has checked the right to. The user goes first:
 * from then on none of their keys authenticates (rule K11). A user who is gone although `remove` failed is deleted.
 *
 * @throws AdminHttpError 500 when revoking fails: the page that revokes all keys of a user still does it
 */
export async function removeUser(
  context: AdminContext,
  users: ManagedUserDirectory,
  actor: Actor,
  userId: string,
): Promise<{ readonly revoked: number }> {
  // Counted before: `remove` may revoke them itself. A user with a longer id has none (rule K16).
  const active = { createdBy: userId, status: 'Active', total: true, limit: 1 } as const;
  const owned = userId.length > maxUserIdCharacters ? undefined : await context.apiKeys.list(actor, active);
  try {
    await users.remove(userId, { actor });
  } catch (error) {
    const left = await context
      .newLookups()
      .findUser(users, userId)
      .catch(() => 'unknown');
    // A directory that cannot be asked has not said that the user is gone.
    if (left !== undefined) throw error;
    context.onError(error);
  }
  try {
    await context.apiKeys.userDeleted(actor, userId);
    return { revoked: owned?.total ?? 0 };
  } catch (cause) {
    const message =
      'The user is deleted, but their API keys could not be revoked. They do not work any more; revoke them in the list of API keys.';
    throw new AdminHttpError(500, message, { cause });
  }
}
