import { type Administration, startAdministration } from './administration.js';
import { readTable } from './html.js';
import type { Visitor } from './visitor.js';

/** Root and 4,999 others, whom the directory lists in another order each time, as a database may. */
export async function administrationWithManyUsers(): Promise<Administration> {
  const host = await startAdministration();
  const root = host.users.get('u-root')!;
  host.users.clear();
  for (let number = 1; number < 5000; number++) {
    const username = `user ${String(number).padStart(4, '0')}`;
    host.users.set(`id-${number}`, { ...root, id: `id-${number}`, username, superAdmin: false });
  }
  host.users.set('u-root', root);
  const everybody = host.users.values.bind(host.users);
  let calls = 0;
  host.users.values = () => {
    const all = [...everybody()];
    return (calls++ % 2 === 0 ? all.reverse() : all).values();
  };
  return host;
}

/** Root, who has signed in among them. */
export async function signedInAmongMany() {
  const host = await administrationWithManyUsers();
  return { host, visitor: await host.visitor('root') };
}

/** The users that the page lists. */
export function namesOf({ page }: Visitor): string[] {
  return readTable(page.html).rows.map(([name = '']) => name.replace(/ (?:You )?API keys · Revoke all$/, ''));
}
