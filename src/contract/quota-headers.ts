import { type BareItem, type Parameters, parseList, serializeList, Token } from 'structured-headers';

/** The headers that announce a quota (rule W8): draft-ietf-httpapi-ratelimit-headers, structured fields (RFC 9651). */
export const policyHeader = 'RateLimit-Policy';
export const currentHeader = 'RateLimit';

/** A number of requests per window. */
export interface QuotaPolicy {
  /** Connects a policy with what is left of its quota. */
  name: string;
  /** Requests: 1 or more. */
  limit: number;
  /** Milliseconds, a day at most. */
  windowMs: number;
}

export interface QuotaLeft {
  name: string;
  /** Requests: 0 or more. */
  left: number;
  /** Milliseconds until the quota resets, a day at most; `undefined` if unknown. */
  resetMs: number | undefined;
}

export interface AnnouncedQuota {
  policies: QuotaPolicy[];
  current: QuotaLeft[];
}

type RawHeader = string | null | undefined;

/** A longer value is ignored (rule E8). */
export const maxQuotaCharacters = 1024;

/** Further items are ignored (rule E8). */
const maxItems = 16;

const daySeconds = 86_400;

/** The largest integer of a structured field. */
const maxInteger = 999_999_999_999_999;

/**
 * Reads an announced quota (rule W8). Never throws: a header that is not a structured list is ignored (RFC 9651), and so are
 * items that do not count requests (`qu`), together with what is left of them. A policy has a `q` of 1 or more and a window of
 * a day at most. Values over 1,024 characters and items after the sixteenth are ignored (rule E8).
 *
 * @example
 * parseQuota({ policy: '"default";q=100;w=60', current: '"default";r=50;t=30' })
 * // { policies: [{ name: 'default', limit: 100, windowMs: 60000 }],
 * //   current: [{ name: 'default', left: 50, resetMs: 30000 }] }
 */
export function parseQuota({ policy, current }: { policy?: RawHeader; current?: RawHeader }): AnnouncedQuota {
  const policies: QuotaPolicy[] = [];
  const otherUnits = new Set<string>();
  for (const [name, parameters] of readItems(policy)) {
    const limit = readInteger(parameters.get('q'), 1, maxInteger);
    const seconds = readInteger(parameters.get('w'), 1, daySeconds);
    if (!countsRequests(parameters.get('qu'))) otherUnits.add(name);
    else if (limit !== undefined && seconds !== undefined) policies.push({ name, limit, windowMs: seconds * 1000 });
  }
  const lefts: QuotaLeft[] = [];
  for (const [name, parameters] of readItems(current)) {
    const left = readInteger(parameters.get('r'), 0, maxInteger);
    const seconds = readInteger(parameters.get('t'), 0, daySeconds);
    const isReadable = left !== undefined && (seconds !== undefined || !parameters.has('t'));
    if (!isReadable || otherUnits.has(name)) continue;
    lefts.push({ name, left, resetMs: seconds === undefined ? undefined : seconds * 1000 });
  }
  return { policies, current: lefts };
}

/**
 * Writes one policy for `RateLimit-Policy`; join several with commas. The window is rounded up to whole seconds: a client
 * that is too slow is never refused.
 *
 * @throws TypeError when `limit` is not a whole number above 0, `windowMs` is not above 0 and at most a day, or `name` is not
 * printable ASCII.
 * @example
 * formatPolicy({ name: 'default', limit: 100, windowMs: 1500 }) // '"default";q=100;w=2'
 */
export function formatPolicy({ name, limit, windowMs }: QuotaPolicy): string {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= maxInteger)) {
    throw new TypeError(`\`limit\` must be a whole number of requests above 0, got ${String(limit)}.`);
  }
  if (!(typeof windowMs === 'number' && windowMs > 0 && windowMs <= daySeconds * 1000)) {
    throw new TypeError(`\`windowMs\` must be a number of milliseconds up to a day, got ${String(windowMs)}.`);
  }
  return writeItem(name, [
    ['q', limit],
    ['w', Math.ceil(windowMs / 1000)],
  ]);
}

/**
 * Writes what is left of a quota for `RateLimit`. `left` is rounded down and never below 0, the time is rounded up to whole
 * seconds.
 *
 * @throws TypeError when `name` is not printable ASCII.
 * @example
 * formatCurrent({ name: 'default', left: 50, resetMs: 29_100 }) // '"default";r=50;t=30'
 */
export function formatCurrent({ name, left, resetMs }: QuotaLeft): string {
  const parameters: [string, number][] = [['r', clamp(Math.floor(left))]];
  if (resetMs !== undefined) parameters.push(['t', clamp(Math.ceil(resetMs / 1000))]);
  return writeItem(name, parameters);
}

function clamp(value: number): number {
  return Math.min(Math.max(value, 0), maxInteger);
}

function writeItem(name: string, parameters: [string, number][]): string {
  if (typeof name !== 'string' || !/^[\x20-\x7e]+$/.test(name)) {
    throw new TypeError(`\`name\` must be printable ASCII text, got ${JSON.stringify(name)}.`);
  }
  return serializeList([[name, new Map(parameters)]]);
}

function readItems(value: RawHeader): [name: string, parameters: Parameters][] {
  if (typeof value !== 'string' || value.length > maxQuotaCharacters) return [];
  let list: ReturnType<typeof parseList>;
  try {
    list = parseList(value);
  } catch {
    return [];
  }
  const items: [string, Parameters][] = [];
  for (const [item, parameters] of list.slice(0, maxItems)) {
    // A token in place of a string is unambiguous.
    const name = item instanceof Token ? item.toString() : item;
    if (typeof name === 'string') items.push([name, parameters]);
  }
  return items;
}

function readInteger(value: BareItem | undefined, least: number, most: number): number | undefined {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
    ? (value as number) + 0 // -0 is 0
    : undefined;
}

function countsRequests(unit: BareItem | undefined): boolean {
  return unit === undefined || (unit instanceof Token ? unit.toString() : unit) === 'requests';
}
