import { isDeepStrictEqual } from 'node:util';
import type { ApiKey, AuditEntry, AuditQuery, ListQuery, Page } from 'concordat/api-keys';
import { readTime } from './fields.js';
import { iso, isView, lastAccessedFor } from './view.js';
import {
  type Caller,
  type Entry,
  type Failure,
  judge,
  type Key,
  mayManageAll,
  maySee,
  type Outcome,
  type Process,
  personOf,
  shown,
  statusOf,
  turnedAway,
  type World,
} from './world.js';

const onlyOwn: Failure = { kind: 'forbidden', message: 'You may see only your own API keys.' };

const notFound: Failure = { kind: 'not-found', message: 'API key not found.' };

/** K7: another user's key is reported like one that does not exist. */
const visible = (world: World, caller: Caller, id: string) =>
  world.keys.find((key) => key.id === id && maySee(world, caller.userId, key.owner.id));

export function get(world: World, process: Process, caller: Caller, id: string, outcome: Outcome): World[] {
  const key = visible(world, caller, id);
  return judge(world, outcome, [turnedAway(world, caller) ?? (key ? undefined : notFound)], (value) =>
    isView(world, process, key!, value as ApiKey) ? [shown(world, process, [id])] : [],
  );
}

/** K24: neither case nor compatible forms nor kinds of blanks count. */
const folded = (text: string) => text.normalize('NFKC').toLowerCase().split(/\s+/).join(' ');

/** K24: the start of an id, with a key's prefix before it if four characters of the id follow. */
function idStart(search: string): string | undefined {
  const [first = '', second] = search.split('_');
  const start = second !== undefined && second.length >= 4 && /^[a-z][a-z0-9]+$/.test(first) ? second : first;
  return /^[0-9A-Za-z]{1,12}$/.test(start) && (start === search || start !== first) ? start : undefined;
}

/** K24, without regard to what a database makes of it. */
function isFound(key: Key, search: string): boolean {
  const wanted = search.trim();
  const start = idStart(wanted);
  const texts = [key.name, key.description ?? '', key.owner.username];
  return (
    texts.some((text) => folded(text).includes(folded(wanted))) || (start !== undefined && key.id.startsWith(start))
  );
}

/** The keys that a list with these filters has, in no order. */
export function listed(world: World, process: Process, caller: Caller, query: ListQuery): Key[] {
  return world.keys
    .filter((key) => (query.scope === 'all' ? true : key.owner.id === caller.userId))
    .filter((key) => query.createdBy === undefined || key.owner.id === query.createdBy)
    .filter((key) => query.status === undefined || statusOf(world, process, key) === query.status)
    .filter((key) => query.search === undefined || isFound(key, query.search));
}

const plain = (name: string) => (/^[a-z0-9 ]+$/.test(name) ? name : undefined);

/** By what a list is sorted; `undefined` where the rules leave the order open. */
export function sortValue(process: Process, key: Key, sort: string): string | number | undefined {
  switch (sort.replace('-', '')) {
    case 'name':
      return plain(key.name);
    case 'createdBy':
      return plain(key.owner.username);
    case 'expiresOn':
      return key.expiresMs;
    case 'lastAccessed':
      return lastAccessedFor(process, key) ?? undefined;
    default:
      return key.createdMs;
  }
}

/** Whether `a` must come before `b`. */
export function comesBefore(process: Process, a: Key, b: Key, sort: string): boolean {
  const [first, second] = [sortValue(process, a, sort), sortValue(process, b, sort)];
  if (first === undefined || second === undefined) return false;
  return sort.startsWith('-') ? first > second : first < second;
}

const wrong = (field: string): Failure => ({ kind: 'validation', wrong: new Map([[field, undefined]]) });

/** K6: a period does not end before it begins. */
function wrongPeriod({ from, to }: AuditQuery): Failure[] {
  if (from === undefined || to === undefined) return [];
  return readTime(from)!.firstMs > readTime(to)!.lastMs ? [wrong('from')] : [];
}

/** K13: of wrong parameters one is named. */
function wrongPage({ limit = 1, skip = 0 }: { limit?: number | undefined; skip?: number | undefined }): Failure[] {
  return [
    ...(Number.isInteger(limit) && limit >= 1 && limit <= 200 ? [] : [wrong('limit')]),
    ...(Number.isInteger(skip) && skip >= 0 ? [] : [wrong('skip')]),
  ];
}

/** Who may not ask for the keys of all is told so (5.3); a page's parameters are checked, too. */
function failuresOf(world: World, caller: Caller, query: ListQuery | AuditQuery): (Failure | undefined)[] {
  const away = turnedAway(world, caller);
  if (away !== undefined) return [away];
  const mayAll = mayManageAll(personOf(world, caller.userId));
  const asked = 'apiKeyId' in query ? query.apiKeyId : undefined;
  const isHidden = asked !== undefined && visible(world, caller, asked) === undefined;
  const wrongs = [...wrongPage(query), ...wrongPeriod(query as AuditQuery)];
  return [query.scope === 'all' && !mayAll ? onlyOwn : undefined, ...wrongs, isHidden ? notFound : undefined];
}

