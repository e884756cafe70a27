import type { DirectoryUser } from './types.js';

/** The permission to manage the keys of all users (specification 5.3). */
export const userManagementWrite = 'User Management – Write';

/** What a user may do beyond managing their own keys (specification 5.3, rule K7). */
export interface Rights {
  /** Set by `superAdmin: true` or by the role `Super Admin`. */
  readonly superAdmin: boolean;
  /** Super Admins, and users with the permission `User Management – Write`. */
  readonly manageAllApiKeys: boolean;
}

/**
 * The rights of a user. Every interface decides by this function, so a user has the same rights at each of them.
 *
 * @example
 * rightsOf({ roles: ['Super Admin'] }) // { superAdmin: true, manageAllApiKeys: true }
 */
export function rightsOf({
  superAdmin,
  roles,
  permissions,
}: Pick<DirectoryUser, 'superAdmin' | 'roles' | 'permissions'>): Rights {
  // Of a text, `includes` would find a part.
  const isSuperAdmin = superAdmin === true || (Array.isArray(roles) && roles.includes('Super Admin'));
  const mayManage = Array.isArray(permissions) && permissions.some(isUserManagementWrite);
  return { superAdmin: isSuperAdmin, manageAllApiKeys: isSuperAdmin || mayManage };
}

/** Whether a user exists and is not disabled: a 0 of SQLite is no `true`. */
export function isEnabled(user: DirectoryUser | undefined): user is DirectoryUser {
  return user !== undefined && (user.enabled === undefined || user.enabled === true);
}

/** Hosts write the dash of the permission's name in several ways. */
function isUserManagementWrite(permission: unknown): boolean {
  return typeof permission === 'string' && /^user management\s*[\p{Pd}\u2212:]\s*write$/iu.test(permission);
}
