import { currentHeader, formatCurrent, formatPolicy, policyHeader } from '../contract/index.js';
import { type Clock, checkOptions, count } from '../internal/index.js';
import type { Settings } from './options.js';
import { anyRequest } from './routes/pattern.js';
import type { Session } from './sessions.js';
import type { JournalEntry, SimulatedRateLimit } from './types.js';

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

type Options = Required<Pick<SimulatedRateLimit, 'limit' | 'windowMs' | 'window'>>;

/** Counts requests per window, by the clock's monotonic time. */
class Quota {
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** The times of the requests that still count; a fixed window begins with the first. */
  readonly #made = new Map<string, number[]>();
  #usedUpUntil = 0;

  constructor(options: Options, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** The requests per window, now. @throws TypeError when `limit()` returns no whole number above zero. */
  get limit(): number {
    const { limit } = this.#options;
    if (typeof limit === 'number') return limit;
    return checkOptions(count(1), limit(this.#clock.monotonic() - this.#startedAt), 'rateLimit.limit()');
  }

  /** The milliseconds until a request would be served; 0 when it would be now. */
  waitMs(key: string): number {
    const now = this.#clock.monotonic();
    if (now < this.#usedUpUntil) return this.#usedUpUntil - now;
    const made = this.#stillCounting(key, now);
    // A limit that has fallen: as many as are too many have to drop out.
    const tooMany = made.length - this.limit;
    const last = this.#isSliding ? made[tooMany] : made[0];
    return tooMany < 0 || last === undefined ? 0 : last + this.#options.windowMs - now;
  }

  add(key: string): void {
    const now = this.#clock.monotonic();
    this.#stillCounting(key, now).push(now);
  }

  /** What is left, and the milliseconds until there is more (`undefined` while nothing has been used). */
  left(key: string): { left: number; resetMs: number | undefined } {
    const now = this.#clock.monotonic();
    if (now < this.#usedUpUntil) return { left: 0, resetMs: this.#usedUpUntil - now };
    const made = this.#stillCounting(key, now);
    const [first] = made;
    const left = Math.max(0, this.limit - made.length);
    return { left, resetMs: first === undefined ? undefined : first + this.#options.windowMs - now };
  }

  useUp(): void {
    this.#usedUpUntil = this.#clock.monotonic() + this.#options.windowMs;
  }

  get #isSliding(): boolean {
    return this.#options.window === 'sliding';
  }

  #stillCounting(key: string, now: number): number[] {
    const made = this.#made.get(key) ?? [];
    const over = (time: number) => time + this.#options.windowMs <= now;
    if (this.#isSliding) {
      const first = made.findIndex((time) => !over(time));
      made.splice(0, first === -1 ? made.length : first);
    } else if (made.length > 0 && over(made[0] as number)) {
      made.length = 0;
    }
    this.#made.set(key, made);
    return made;
  }
}
