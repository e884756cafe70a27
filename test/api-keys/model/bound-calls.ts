import { type Actor, type ApiKeys, type AuditQuery, isApiKeyError, type ListQuery } from 'concordat/api-keys';
import { create, revoke, revokeAll, update } from './changing.js';
import { latestExpiry } from './fields.js';
import { changed, type Host, idOf } from './host.js';
import type { AuditShape, Call, Credential, Expiry, ListShape } from './operations.js';
import { checksum, headersOf, type Pairs, present } from './presenting.js';
import { audits, get, list } from './reading.js';
import { type Caller, hasKeys, type Outcome, type Process, personOf, statusOf, type World } from './world.js';

/** A call with everything that it passes, and what the model makes of its outcome. */
export interface BoundCall {
  readonly process: Process;
  readonly text: string;
  /** The key that it changes. */
  readonly changes?: string;
  run(apiKeys: ApiKeys): Promise<unknown>;
  judge(world: World, outcome: Outcome, contended: boolean): World[];
}

export interface Scene {
  readonly world: World;
  readonly host: Host;
  /** Ids of the keys that exist, in the order in which they were confirmed. */
  readonly created: readonly string[];
}

export async function outcomeOf(call: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!isApiKeyError(error))
      return { crash: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
    return { error: { kind: error.kind, message: error.message, fieldErrors: error.fieldErrors } };
  }
}

const stranger = 'ZZZZZZZZZZZZ';
const secretOf43 = 'a'.repeat(43);
const sealed = (text: string) => text + checksum(text);

const isoAt = (ms: number) => new Date(ms).toISOString();

/** A time as a host passes it. */
export function timeOf(expiry: Expiry, nowMs: number): unknown {
  if ('raw' in expiry) return expiry.raw;
  if ('inDays' in expiry) return isoAt(nowMs + expiry.inDays * 24 * 3_600_000).slice(0, 10);
  if ('latestAnd' in expiry) return new Date(latestExpiry(nowMs) + expiry.latestAnd);
  const ms = nowMs + expiry.inMs;
  if (expiry.as === 'date') return new Date(ms);
  return expiry.as === 'z' ? isoAt(ms) : isoAt(ms + 5.5 * 3_600_000).replace('Z', '+05:30');
}

const keyId = (created: readonly string[], index: number) =>
  created.length === 0 ? stranger : created[index % created.length]!;

function credentialOf({ world, created }: Scene, { of, key }: Credential): string {
  if (of === 'empty') return '';
  if (of === 'junk') return 'not-a-key';
  if (of === 'stranger' || created.length === 0) return sealed(`ck_${stranger}_${secretOf43}`);
  const value = world.keys.find(({ id }) => id === keyId(created, key))!.value;
  if (of === 'forged') return sealed(`${value.slice(0, -49)}${secretOf43}`);
  return of === 'typo' ? value.slice(0, -1) + (value.endsWith('0') ? '1' : '0') : value;
}

function pairsOf(scene: Scene, call: Extract<Call, { kind: 'present' }>): Pairs {
  const pairs: [string, string][] = [];
  if (call.agent !== null) pairs.push(['user-agent', call.agent]);
  if (call.first !== null) pairs.push(['x-api-key', credentialOf(scene, call.first)]);
  if (call.first !== null && call.twice) pairs.push(['x-api-key', credentialOf(scene, call.first)]);
  if (call.second !== null) pairs.push(['authorization', `${call.scheme} ${credentialOf(scene, call.second)}`.trim()]);
  else if (call.basic) pairs.push(['authorization', 'Basic YWRhOmFkYQ==']);
  return pairs;
}

function callerOf({ world }: Scene, call: { who: number; origin?: Caller['origin']; via?: number | null }): Caller {
  const userId = idOf(call.who);
  const own = world.keys.filter(({ owner }) => owner.id === userId);
  const acting = typeof call.via === 'number' && own.length > 0 ? own[call.via % own.length] : undefined;
  return {
    userId,
    username: personOf(world, userId)?.username ?? 'nobody',
    origin: call.origin ?? 'UI',
    ...(acting && { apiKeyId: acting.id }),
  };
}

/** What an actor says about their own rights counts for nothing: the directory decides (K11). */
const actorOf = (caller: Caller, lies = false): Actor =>
  lies ? { ...caller, superAdmin: true, roles: ['Super Admin'], permissions: ['User Management – Write'] } : caller;

export function listQueryOf({ world, created }: Scene, shape: ListShape): ListQuery {
  const { createdBy, search, ...rest } = shape;
  const wanted =
    typeof search === 'object'
      ? world.keys.find(({ id }) => id === keyId(created, search.key))?.value.slice(0, search.characters)
      : search;
  return {
    ...rest,
    ...(createdBy !== undefined && { createdBy: idOf(createdBy) }),
    ...(wanted !== undefined && { search: wanted }),
  } as ListQuery;
}

