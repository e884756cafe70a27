import type { ApiKey, ApiKeyErrorKind, FieldChange, FieldError, Origin, RevisionType } from 'concordat/api-keys';
import { isRefusalOf } from './fields.js';

/** One of the two processes that share the database. */
export type Process = 0 | 1;

export interface Person {
  readonly id: string;
  readonly username: string;
  readonly permissions: readonly string[];
  readonly roles: readonly string[];
  readonly superAdmin?: boolean;
  readonly enabled?: boolean;
}

/** A use of a key's right value: by which process, and whether it surely stands in the database. */
export interface Use {
  readonly atMs: number;
  readonly by: Process;
  readonly settled: boolean;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface Key {
  readonly id: string;
  readonly value: string;
  readonly name: string;
  readonly description: string | null;
  readonly owner: { readonly id: string; readonly username: string };
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly revokedMs: number | null;
  /** How the key ended, once that is written (K5). */
  readonly ended: 'Expired' | 'Revoked' | null;
  readonly version: number;
  readonly uses: readonly Use[];
  readonly refusals: readonly Use[];
}

export interface Entry {
  readonly apiKeyId: string;
  readonly name: string;
  readonly author: { readonly id: string; readonly username: string };
  readonly acting: { readonly id: string; readonly name: string } | null;
  readonly atMs: number;
  readonly type: RevisionType;
  readonly changes: readonly FieldChange[];
  readonly origin: Origin;
  /** Entries that were written together have no order; `undefined` for one alone. */
  readonly together?: number;
}

/** Everything that decides what the next call answers. Never changed, only replaced. */
export interface World {
  readonly people: readonly Person[];
  readonly edition: string;
  /** Which look-up fails at the moment (K19). */
  readonly trouble: 'none' | 'users' | 'edition';
  readonly nowMs: readonly [number, number];
  readonly keys: readonly Key[];
  readonly audits: readonly Entry[];
}

/** What else happened while a call was under way. */
export interface Around {
  /** Another call has changed the same key: then the loser gets a conflict (K17). */
  readonly contended: boolean;
  /** The key that a creation wrote although it failed, because its owner was deleted meanwhile (K11). */
  readonly left?: ApiKey | undefined;
}

/** Who calls: what the host passes as the actor. */
export interface Caller {
  readonly userId: string;
  readonly username: string;
  readonly origin: Origin;
  readonly apiKeyId?: string;
}

/** What a call came to. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly error: { kind: ApiKeyErrorKind; message: string; fieldErrors: readonly FieldError[] } }
  | { readonly crash: string };

/** A way in which a call may fail, and the worlds after that. */
export interface Failure {
  readonly kind: ApiKeyErrorKind;
  readonly message?: string;
  readonly wrong?: ReadonlyMap<string, string | undefined>;
  readonly after?: World;
}

/** K7: in either case, and with any dash or a colon. */
const manageAll = /^user management ?[-–—:] ?write$/i;

export const personOf = (world: World, id: string) => world.people.find((person) => person.id === id);

/** 5.3 and K11: rights are those of the directory at this moment. */
export function mayManageAll(person: Person | undefined): boolean {
  if (person === undefined || person.enabled === false) return false;
  return (
    person.superAdmin === true ||
    person.roles.includes('Super Admin') ||
    person.permissions.some((name) => manageAll.test(name))
  );
}

/** K7: one's own keys; those of all for who manages all. */
export const maySee = (world: World, userId: string, ownerId: string) =>
  userId === ownerId || mayManageAll(personOf(world, userId));

/** K12. */
export const hasKeys = (world: World) => world.edition === 'Professional' || world.edition === 'Ultimate';

/** K5: what is written is final; else the clock of the process decides. */
export const statusOf = (world: World, process: Process, key: Key) =>
  key.ended ?? (world.nowMs[process] >= key.expiresMs ? 'Expired' : 'Active');

export const withKey = (world: World, key: Key): World => ({
  ...world,
  keys: world.keys.map((other) => (other.id === key.id ? key : other)),
});

/** K5: a response that shows Expired writes it. */
export function shown(world: World, process: Process, ids: readonly string[]): World {
  const expired = world.keys.filter(
    (key) => key.ended === null && ids.includes(key.id) && statusOf(world, process, key) === 'Expired',
  );
  return expired.reduce((next, key) => withKey(next, { ...key, ended: 'Expired' }), world);
}

/** K13 and K19: why a caller gets no answer at all, whatever the question. */
export function turnedAway(world: World, caller: Caller): Failure | undefined {
  if (world.trouble === 'users') return { kind: 'unavailable' };
  const person = personOf(world, caller.userId);
  return person === undefined || person.enabled === false ? { kind: 'forbidden' } : undefined;
}

/** The worlds after an error, none if it is not one of these. */
export function afterFailure(world: World, outcome: Outcome, failures: readonly Failure[]): World[] {
  if (!('error' in outcome)) return [];
  const { kind, message, fieldErrors } = outcome.error;
  return failures
    .filter((failure) => failure.kind === kind && message !== '' && (failure.message ?? message) === message)
    .filter(({ wrong }) => isRefusalOf(wrong ?? new Map(), fieldErrors, message))
    .map(({ after }) => after ?? world);
}

/** If any failure applies the call must fail in such a way, else it must succeed as `success` says. */
export function judge(
  world: World,
  outcome: Outcome,
  failures: readonly (Failure | undefined)[],
  success: (value: unknown) => World[],
): World[] {
  const apply = failures.filter((failure) => failure !== undefined);
  if (apply.length > 0) return afterFailure(world, outcome, apply);
  return 'value' in outcome ? success(outcome.value) : [];
}

/** K10: what a process has written when it closed. */
export const settled = (world: World, process: Process): World => {
  const settle = (uses: readonly Use[]) => uses.map((use) => (use.by === process ? { ...use, settled: true } : use));
  return {
    ...world,
    keys: world.keys.map((key) => ({ ...key, uses: settle(key.uses), refusals: settle(key.refusals) })),
  };
};
