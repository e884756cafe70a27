import type { ManagedUserDirectory } from 'concordat/admin';
import { type AdminHost, type HostOptions, type MutableUser, password, startAdmin } from '../../helpers/admin-host.js';
import { Visitor } from './visitor.js';

export interface Administration extends AdminHost {
  /** Somebody with a browser of their own, signed in when a name is given. */
  visitor(username?: string): Promise<Visitor>;
  /** Makes a key directly, some days ago, for so many days from then. */
  made(userId: string, name: string, daysAgo: number, days: number): Promise<{ id: string; key: string }>;
}

const dayMs = 86_400_000;

/** An administration whose users can be listed and deleted, in the way given. */
export async function startAdministration(
  options: HostOptions & { remove?: (...given: Parameters<ManagedUserDirectory['remove']>) => Promise<unknown> } = {},
): Promise<Administration> {
  let users = new Map<string, MutableUser>();
  const directory: ManagedUserDirectory = {
    findById: async (id) => users.get(id),
    findByUsername: async (username) => [...users.values()].find((user) => user.username === username),
    list: async () => [...users.values()],
    async remove(id, by) {
      await options.remove?.(id, by);
      users.delete(id);
    },
  };
  const host = await startAdmin({
    admin: { users: directory, ...options.admin },
    keys: { users: directory, ...options.keys },
  });
  users = host.users;
  const basePath = options.admin?.basePath ?? '';
  return Object.assign(host, {
    async visitor(username?: string) {
      const visitor = new Visitor(host.url);
      if (username !== undefined) await visitor.signIn(username, password, basePath);
      return visitor;
    },
    async made(userId: string, name: string, daysAgo: number, days: number) {
      const actor = { userId, username: users.get(userId)?.username ?? userId, origin: 'UI' as const };
      host.clock.jumpCalendar(-daysAgo * dayMs);
      const expiresOn = new Date(host.clock.now() + days * dayMs);
      const { apiKey, key } = await host.apiKeys.create(actor, { name, expiresOn });
      host.clock.jumpCalendar(daysAgo * dayMs);
      return { id: apiKey.id, key };
    },
  });
}
