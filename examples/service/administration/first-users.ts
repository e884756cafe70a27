import { randomInt } from 'node:crypto';
import { hashPassword, verifyPassword } from 'concordat/api-keys';
import type { AdministrationOptions } from './options.js';
import type { UserStore } from './user-store.js';

/** A user of the first start, with the password if it was generated and must be printed. */
export interface FirstUser {
  username: string;
  superAdmin: boolean;
  password?: string;
}

const usernames = ['admin', 'sam'] as const;

/**
 * Puts a Super Admin and a regular user into a new store. In one that has users already, a password given now takes the
 * place of the user's own: the way back in for somebody who has lost it.
 *
 * @returns the users that were made; none from the second start on, and a user that was deleted does not come back.
 */
export async function ensureUsers(
  users: UserStore,
  passwords: AdministrationOptions['passwords'],
): Promise<readonly FirstUser[]> {
  if (users.isNew) {
    const made = usernames.map((username) => ({
      username,
      superAdmin: username === 'admin',
      ...(passwords[username] === undefined && { password: makePassword() }),
    }));
    const stored = made.map(async ({ username, superAdmin, password }) => {
      const passwordHash = await hashPassword(password ?? (passwords[username] as string));
      return { username, superAdmin, passwordHash };
    });
    if (users.createFirst(await Promise.all(stored))) return made;
  }
  for (const username of usernames) await setPassword(users, username, passwords[username]);
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