export function auditQueryOf(
  { created }: Scene,
  { key, author, from, to, ...rest }: AuditShape,
  nowMs: number,
): AuditQuery {
  const valid = (time: Expiry | undefined) => time !== undefined && !('raw' in time);
  return {
    ...rest,
    ...(key !== undefined && { apiKeyId: keyId(created, key) }),
    ...(author !== undefined && { author: typeof author === 'number' ? idOf(author) : author }),
    ...(valid(from) && { from: timeOf(from!, nowMs) as Date }),
    ...(valid(to) && { to: timeOf(to!, nowMs) as Date }),
  };
}

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Whether a key works at the moment, by everything that `verify` would ask. */
function usable(world: World, process: Process, id: string, outcome: Outcome): World[] {
  if (world.trouble !== 'none') return 'value' in outcome && outcome.value === true ? [] : [world];
  const key = world.keys.find((one) => one.id === id);
  const owner = key && personOf(world, key.owner.id);
  const isUsable =
    key !== undefined && hasKeys(world) && statusOf(world, process, key) === 'Active' && owner !== undefined;
  return 'value' in outcome && outcome.value === (isUsable && owner.enabled !== false) ? [world] : [];
}

export function bind(scene: Scene, call: Call): BoundCall {
  const { world, host, created } = scene;
  const { process } = call;
  const nowMs = world.nowMs[process];
  const bound = (run: BoundCall['run'], judge: BoundCall['judge'], with_: unknown, changes?: string): BoundCall => {
    const text = `${call.kind} ${JSON.stringify({ process, with: with_ })}`;
    return { process, text, run, judge, ...(changes !== undefined && { changes }) };
  };
  if (call.kind === 'usable') {
    const id = keyId(created, call.key);
    return bound(
      (keys) => keys.isUsable(id),
      (then, outcome) => usable(then, process, id, outcome),
      id,
    );
  }
  if (call.kind === 'present') {
    const pairs = pairsOf(scene, call);
    const headers = headersOf(pairs, call.as);
    const from = call.address === null ? undefined : { address: call.address };
    return bound(
      (keys) => (call.told ? keys.verify(headers, undefined, from) : keys.authenticate(headers, from)),
      (then, outcome) => present(then, { process, pairs, address: call.address }, outcome, call.told),
      { pairs, as: call.as, address: call.address },
    );
  }
  const caller = callerOf(scene, call);
  if (call.kind === 'get') {
    const id = keyId(created, call.key);
    return bound(
      (keys) => keys.get(caller, id),
      (then, outcome) => get(then, process, caller, id, outcome),
      { caller, id },
    );
  }
  if (call.kind === 'list') {
    const query = listQueryOf(scene, call.query);
    return bound(
      (keys) => keys.list(caller, query),
      (then, outcome) => list(then, process, caller, query, outcome),
      { caller, query },
    );
  }
  if (call.kind === 'audits') {
    const query = auditQueryOf(scene, call.query, nowMs);
    return bound(
      (keys) => keys.audits(caller, query),
      (then, outcome) => audits(then, caller, query, outcome),
      { caller, query },
    );
  }
  const actor = actorOf(caller, call.lies);
  switch (call.kind) {
    case 'create': {
      const fields = given({ name: call.name, description: call.description, expiresOn: timeOf(call.expiry, nowMs) });
      // K16: nobody can name another owner.
      const input = call.owner ? { ...fields, createdBy: { id: 'u-sue', username: 'sue' }, userId: 'u-sue' } : fields;
      return bound(
        (keys) => keys.create(actor, input as never),
        (then, outcome) => create(then, process, caller, fields, outcome),
        { caller, input },
      );
    }
    case 'update': {
      const id = keyId(created, call.key);
      const version =
        call.version === null ? undefined : (world.keys.find((key) => key.id === id)?.version ?? 1) + call.version;
      const expiresOn = call.expiry === null ? undefined : timeOf(call.expiry, nowMs);
      const fields = given({ name: call.name, description: call.description, expiresOn, version });
      return bound(
        (keys) => keys.update(actor, id, fields as never),
        (then, outcome, contended) => update(then, { process, caller, id, contended }, fields, outcome),
        { caller, id, fields },
        id,
      );
    }
    case 'revoke': {
      const id = keyId(created, call.key);
      const judge: BoundCall['judge'] = (then, outcome) => revoke(then, { process, caller, id }, outcome);
      return bound((keys) => keys.revoke(actor, id), judge, { caller, id }, id);
    }
    case 'revoke-all': {
      const userId = idOf(call.user);
      const judge: BoundCall['judge'] = (then, outcome) => revokeAll(then, process, caller, userId, outcome);
      return bound((keys) => keys.revokeAllOf(actor, userId), judge, { caller, userId });
    }
    default: {
      const userId = idOf(call.user);
      const gone = (people: World['people']) => (call.removed ? changed(people, userId, 'remove') : people);
      const system: Caller = { ...caller, origin: 'System' };
      return bound(
        (keys) => {
          host.people = gone(host.people);
          return keys.userDeleted(actor, userId);
        },
        (then, outcome) => revokeAll({ ...then, people: gone(then.people) }, process, system, userId, outcome),
        { caller, userId, removed: call.removed },
      );
    }
  }
}
