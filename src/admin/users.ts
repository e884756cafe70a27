import type { ActorLike, ApiKeys, DirectoryUser, UserDirectory } from '../api-keys/index.js';

/** Your users, where Super Admins may also list and delete them in the administration UI. */
export interface ManagedUserDirectory extends UserDirectory {
  list(): readonly DirectoryUser[] | Promise<readonly DirectoryUser[]>;
  /** Deletes the user, if there is one. Never give the id to another user. */
  remove(userId: string): void | Promise<void>;
}

export function isManaged(users: UserDirectory): users is ManagedUserDirectory {
  const { list, remove } = users as Partial<ManagedUserDirectory>;
  return typeof list === 'function' && typeof remove === 'function';
}

/**
 * Deletes a user and revokes their keys (specification 3). The caller has checked the right to. The user goes first:
 * from then on none of their keys authenticates (rule K11), even if the revocation has to be repeated.
 */
export async function removeUser(
  { apiKeys, users }: { apiKeys: ApiKeys; users: ManagedUserDirectory },
  actor: ActorLike,
  userId: string,
): Promise<{ readonly revoked: number }> {
  await users.remove(userId);
  return await apiKeys.userDeleted(actor, userId);
}
