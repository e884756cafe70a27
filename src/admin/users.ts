import type { ActorLike, ApiKeys, DirectoryUser, UserDirectory } from '../api-keys/index.js';

/** A host's users that a Super Admin may also list and delete in the administration UI. */
export interface ManagedUserDirectory extends UserDirectory {
  list(): readonly DirectoryUser[] | Promise<readonly DirectoryUser[]>;
  /** Deletes the user. The id must never be given to another one. Does nothing when there is no such user. */
  remove(userId: string): void | Promise<void>;
}

export function isManaged(users: UserDirectory): users is ManagedUserDirectory {
  const { list, remove } = users as Partial<ManagedUserDirectory>;
  return typeof list === 'function' && typeof remove === 'function';
}

/**
 * Deletes a user and revokes their keys (specification 3). The caller has checked that the actor may. The user goes
 * first: from then on no key of theirs authenticates (rule K11), even if the revocation has to be repeated.
 */
export async function removeUser(
  { apiKeys, users }: { apiKeys: ApiKeys; users: ManagedUserDirectory },
  actor: ActorLike,
  userId: string,
): Promise<{ readonly revoked: number }> {
  await users.remove(userId);
  return await apiKeys.userDeleted(actor, userId);
}
