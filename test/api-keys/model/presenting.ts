import type { RefusalReason, RequestHeaders, Verification } from 'concordat/api-keys';
import {
  afterFailure,
  hasKeys,
  type Key,
  type Outcome,
  type Process,
  personOf,
  shown,
  statusOf,
  type Use,
  type World,
  withKey,
} from './world.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** K2: a CRC-32 over everything before it, as six digits of base 62. */
export function checksum(text: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let written = '';
  for (let digit = 0; digit < 6; digit += 1) {
    written = digits[rest % 62] + written;
    rest = Math.floor(rest / 62);
  }
  return written;
}

const form = /^[a-z][a-z0-9]{1,15}_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/;

/** K2: whether a key's value is whole. */
const isWhole = (value: string) => form.test(value) && checksum(value.slice(0, -6)) === value.slice(-6);

export type Pairs = readonly (readonly [string, string])[];
export const headerForms = ['raw', 'pairs', 'headers', 'record'] as const;

/** The same headers in each of the forms that `verify` takes. */
export function headersOf(pairs: Pairs, as: (typeof headerForms)[number]): RequestHeaders {
  if (as === 'raw') return pairs.flat();
  if (as === 'pairs') return pairs;
  if (as === 'headers') {
    const headers = new Headers();
    for (const [name, value] of pairs) headers.append(name, value);
    return headers;
  }
  const record: Record<string, string | string[]> = {};
  for (const [name, value] of pairs) {
    const before = record[name];
    record[name] = before === undefined ? value : [before, value].flat();
  }
  return record;
}

const valuesOf = (pairs: Pairs, wanted: string) =>
  pairs.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);

/** K8: the value that decides, or none, or a refusal. */
function presented(pairs: Pairs): string | 'none' | RefusalReason[] {
  const own = valuesOf(pairs, 'x-api-key');
  const authorization = valuesOf(pairs, 'authorization');
  const schemed = authorization
    .map((value) => /^apikey(?:\s+(.*))?$/i.exec(value))
    .filter((match) => match !== null)
    .map((match) => match[1] ?? '');
  if (own.length === 0 && schemed.length === 0) return 'none';
  const various: RefusalReason[] = ['repeated-header', 'malformed', 'different-keys'];
  if (own.length > 1 || authorization.length > 1) return various;
  const values = [...own, ...schemed];
  if (values.includes('')) return various;
  return new Set(values).size > 1 ? ['different-keys'] : values[0]!;
}

export interface Presentation {
  readonly process: Process;
  readonly pairs: Pairs;
  readonly address: string | null;
}

type Verdict =
  | { readonly outcome: 'none' }
  | { readonly outcome: 'refused'; readonly reasons: readonly RefusalReason[]; readonly key?: Key }
  | { readonly outcome: 'authenticated'; readonly key: Key };

function verdictOf(world: World, process: Process, pairs: Pairs): Verdict {
  const value = presented(pairs);
  if (value === 'none') return { outcome: 'none' };
  if (typeof value !== 'string') return { outcome: 'refused', reasons: value as RefusalReason[] };
  if (!isWhole(value)) return { outcome: 'refused', reasons: ['malformed'] };
  const key = world.keys.find((one) => one.value === value);
  if (key === undefined) return { outcome: 'refused', reasons: ['unknown'] };
  const reasons: RefusalReason[] = [];
  const status = statusOf(world, process, key);
  if (status === 'Revoked') reasons.push('revoked');
  if (status === 'Expired') reasons.push('expired');
  if (!hasKeys(world)) reasons.push('edition');
  const owner = personOf(world, key.owner.id);
  if (owner === undefined || owner.enabled === false) reasons.push('owner');
  return reasons.length > 0 ? { outcome: 'refused', reasons, key } : { outcome: 'authenticated', key };
}

/** `verify` and `authenticate`: `told` is whether the reason was. */
export function present(world: World, how: Presentation, outcome: Outcome, told: boolean): World[] {
  const { process, pairs } = how;
  const verdict = verdictOf(world, process, pairs);
  const key = verdict.outcome === 'none' ? undefined : verdict.key;
  const use: Use = {
    atMs: world.nowMs[process],
    by: process,
    settled: false,
    address: how.address,
    userAgent: valuesOf(pairs, 'user-agent')[0] ?? null,
  };
  const lookedUp =
    key !== undefined && world.trouble !== 'none' ? afterFailure(world, outcome, [{ kind: 'unavailable' }]) : [];
  if (!('value' in outcome)) return lookedUp;
  if (verdict.outcome === 'authenticated') {
    const expected = { userId: verdict.key.owner.id, apiKeyId: verdict.key.id };
    const seen = outcome.value as { outcome?: string; userId: string; apiKeyId: string } | undefined;
    const isRight =
      world.trouble === 'none' &&
      seen?.userId === expected.userId &&
      seen.apiKeyId === expected.apiKeyId &&
      seen.outcome === (told ? 'authenticated' : undefined);
    return isRight ? [withKey(world, { ...verdict.key, uses: [...verdict.key.uses, use] })] : [];
  }
  if (!told && outcome.value !== undefined) return [];
  const verification = outcome.value as Verification | undefined;
  if (told && verification?.outcome !== verdict.outcome) return [];
  if (verdict.outcome === 'none') return [world];
  const reason = verification?.outcome === 'refused' ? verification.reason : undefined;
  if (told && !verdict.reasons.includes(reason!)) return [];
  if (key === undefined) return [world];
  if (told && verification?.outcome === 'refused' && (verification.apiKeyId ?? key.id) !== key.id) return [];
  const hasEnded = statusOf(world, process, key) !== 'Active';
  const counted = hasEnded ? withKey(world, { ...key, refusals: [...key.refusals, use] }) : world;
  const written = shown(counted, process, [key.id]);
  if (reason === undefined) return [counted, written];
  return [reason === 'expired' ? written : counted];
}