const isPage = (
  { items, total }: Page<unknown>,
  query: { limit?: number | undefined; total?: boolean | undefined; skip?: number | undefined },
  size: number,
) =>
  items.length === Math.min(query.limit ?? 50, Math.max(0, size - (query.skip ?? 0))) &&
  total === (query.total ? size : undefined);

/** One page of a list that begins at its start. */
export function list(world: World, process: Process, caller: Caller, query: ListQuery, outcome: Outcome): World[] {
  return judge(world, outcome, failuresOf(world, caller, query), (value) => {
    const page = value as Page<ApiKey>;
    const all = listed(world, process, caller, query);
    const keys = page.items.map(({ id }) => all.find((key) => key.id === id));
    const isWhole = (query.skip ?? 0) + page.items.length >= all.length;
    const sort = query.sort ?? '-createdOn';
    const inOrder = keys.every((key, at) =>
      keys.slice(0, at).every((earlier) => key && earlier && !comesBefore(process, key, earlier, sort)),
    );
    const rest = query.skip ? [] : all.filter((key) => !keys.includes(key));
    const isRight =
      isPage(page, query, all.length) &&
      new Set(keys).size === keys.length &&
      inOrder &&
      rest.every((left) => keys.every((key) => key && !comesBefore(process, left, key, sort))) &&
      page.items.every((item, at) => keys[at] !== undefined && isView(world, process, keys[at], item)) &&
      (page.nextCursor === null) === isWhole;
    return isRight
      ? [
          shown(
            world,
            process,
            page.items.map(({ id }) => id),
          ),
        ]
      : [];
  });
}

/** The entries that a caller finds, newest first (K6, K7). */
function audited(world: World, caller: Caller, query: AuditQuery): Entry[] {
  const ownerOf = (id: string) => world.keys.find((key) => key.id === id)?.owner.id ?? '';
  const all = query.scope !== 'my' && mayManageAll(personOf(world, caller.userId));
  const from = query.from === undefined ? undefined : readTime(query.from);
  const to = query.to === undefined ? undefined : readTime(query.to);
  return world.audits
    .filter(({ apiKeyId }) => all || ownerOf(apiKeyId) === caller.userId)
    .filter(({ apiKeyId }) => query.apiKeyId === undefined || apiKeyId === query.apiKeyId)
    .filter(({ type }) => query.revisionType === undefined || type === query.revisionType)
    .filter(({ origin }) => query.origin === undefined || origin === query.origin)
    .filter(({ author }) => query.author === undefined || [author.id, author.username].includes(query.author))
    .filter(({ atMs }) => (from === undefined || atMs >= from.firstMs) && (to === undefined || atMs <= to.lastMs))
    .reverse();
}

/** An entry as a caller sees it, but for its id. */
function entryView(world: World, caller: Caller, entry: Entry): Omit<AuditEntry, 'id'> {
  const actor = world.keys.find(({ id }) => id === entry.acting?.id);
  return {
    apiKeyId: entry.apiKeyId,
    name: entry.name,
    author: entry.author,
    actingApiKey: actor !== undefined && maySee(world, caller.userId, actor.owner.id) ? entry.acting : null,
    changeTime: iso(entry.atMs),
    revisionType: entry.type,
    changes: entry.changes,
    origin: entry.origin,
  };
}

/** Whether a page shows these entries from `start` on; what was written together may come in any order. */
function areEntries(world: World, caller: Caller, seen: readonly AuditEntry[], all: readonly Entry[], start: number) {
  const left = [...all];
  return seen.every(({ id: _, ...entry }, at) => {
    const group = all[start + at]!.together;
    const found = left.findIndex(
      (one) =>
        (group === undefined ? one === all[start + at] : one.together === group) &&
        isDeepStrictEqual(entry, entryView(world, caller, one)),
    );
    return found >= 0 && left.splice(found, 1).length === 1;
  });
}

export function audits(world: World, process: Process, caller: Caller, query: AuditQuery, outcome: Outcome): World[] {
  return judge(world, outcome, failuresOf(world, caller, query), (value) => {
    const page = value as Page<AuditEntry>;
    const all = audited(world, caller, query);
    const start = query.skip ?? 0;
    const descending = page.items.every(({ id }, at) => at === 0 || id < page.items[at - 1]!.id);
    const isWhole = start + page.items.length >= all.length;
    const isRight = isPage(page, query, all.length) && descending && areEntries(world, caller, page.items, all, start);
    if (!isRight || (page.nextCursor === null) !== isWhole) return [];
    // Whether a look at one key's entries writes that it has expired is not said: both may be.
    return query.apiKeyId === undefined ? [world] : [world, shown(world, process, [query.apiKeyId])];
  });
}
