import { isDeepStrictEqual } from 'node:util';
import { type ApiKey, editionMessage, type FieldChange, type RevisionType } from 'concordat/api-keys';
import { type Read, readDescription, readExpiry, readName, takenMessage } from './fields.js';
import { iso, isView } from './view.js';
import {
  type Caller,
  type Entry,
  type Failure,
  hasKeys,
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
  withKey,
} from './world.js';

/** `name`, `description`, `expiresOn` and `version` as they were passed. */
export type Fields = Readonly<Record<string, unknown>>;

const notFound: Failure = { kind: 'not-found', message: 'API key not found.' };

/** K12 and K19: creating and editing need an edition with keys. */
function withoutKeys(world: World): Failure | undefined {
  if (world.trouble === 'edition') return { kind: 'unavailable' };
  return hasKeys(world) ? undefined : { kind: 'forbidden', message: editionMessage };
}

/** The fields that are wrong, each with its message (K3, K4, 7.1). */
function wrongFields(world: World, process: Process, fields: Fields, keyId: string | undefined): Failure | undefined {
  const wrong = new Map<string, string | undefined>();
  const check = (field: string, read: Read<unknown>) => {
    if ('refused' in read) wrong.set(field, read.refused);
  };
  if (keyId === undefined || fields.name !== undefined) {
    const name = readName(fields.name);
    const isTaken = 'value' in name && world.keys.some((key) => key.name === name.value && key.id !== keyId);
    check('name', isTaken ? { refused: takenMessage } : name);
  }
  check('description', readDescription(fields.description));
  if (keyId === undefined || fields.expiresOn !== undefined) {
    check('expiresOn', readExpiry(fields.expiresOn, world.nowMs[process]));
  }
  return wrong.size > 0 ? { kind: 'validation', wrong } : undefined;
}

const stored = <T>(read: Read<T>): T => (read as { value: T }).value;

function entry(
  world: World,
  process: Process,
  caller: Caller,
  key: Key,
  type: RevisionType,
  changes: readonly FieldChange[],
): Entry {
  const acting = world.keys.find(({ id }) => id === caller.apiKeyId);
  return {
    apiKeyId: key.id,
    name: key.name,
    author: { id: caller.userId, username: caller.username },
    acting: acting === undefined ? null : { id: acting.id, name: acting.name },
    atMs: world.nowMs[process],
    type,
    changes,
    origin: caller.origin,
  };
}

/** What each field was and is, for those that differ. */
function differences(before: Key | undefined, after: Key): FieldChange[] {
  const texts = (key: Key | undefined): Record<'name' | 'description' | 'expiresOn', string | null> => ({
    name: key?.name ?? null,
    description: key?.description ?? null,
    expiresOn: key === undefined ? null : iso(key.expiresMs),
  });
  const [from, to] = [texts(before), texts(after)];
  return (['name', 'description', 'expiresOn'] as const)
    .filter((field) => from[field] !== to[field])
    .map((field) => ({ field, from: from[field], to: to[field] }));
}

export function create(world: World, process: Process, caller: Caller, fields: Fields, outcome: Outcome): World[] {
  const away = turnedAway(world, caller);
  const failures = away ? [away] : [withoutKeys(world), wrongFields(world, process, fields, undefined)];
  return judge(world, outcome, failures, (value) => {
    const { apiKey, key: secret, ...more } = value as { apiKey: ApiKey; key: string };
    const key: Key = {
      id: apiKey.id,
      value: secret,
      name: stored(readName(fields.name)),
      description: stored(readDescription(fields.description)),
      owner: { id: caller.userId, username: caller.username },
      createdMs: world.nowMs[process],
      expiresMs: stored(readExpiry(fields.expiresOn, world.nowMs[process])),
      revokedMs: null,
      ended: null,
      version: 1,
      uses: [],
      refusals: [],
    };
    const isNew = world.keys.every(({ id }) => id !== key.id) && secret.includes(`_${key.id}_`);
    if (!isNew || !isView(world, process, key, apiKey) || Object.keys(more).length > 0) return [];
    const made = entry(world, process, caller, key, 'Create', differences(undefined, key));
    return [{ ...world, keys: [...world.keys, key], audits: [...world.audits, made] }];
  });
}

