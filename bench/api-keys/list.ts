import type { ListQuery } from 'concordat/api-keys';
import { seededRandom } from '../../src/internal/numbers.js';
import { type Arm, measure, printFigures } from '../harness.js';
import type { Setting } from './main.js';
import { frequentWord, rareWord } from './rows.js';

const rounds = 15;
const root = { userId: 'u-root', username: 'root' };

/** Pages of 50 keys, as the administration UI asks for them. */
export async function benchList(setting: Setting): Promise<void> {
  const { apiKeys, database, keys } = setting;
  const [cursor, byName] = [await cursorInTheMiddle(setting, '-createdOn'), await cursorInTheMiddle(setting, 'name')];
  // On its way it has recorded half of the expired keys as Expired.
  await database.settle('concordat_api_key');
  const random = seededRandom(4);
  const all = (query: ListQuery) => () => apiKeys.list(root, { scope: 'all', ...query });
  const pages: Record<string, () => Promise<{ items: readonly unknown[] }>> = {
    'first page': all({}),
    'page in the middle, newest first': all({ cursor }),
    'page in the middle, by name': all({ sort: 'name', cursor: byName }),
    'Active, first page': all({ status: 'Active' }),
    // The oldest keys have all expired: the furthest way from the end of the order to the first match.
    'Active, oldest first': all({ status: 'Active', sort: 'createdOn' }),
    'Expired, first page': all({ status: 'Expired' }),
    'Expired, by last access': all({ status: 'Expired', sort: '-lastAccessed' }),
    'Revoked, first page': all({ status: 'Revoked' }),
    'search, 1 in 9 keys': all({ search: frequentWord }),
    'search, 3 keys': all({ search: rareWord }),
    'search, a whole name': () => all({ search: keys[Math.floor(random() * keys.length)]!.name })(),
    'search, no key': async () => {
      const page = await all({ search: 'no such word' })();
      return page.items.length === 0 ? { items: ['nothing, as it should be'] } : { items: [] };
    },
    'first page with the total': all({ total: true }),
    "one user's keys, first page": () => {
      const { id, username } = keys[Math.floor(random() * keys.length)]!.owner;
      return apiKeys.list({ userId: id, username }, {});
    },
  };
  await benchPages('list: pages of 50', pages);
}

/** Asks for one page after the other, in turns. @throws Error when one is empty */
export async function benchPages(
  title: string,
  pages: Readonly<Record<string, () => Promise<{ items: readonly unknown[] }>>>,
): Promise<void> {
  const arms = Object.entries(pages).map(
    ([name, page]): Arm => ({
      name,
      operationsPerRound: 2,
      async run() {
        if ((await page()).items.length === 0) throw new Error(`${name}: the page is empty.`);
      },
    }),
  );
  printFigures(title, await measure(arms, rounds), { unit: 'ms' });
}

/** Goes there page by page, as a person would: cursors cannot be made from outside. */
async function cursorInTheMiddle({ apiKeys, keys }: Setting, sort: NonNullable<ListQuery['sort']>): Promise<string> {
  let cursor: string | undefined;
  for (let seen = 0; seen < keys.length / 2; seen += 200) {
    const { nextCursor } = await apiKeys.list(root, { scope: 'all', sort, limit: 200, cursor });
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return cursor ?? '';
}
