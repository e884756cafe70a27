import { printable } from '../../internal/index.js';
import { headerValues } from './presented-key.js';
import type { RequestHeaders } from './types.js';

/** The last use of a key from one place. */
export interface Use {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly lastUsedMs: number;
}

const maxAddressCharacters = 64;
const maxUserAgentCharacters = 200;

/** Where a request came from, as far as it says so; both texts are bounded and printable. */
export function useOf(headers: RequestHeaders, address: string | undefined, nowMs: number): Use {
  const [userAgent] = headerValues(headers, 'user-agent');
  return {
    address: bounded(address, maxAddressCharacters),
    userAgent: bounded(userAgent, maxUserAgentCharacters),
    lastUsedMs: nowMs,
  };
}

function bounded(text: string | undefined, most: number): string | null {
  if (typeof text !== 'string' || text === '') return null;
  return printable(text.slice(0, most));
}

/** The latest use from each place, latest first, at most `most` of them. */
export function mergeUses(one: readonly Use[], other: readonly Use[], most: number): readonly Use[] {
  const merged: Use[] = [];
  for (const use of [...one, ...other].sort((first, second) => second.lastUsedMs - first.lastUsedMs)) {
    if (merged.length < most && !merged.some((known) => isSamePlace(known, use))) merged.push(use);
  }
  return merged;
}

function isSamePlace(one: Use, other: Use): boolean {
  return one.address === other.address && one.userAgent === other.userAgent;
}

/** As stored in a key's row. */
export function formatUses(uses: readonly Use[]): string {
  return JSON.stringify(uses.map(({ address, userAgent, lastUsedMs }) => [address, userAgent, lastUsedMs]));
}

/** What something else has put there counts as none: one row must not keep the uses of all keys from being written. */
export function parseUses(stored: string): readonly Use[] {
  try {
    const entries = JSON.parse(stored) as [string | null, string | null, number][];
    return entries.map(([address, userAgent, lastUsedMs]) => ({ address, userAgent, lastUsedMs }));
  } catch {
    return [];
  }
}
