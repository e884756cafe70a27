import { randomInt } from 'node:crypto';
import { hashPassword, userManagementWrite, verifyPassword } from 'concordat/api-keys';
import type { AdministrationOptions } from './options.js';
import type { UserStore } from './user-store.js';

/** A user of the first start, with the password if it was generated and must be printed. */
export interface FirstUser {
  username: FirstUsername;
  superAdmin: boolean;
  permissions: readonly string[];
  password?: string;
}

/** One for each role that API keys know. */
const roles = [
  { username: 'admin', superAdmin: true, permissions: [] },
  { username: 'uma', superAdmin: false, permissions: [userManagementWrite] },
  { username: 'sam', superAdmin: false, permissions: [] },
] as const;

export type FirstUsername = (typeof roles)[number]['username'];

/**
 * Puts a Super Admin, a manager of API keys and a regular user into a new store. In one that has users already, a password
 * given now takes the place of the user's own: the way back in for somebody who has lost it.
 *
 * @returns the users that were made; none from the second start on, and a user that was deleted does not come back.
 */
export async function ensureUsers(
  users: UserStore,
  passwords: AdministrationOptions['passwords'],
): Promise<readonly FirstUser[]> {
  if (users.isNew) {
    const made = roles.map((role) => ({
      ...role,
      ...(passwords[role.username] === undefined && { password: makePassword() }),
    }));
    const stored = made.map(async ({ password, ...role }) => {
      const passwordHash = await hashPassword(password ?? (passwords[role.username] as string));
      return { ...role, passwordHash };
    });
    if (users.createFirst(await Promise.all(stored))) return made;
  }
  for (const { username } of roles) await setPassword(users, username, passwords[username]);
  return [];
}

async function setPassword(users: UserStore, username: string, password: string | undefined): Promise<void> {
  const user = users.findByUsername(username);
  if (user === undefined || password === undefined) return;
  // A new hash would end the sessions of this user, even of the same password.
  if (await verifyPassword(password, user.passwordHash)) return;
  users.setPassword(user.id, await hashPassword(password));
}

/** 100 random bits, in letters and digits that are not taken for each other. */
function makePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: 4 }, group).join('-');
}
