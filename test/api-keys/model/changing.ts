import { isDeepStrictEqual } from 'node:util';
import { type ApiKey, editionMessage, type FieldChange, type RevisionType } from 'concordat/api-keys';
import { type Read, readDescription, readExpiry, readName, takenMessage } from './fields.js';
import { iso, isView } from './view.js';
import {
  type Around,
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
  // A key that renames itself acts with its new name, as the entry has the name after the change.
  const acting = caller.apiKeyId === key.id ? key : world.keys.find(({ id }) => id === caller.apiKeyId);
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

export function create(
  world: World,
  process: Process,
  caller: Caller,
  fields: Fields,
  outcome: Outcome,
  { left }: Around,
): World[] {
  const away = turnedAway(world, caller);
  const wrong = [withoutKeys(world), wrongFields(world, process, fields, undefined)];
  const failures = away ? [away] : wrong;
  const written = ({ id }: ApiKey, value: string): World => {
    const key: Key = {
      id,
      value,
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
    const made = entry(world, process, caller, key, 'Create', differences(undefined, key));
    return { ...world, keys: [...world.keys, key], audits: [...world.audits, made] };
  };
  const refused = 'error' in outcome && outcome.error.kind === 'forbidden';
  const lost = left && refused && wrong.every((failure) => failure === undefined) ? [written(left, '')] : [];
  const next = judge(world, outcome, failures, (result) => {
    const { apiKey, key: value, ...more } = result as { apiKey: ApiKey; key: string };
    const isNew = world.keys.every(({ id }) => id !== apiKey.id) && value.includes(`_${apiKey.id}_`);
    if (!isNew || Object.keys(more).length > 0) return [];
    const after = written(apiKey, value);
    return isView(after, process, after.keys.at(-1)!, apiKey) ? [after] : [];
  });
  return [...next, ...lost];
}

/** K11: the key of an owner who was deleted while it was written is revoked at once, by whoever comes first. */
export function withoutLost(world: World, process: Process, id: string): World {
  const key = world.keys.find((one) => one.id === id);
  if (key === undefined || key.ended === 'Revoked') return world;
  return revoked(world, process, { userId: key.owner.id, username: key.owner.username, origin: 'System' }, key);
}

export interface Change {
  readonly process: Process;
  readonly caller: Caller;
  readonly id: string;
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

function nothingToChange({ name, description, expiresOn }: Fields): Failure | undefined {
  if (name !== undefined || description !== undefined || expiresOn !== undefined) return undefined;
  return { kind: 'validation', message: 'Give `name`, `description` or `expiresOn`: there is nothing to change.' };
}

export function update(world: World, change: Change, fields: Fields, outcome: Outcome, { contended }: Around): World[] {
  const { process, caller, id } = change;
  const { key, failure } = find(world, change);
  const nothing = nothingToChange(fields);
  if (key === undefined) {
    const others = world.trouble === 'users' ? [] : [withoutKeys(world), failure === notFound ? nothing : undefined];
    return judge(world, outcome, [failure, ...others], () => []);
  }
  const failures: (Failure | undefined)[] = [
    nothing,
    withoutKeys(world),
    ended(world, process, key, 'edited'),
    wrongFields(world, process, fields, id),
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
  // A refusal for another reason may write, too, that the key has expired.
  return [...next, ...lost].flatMap((then) => [then, shown(then, process, [id])]);
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

/** `revokeAllOf`: one's own keys, or anybody's for who manages all. */
export function revokeAllOf(world: World, by: Process, caller: Caller, userId: string, outcome: Outcome): World[] {
  const mayNot = !mayManageAll(personOf(world, caller.userId)) && caller.userId !== userId;
  const failure = turnedAway(world, caller) ?? (mayNot ? { kind: 'forbidden' as const } : undefined);
  return judge(world, outcome, [failure], (value) => allRevoked(world, by, caller, userId, value));
}

/** `userDeleted`: the host has decided who may, and the entries have the origin System (K6). */
export function userDeleted(world: World, by: Process, caller: Caller, userId: string, outcome: Outcome): World[] {
  const system: Caller = { ...caller, origin: 'System' };
  return judge(world, outcome, [], (value) => allRevoked(world, by, system, userId, value));
}

function allRevoked(world: World, process: Process, caller: Caller, userId: string, value: unknown): World[] {
  const owned = world.keys.filter((key) => key.owner.id === userId);
  const active = owned.filter((key) => statusOf(world, process, key) === 'Active');
  if (!isDeepStrictEqual(value, { revoked: active.length })) return [];
  const before = world.audits.length;
  const ended = active.reduce((next, key) => revoked(next, process, caller, key), world);
  const audits = ended.audits.map((made, at) => (at < before ? made : { ...made, together: before }));
  const ids = owned.map(({ id }) => id);
  return [shown({ ...ended, audits }, process, ids)];
}
