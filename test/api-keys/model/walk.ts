import type { ApiKey, AuditEntry, AuditQuery, ListQuery, Page } from 'concordat/api-keys';
import { type BoundCall, bind } from './bound-calls.js';
import { idOf } from './host.js';
import { listQueryOf } from './inputs.js';
import type { Operation } from './operations.js';
import { comesBefore, listed, sortValue } from './reading.js';
import type { PlanRun } from './run-plan.js';
import { isView } from './view.js';
import { type Caller, type Key, mayManageAll, type Process, personOf, shown, turnedAway, type World } from './world.js';

type Walk = Extract<Operation, { kind: 'walk' }>;

const allAtOnce = 200;

/** Reads page after page while other calls change what is listed. */
export async function walk(run: PlanRun, operation: Walk): Promise<void> {
  const { who } = operation;
  const caller: Caller = { userId: idOf(who), username: 'walker', origin: 'UI' };
  const world = run.worlds[0]!;
  if (turnedAway(world, caller) !== undefined) return;
  if (operation.of === 'audits') return walkAudits(run, operation, caller);
  const scope = mayManageAll(personOf(world, caller.userId)) ? 'all' : 'my';
  const { limit: _, skip: _skip, total: _total, ...filters } = operation.query;
  const query: ListQuery = { ...listQueryOf(run.scene, filters), scope, limit: operation.limit };
  await walkKeys(run, operation, caller, query);
}

/** One page of keys after a cursor: each of them matches, and is shown as it is now. */
function pageOf(process: Process, caller: Caller, query: ListQuery): BoundCall {
  return {
    process,
    text: `list ${JSON.stringify({ process, caller, query })}`,
    run: (apiKeys) => apiKeys.list(caller, query),
    judge(world, outcome) {
      if (!('value' in outcome)) return [];
      const { items } = outcome.value as Page<ApiKey>;
      const keys = listed(world, process, caller, query);
      const isRight =
        items.length <= (query.limit ?? 0) &&
        items.every((item) => keys.some((key) => key.id === item.id && isView(world, process, key, item)));
      return isRight
        ? [
            shown(
              world,
              process,
              items.map(({ id }) => id),
            ),
          ]
        : [];
    },
  };
}

/** The keys that all worlds list, each with what it is sorted by. */
function snapshot(worlds: readonly World[], process: Process, caller: Caller, query: ListQuery): Map<string, unknown> {
  const [first, ...others] = worlds.map((world) => listed(world, process, caller, query));
  const inAll = first!.filter(({ id }) => others.every((keys) => keys.some((key) => key.id === id)));
  return new Map(inAll.map((key) => [key.id, sortValueOf(process, key, query)]));
}

/** Names without a stated order keep their place as long as they are the same. */
function sortValueOf(process: Process, key: Key, { sort = '-createdOn' }: ListQuery): unknown {
  if (sort.endsWith('name')) return key.name;
  if (sort.endsWith('createdBy')) return key.owner.username;
  if (sort.endsWith('lastAccessed') && key.uses.some(({ settled, by }) => !settled && by !== process))
    return Number.NaN;
  return sortValue(process, key, sort);
}

async function walkKeys(run: PlanRun, walk: Walk, caller: Caller, query: ListQuery): Promise<void> {
  const { process, between } = walk;
  const seen: string[] = [];
  const stays = snapshot(run.worlds, process, caller, query);
  let cursor: string | undefined;
  for (let at = 0; at < allAtOnce; at += 1) {
    const [outcome] = await run.call([pageOf(process, caller, { ...query, ...(cursor && { cursor }) })]);
    const page = (outcome as { value: Page<ApiKey> }).value;
    seen.push(...page.items.map(({ id }) => id));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
    const call = between[at];
    if (call !== undefined && call.kind !== 'delete-user') await run.call([bind(run.scene, call)]);
    const now = snapshot(run.worlds, process, caller, query);
    for (const [id, value] of stays) if (!now.has(id) || now.get(id) !== value) stays.delete(id);
  }
  const once = seen.filter((id) => stays.has(id));
  const keys = once.map((id) => run.worlds[0]!.keys.find((key) => key.id === id)!);
  const sort = query.sort ?? '-createdOn';
  const isSorted = keys.every((key, at) =>
    keys.slice(0, at).every((earlier) => !comesBefore(process, key, earlier, sort)),
  );
  if (once.length === stays.size && new Set(once).size === once.length && isSorted) return;
  throw new Error(`Pages of ${JSON.stringify(query)} have ${seen}, but of these each once: ${[...stays.keys()]}`);
}

async function walkAudits(run: PlanRun, walk: Walk, caller: Caller): Promise<void> {
  const { process, between } = walk;
  const [whole] = await run.call([auditPage(process, caller, { limit: allAtOnce })]);
  const expected = (whole as { value: Page<AuditEntry> }).value.items;
  const seen: AuditEntry[] = [];
  let cursor: string | undefined;
  for (let at = 0; at < allAtOnce; at += 1) {
    const [outcome] = await run.call([auditPage(process, caller, { limit: walk.limit, ...(cursor && { cursor }) })]);
    const page = (outcome as { value: Page<AuditEntry> }).value;
    seen.push(...page.items);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
    const call = between[at];
    if (call !== undefined && call.kind !== 'delete-user') await run.call([bind(run.scene, call)]);
  }
  if (JSON.stringify(seen) === JSON.stringify(expected)) return;
  throw new Error(`Pages of audits have ${seen.map(({ id }) => id)} instead of ${expected.map(({ id }) => id)}`);
}

const auditPage = (process: Process, caller: Caller, query: AuditQuery): BoundCall => ({
  process,
  text: `audits ${JSON.stringify({ process, caller, query })}`,
  run: (apiKeys) => apiKeys.audits(caller, query),
  judge: (world, outcome) => ('value' in outcome ? [world] : []),
});
