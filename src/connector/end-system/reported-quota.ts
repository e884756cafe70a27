import {
  type AnnouncedQuota,
  currentHeader,
  formatCurrent,
  formatPolicy,
  policyHeader,
  type QuotaPolicy,
} from '../../contract/index.js';
import { dayMs } from '../../internal/index.js';
import type { CountReading, Preset } from './preset.js';
import { readAnnouncedQuota, readHeader, textIn } from './read-wait.js';
import { headersMatch } from './translate.js';

interface Left {
  readonly left: number;
  /** Epoch milliseconds. */
  readonly resetAt: number | undefined;
}

/** The quotas that end systems report while one request is handled; of each, the smallest remainder. */
export class ReportedQuota {
  readonly #policies = new Map<string, QuotaPolicy>();
  readonly #left = new Map<string, Left>();

  /** Reads the quota in a response, whatever its status. @returns whether there was one. */
  take(headers: Headers, preset: Preset): boolean {
    const now = Date.now();
    const { policies, current } = readQuota(headers, preset);
    for (const policy of policies) this.#policies.set(policy.name, policy);
    for (const { name, left, resetMs } of current) {
      const before = this.#left.get(name);
      // Responses overtake each other, so the smaller remainder counts until its reset.
      const isOver = before?.resetAt !== undefined && before.resetAt <= now;
      if (before !== undefined && !isOver && before.left <= left) continue;
      this.#left.set(name, { left, resetAt: resetMs === undefined ? undefined : now + resetMs });
    }
    return policies.length + current.length > 0;
  }

  /** As headers of a response that goes out now. */
  headers(): Record<string, string> {
    const now = Date.now();
    const current = [...this.#left].map(([name, { left, resetAt }]) =>
      formatCurrent({ name, left, resetMs: resetAt === undefined ? undefined : resetAt - now }),
    );
    const policies = [...this.#policies.values()].map(formatPolicy);
    return {
      ...(policies.length === 0 ? {} : { [policyHeader]: policies.join(', ') }),
      ...(current.length === 0 ? {} : { [currentHeader]: current.join(', ') }),
    };
  }
}

/** The quota in the headers of rule W8, otherwise in those that the preset names. */
function readQuota(headers: Headers, preset: Preset): AnnouncedQuota {
  const name = policyName(preset);
  const { policies, current } = readAnnouncedQuota(headers);
  if (policies.length + current.length > 0) {
    const named = <Item extends { name: string }>(item: Item) => ({ ...item, name: item.name || name });
    return { policies: policies.map(named), current: current.map(named) };
  }
  for (const source of preset.quota ?? []) {
    const left = readCount(headers, source.remaining);
    if (left === undefined || !headersMatch(headers, source.when)) continue;
    const resetMs = source.reset && readHeader(source.reset, headers);
    const limit = source.limit === undefined ? undefined : readCount(headers, source.limit);
    const { window } = source;
    const windowMs = typeof window === 'object' ? readHeader(window, headers) : window;
    const isPolicy = limit !== undefined && limit > 0 && windowMs !== undefined && windowMs > 0 && windowMs <= dayMs;
    return {
      policies: isPolicy ? [{ name, limit, windowMs }] : [],
      current: [{ name, left, resetMs }],
    };
  }
  return { policies: [], current: [] };
}

function readCount(headers: Headers, reading: string | CountReading): number | undefined {
  const { header, pattern }: CountReading = typeof reading === 'string' ? { header: reading } : reading;
  const text = textIn(headers.get(header), pattern)?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The preset's name as a structured field can carry it. */
function policyName({ name }: Preset): string {
  return name.slice(0, 64).replaceAll(/[^\x20-\x7e]/g, '?');
}
