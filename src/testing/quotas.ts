import { currentHeader, formatCurrent, formatPolicy, policyHeader } from '../contract/index.js';
import type { Clock } from '../internal/index.js';
import type { Settings } from './options.js';
import { Quota } from './quota.js';
import { anyRequest } from './routes/pattern.js';
import type { Session } from './sessions.js';
import type { JournalEntry } from './types.js';

type RateLimit = Settings['rateLimit'][number];

interface Tier {
  readonly rateLimit: RateLimit;
  readonly quota: Quota;
  readonly name: string;
}

/** All quotas of the connector. A request has to be served by each one that it counts for. */
export class Quotas {
  readonly #tiers: readonly Tier[];

  constructor(rateLimits: readonly RateLimit[], clock: Clock) {
    this.#tiers = rateLimits.map((rateLimit, index) => ({
      rateLimit,
      quota: new Quota(rateLimit, clock),
      name: index === 0 ? 'default' : `quota-${index + 1}`,
    }));
  }

  /** Counts a request that every quota serves. @returns otherwise the quota with the longest wait, and the wait */
  take(entry: JournalEntry, session: Session | undefined): { rateLimit: RateLimit; waitMs: number } | undefined {
    const tiers = this.#of(entry);
    const waits = tiers.map(({ rateLimit, quota }) => ({ rateLimit, waitMs: quota.waitMs(keyOf(rateLimit, session)) }));
    const [longest] = waits.sort((one, other) => other.waitMs - one.waitMs);
    if (longest !== undefined && longest.waitMs > 0) return longest;
    for (const { rateLimit, quota } of tiers) quota.add(keyOf(rateLimit, session));
    return undefined;
  }

  /** The headers that announce the quotas (rule W8). */
  headers(entry: JournalEntry, session: Session | undefined): (readonly [name: string, value: string])[] {
    const announced = this.#tiers.filter(({ rateLimit: { announce, on } }) => announce && (!on || on.match(entry)));
    const current = announced.filter(({ rateLimit }) => rateLimit.announce === 'both');
    const policies = announced.map(({ rateLimit: { windowMs }, quota, name }) =>
      formatPolicy({ name, limit: quota.limit, windowMs }),
    );
    const lefts = current.map(({ rateLimit, quota, name }) =>
      formatCurrent({ name, ...quota.left(keyOf(rateLimit, session)) }),
    );
    return [
      ...(policies.length > 0 ? [[policyHeader, policies.join(', ')] as const] : []),
      ...(lefts.length > 0 ? [[currentHeader, lefts.join(', ')] as const] : []),
    ];
  }

  /** @throws Error when there is none. */
  useUp(): void {
    if (this.#tiers.length === 0) throw new Error('There is no quota to use up: set `rateLimit`.');
    for (const { quota } of this.#tiers) quota.useUp();
  }

  #of(entry: JournalEntry): Tier[] {
    return this.#tiers.filter(({ rateLimit: { on = anyRequest } }) => on.match(entry) !== undefined);
  }
}

function keyOf({ scope }: RateLimit, session: Session | undefined): string {
  return scope === 'session' ? (session?.token ?? '') : '';
}
