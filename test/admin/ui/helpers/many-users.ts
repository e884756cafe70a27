import { type Administration, startAdministration } from './administration.js';

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