export interface Change {
  readonly process: Process;
  readonly caller: Caller;
  readonly id: string;
  /** Whether another call at the same time changes this key, too: then the loser gets a conflict (K17). */
  readonly contended?: boolean;
}

/** The key that a caller asks for, or why there is none. */
function find(world: World, { caller, id }: Change): { key?: Key; failure?: Failure } {
  const failure = turnedAway(world, caller);
  if (failure !== undefined) return { failure };
  const key = world.keys.find((one) => one.id === id);
  return key !== undefined && maySee(world, caller.userId, key.owner.id) ? { key } : { failure: notFound };
}

/** Only an Active key changes; telling that it is Expired writes that (K5). */
function ended(world: World, process: Process, key: Key, what: string): Failure | undefined {
  const status = statusOf(world, process, key);
  if (status === 'Active') return undefined;
  const message = `Only an Active API key can be ${what}; this one is ${status}.`;
  return { kind: 'conflict', message, after: shown(world, process, [key.id]) };
}

export function update(world: World, change: Change, fields: Fields, outcome: Outcome): World[] {
  const { process, caller, id, contended } = change;
  const { key, failure } = find(world, change);
  if (key === undefined)
    return judge(world, outcome, [failure, world.trouble === 'users' ? undefined : withoutKeys(world)], () => []);
  const named = ['name', 'description', 'expiresOn'].some((field) => fields[field] !== undefined);
  const failures: (Failure | undefined)[] = [
    withoutKeys(world),
    ended(world, process, key, 'edited'),
    named ? wrongFields(world, process, fields, id) : { kind: 'validation' },
    fields.version === undefined || fields.version === key.version ? undefined : { kind: 'conflict' },
  ];
  const lost = contended && 'error' in outcome && outcome.error.kind === 'conflict' ? [world] : [];
  const next = judge(world, outcome, failures, (value) => {
    const edited: Key = {
      ...key,
      name: fields.name === undefined ? key.name : stored(readName(fields.name)),
      description: fields.description === undefined ? key.description : stored(readDescription(fields.description)),
      expiresMs:
        fields.expiresOn === undefined ? key.expiresMs : stored(readExpiry(fields.expiresOn, world.nowMs[process])),
    };
    const changes = differences(key, edited);
    const after = changes.length === 0 ? key : { ...edited, version: key.version + 1 };
    if (!isView(world, process, after, value as ApiKey)) return [];
    if (changes.length === 0) return [world];
    const made = entry(world, process, caller, after, 'Update', changes);
    return [{ ...withKey(world, after), audits: [...world.audits, made] }];
  });
  return [...next, ...lost];
}

function revoked(world: World, process: Process, caller: Caller, key: Key): World {
  const after: Key = { ...key, ended: 'Revoked', revokedMs: world.nowMs[process], version: key.version + 1 };
  const made = entry(world, process, caller, after, 'Revoke', [{ field: 'status', from: 'Active', to: 'Revoked' }]);
  return { ...withKey(world, after), audits: [...world.audits, made] };
}

export function revoke(world: World, change: Change, outcome: Outcome): World[] {
  const { process, caller, id } = change;
  const { key, failure } = find(world, change);
  return judge(world, outcome, [failure, key && ended(world, process, key, 'revoked')], (value) => {
    const after = revoked(world, process, caller, key!);
    const now = after.keys.find((one) => one.id === id)!;
    return isView(after, process, now, value as ApiKey) ? [after] : [];
  });
}

/** `revokeAllOf`, and `userDeleted`, whose entries have the origin System (K6). */
export function revokeAll(world: World, process: Process, caller: Caller, userId: string, outcome: Outcome): World[] {
  const mayNot = !mayManageAll(personOf(world, caller.userId)) && caller.userId !== userId;
  const failure = turnedAway(world, caller) ?? (mayNot ? { kind: 'forbidden' as const } : undefined);
  return judge(world, outcome, [failure], (value) => {
    const active = world.keys.filter((key) => key.owner.id === userId && statusOf(world, process, key) === 'Active');
    if (!isDeepStrictEqual(value, { revoked: active.length })) return [];
    const after = active.reduce((next, key) => revoked(next, process, caller, key), world);
    const passed = world.keys.filter((key) => key.owner.id === userId).map(({ id }) => id);
    // Whether a call that only counts writes what has expired is not said: both may be.
    return [after, shown(after, process, passed)];
  });
}
