import { isDeepStrictEqual } from 'node:util';
import type { ApiKey, KeyUse } from 'concordat/api-keys';
import { type Key, type Process, statusOf, type Use, type World } from './world.js';

/** `keptUses` of every process of the model. */
const keptUses = 2;

export const iso = (ms: number) => new Date(ms).toISOString();

/** K10: this process knows its own uses at once, those of the other one when they are written. */
const isSure = (process: Process) => (use: Use) => use.settled || use.by === process;

/** K22: the last use from each place, latest first. */
function places(uses: readonly Use[]): KeyUse[] {
  const latest = new Map<string, Use>();
  for (const use of uses) {
    const place = JSON.stringify([use.address, use.userAgent]);
    if ((latest.get(place)?.atMs ?? Number.NEGATIVE_INFINITY) <= use.atMs) latest.set(place, use);
  }
  return [...latest.values()]
    .sort((a, b) => b.atMs - a.atMs)
    .map(({ address, userAgent, atMs }) => ({ address, userAgent, lastUsedOn: iso(atMs) }));
}

/** Uses at one time have no order, so any of them may be the one that is not kept. */
function areRecent(seen: readonly KeyUse[], uses: readonly Use[]): boolean {
  const all = places(uses);
  const times = (list: readonly KeyUse[]) => list.map(({ lastUsedOn }) => lastUsedOn);
  return (
    isDeepStrictEqual(times(seen), times(all).slice(0, keptUses)) &&
    new Set(seen.map((use) => JSON.stringify(use))).size === seen.length &&
    seen.every((use) => all.some((one) => isDeepStrictEqual(use, one)))
  );
}

const latest = (uses: readonly Use[]) =>
  uses.length === 0 ? null : iso(uses.reduce((ms, { atMs }) => Math.max(ms, atMs), Number.NEGATIVE_INFINITY));

/** Whether the uses that are seen are those of one set between the sure ones and all (K10: a lag of at most a second). */
function areUses(process: Process, key: Key, seen: ApiKey): boolean {
  const sets = [key.uses.filter(isSure(process))];
  for (const use of key.uses) if (!isSure(process)(use)) sets.push([...sets.at(-1)!, use]);
  return sets.some((uses) => seen.lastAccessed === latest(uses) && areRecent(seen.recentUses, uses));
}

/** K10 promises only `lastAccessed` at once: refused uses may lag in their own process, too. */
function areRefusals(key: Key, seen: ApiKey): boolean {
  const sure = key.refusals.filter(({ settled }) => settled).length;
  const times = [null, ...key.refusals.map(({ atMs }) => iso(atMs))];
  const exact = sure === key.refusals.length;
  return (
    seen.refusedUses >= sure &&
    seen.refusedUses <= key.refusals.length &&
    (exact ? seen.lastRefusedOn === latest(key.refusals) : times.includes(seen.lastRefusedOn))
  );
}

/** K1: whether this is the key as this process shows it now. */
export function isView(world: World, process: Process, key: Key, seen: ApiKey): boolean {
  const expected = {
    id: key.id,
    name: key.name,
    description: key.description,
    createdBy: key.owner,
    createdOn: iso(key.createdMs),
    expiresOn: iso(key.expiresMs),
    revokedOn: key.revokedMs === null ? null : iso(key.revokedMs),
    status: statusOf(world, process, key),
    version: key.version,
  };
  const { lastAccessed: _, recentUses: _uses, refusedUses: _refused, lastRefusedOn: _on, ...rest } = seen;
  return isDeepStrictEqual(rest, expected) && areUses(process, key, seen) && areRefusals(key, seen);
}

/** `lastAccessed` as this process sorts by it; `undefined` while it may lag. */
export function lastAccessedFor(process: Process, key: Key): string | null | undefined {
  return key.uses.every(isSure(process)) ? latest(key.uses) : undefined;
}
