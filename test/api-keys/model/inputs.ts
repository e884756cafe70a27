import type { Actor, AuditQuery, ListQuery } from 'concordat/api-keys';
import { latestExpiry } from './fields.js';
import { type Host, idOf } from './host.js';
import { type AuditShape, type Call, type Credential, type Expiry, type ListShape, ownerOfKey } from './operations.js';
import { checksum, type Pairs } from './presenting.js';
import { type Caller, personOf, type World } from './world.js';

export interface Scene {
  readonly world: World;
  readonly host: Host;
  /** Ids of the keys that exist, in the order in which they were confirmed. */
  readonly created: readonly string[];
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

export const keyId = (created: readonly string[], index: number) =>
  created.length === 0 ? stranger : created[index % created.length]!;

function credentialOf({ world, created }: Scene, { of, key }: Credential): string {
  if (of === 'empty') return '';
  if (of === 'junk') return 'not-a-key';
  if (of === 'stranger' || created.length === 0) return sealed(`ck_${stranger}_${secretOf43}`);
  const value = world.keys.find(({ id }) => id === keyId(created, key))!.value;
  if (of === 'forged') return sealed(`${value.slice(0, -49)}${secretOf43}`);
  return of === 'typo' ? value.slice(0, -1) + (value.endsWith('0') ? '1' : '0') : value;
}

export function pairsOf(scene: Scene, call: Extract<Call, { kind: 'present' }>): Pairs {
  const pairs: [string, string][] = [];
  if (call.agent !== null) pairs.push(['user-agent', call.agent]);
  if (call.first !== null) pairs.push(['x-api-key', credentialOf(scene, call.first)]);
  if (call.first !== null && call.twice) pairs.push(['x-api-key', credentialOf(scene, call.first)]);
  if (call.second !== null) pairs.push(['authorization', `${call.scheme} ${credentialOf(scene, call.second)}`.trim()]);
  else if (call.basic) pairs.push(['authorization', 'Basic YWRhOmFkYQ==']);
  return pairs;
}

export function callerOf(
  { world, created }: Scene,
  call: { who: number; key?: number; origin?: Caller['origin']; via?: number | null },
): Caller {
  const about = call.who === ownerOfKey ? world.keys.find(({ id }) => id === keyId(created, call.key ?? 0)) : undefined;
  const userId = about?.owner.id ?? idOf(Math.max(0, call.who));
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
export const actorOf = (caller: Caller, lies = false): Actor =>
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
