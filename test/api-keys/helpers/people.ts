import { type Actor, type DirectoryUser, userManagementWrite } from 'concordat/api-keys';

export const ada: Actor = { userId: 'u-ada', username: 'ada', origin: 'UI' };
export const bob: Actor = { userId: 'u-bob', username: 'bob', origin: 'API' };
export const root: Actor = { userId: 'u-root', username: 'root', origin: 'UI', superAdmin: true };
export const manager: Actor = {
  userId: 'u-manager',
  username: 'manager',
  origin: 'UI',
  permissions: ['Reports – Read', userManagementWrite],
};

/** A directory that the test changes while it runs. It answers later, as one in a database does. */
export class TestUsers {
  readonly users = new Map<string, DirectoryUser>();

  constructor(...actors: Actor[]) {
    for (const { userId, username, superAdmin, permissions } of actors) {
      this.users.set(userId, { id: userId, username, superAdmin, permissions });
    }
  }

  change(userId: string, changes: Partial<DirectoryUser>): void {
    this.users.set(userId, { ...(this.users.get(userId) as DirectoryUser), ...changes });
  }

  findById = async (userId: string): Promise<DirectoryUser | undefined> => this.users.get(userId);

  findByUsername = async (username: string): Promise<DirectoryUser | undefined> =>
    [...this.users.values()].find((user) => user.username === username);
}
