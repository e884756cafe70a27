import { currentHeader, formatCurrent, formatPolicy, policyHeader } from '../contract/index.js';
import { type Clock, checkOptions, count } from '../internal/index.js';
import { virtualMs } from './clock/virtual-clock.js';
import type { Settings } from './options.js';
import { anyRequest } from './routes/pattern.js';
import type { Session } from './sessions.js';
import type { JournalEntry } from './types.js';

type RateLimit = Settings['rateLimit'][number];

/** All quotas of the connector. A request has to be served by each one that it counts for. */
export function createQuotas(rateLimits: readonly RateLimit[], clock: Clock) {
  const quotas = rateLimits.map((rateLimit, index) =>
    createQuota(rateLimit, index === 0 ? 'default' : `quota-${index + 1}`, clock),
  );
  return {
    /**
     * Counts a request that every quota serves. @returns otherwise the quota with the longest wait, and the wait
     * @throws Error where the client waits by another clock.
     */
    take(entry: JournalEntry, session: Session | undefined): { rateLimit: RateLimit; waitMs: number } | undefined {
      const counting = quotas.filter(({ rateLimit: { on = anyRequest } }) => on.match(entry) !== undefined);
      const waits = counting.map((quota) => ({ ...quota, waitMs: quota.waitMs(session) }));
      const [longest] = waits.sort((one, other) => other.waitMs - one.waitMs);
      if (longest !== undefined && longest.waitMs > 0) {
        longest.refuse(longest.waitMs);
        return longest;
      }
      for (const { add } of counting) add(session);
      return undefined;
    },
    /** The headers that announce the quotas (rule W8). */
    headers(entry: JournalEntry, session: Session | undefined): (readonly [name: string, value: string])[] {
      const announced = quotas.filter(({ rateLimit: { announce, on } }) => announce && (!on || on.match(entry)));
      const current = announced.filter(({ rateLimit }) => rateLimit.announce === 'both');
      const headers = [
        [policyHeader, announced.map(({ policy }) => policy()).join(', ')],
        [currentHeader, current.map(({ left }) => left(session)).join(', ')],
      ] as const;
      return headers.filter(([, value]) => value !== '');
    },
    /** @throws Error when there is none. */
    useUp(): void {
      if (quotas.length === 0) throw new Error('There is no quota to use up: set `rateLimit`.');
      for (const { useUp } of quotas) useUp();
    },
  };
}

/** Who ignores a wait now and then, or tests with clocks that differ, comes back less often. */
const mostEarly = 50;

/** Counts requests per window, by the clock's monotonic time. */
function createQuota(rateLimit: RateLimit, name: string, clock: Clock) {
  const { limit: given, windowMs } = rateLimit;
  const isSliding = rateLimit.window === 'sliding';
  const startedAt = clock.monotonic();
  /** The times of the requests that still count, by session; a fixed window begins with the first. */
  const made = new Map<string, number[]>();
  let usedUpUntil = 0;
  /** How many requests in a row came too early, although virtual time passed for them, and how much had passed by then. */
  let early = 0;
  let passedElsewhereMs = 0;

  /** The requests per window, now. @throws TypeError when `limit()` returns no whole number above zero. */
  function limit(): number {
    if (typeof given === 'number') return given;
    return checkOptions(count(1), given(clock.monotonic() - startedAt), 'rateLimit.limit()');
  }

  function stillCounting(session: Session | undefined, now: number): number[] {
    const key = rateLimit.scope === 'session' ? (session?.token ?? '') : '';
    const times = made.get(key) ?? [];
    const over = (time: number) => time + windowMs <= now;
    if (isSliding) {
      const first = times.findIndex((time) => !over(time));
      times.splice(0, first === -1 ? times.length : first);
    } else if (times.length > 0 && over(times[0] as number)) {
      times.length = 0;
    }
    made.set(key, times);
    return times;
  }

  return {
    rateLimit,
    /** The milliseconds until a request would be served; 0 when it would be now. */
    waitMs(session: Session | undefined): number {
      const now = clock.monotonic();
      if (now < usedUpUntil) return usedUpUntil - now;
      const times = stillCounting(session, now);
      // A limit that has fallen: as many as are too many have to drop out.
      const tooMany = times.length - limit();
      const last = isSliding ? times[tooMany] : times[0];
      return tooMany < 0 || last === undefined ? 0 : last + windowMs - now;
    },
    /** @throws Error when clients come too early again and again, though each time a virtual clock was moved by the wait. */
    refuse(waitMs: number): void {
      const elsewhereMs = virtualMs() - clock.monotonic();
      early = elsewhereMs - passedElsewhereMs > 0.99 * waitMs ? early + 1 : 0;
      passedElsewhereMs = elsewhereMs;
      if (early < mostEarly) return;
      throw new Error('The client waits by another clock than the simulator: pass the same `clock` to both.');
    },
    add(session: Session | undefined): void {
      early = 0;
      const now = clock.monotonic();
      stillCounting(session, now).push(now);
    },
    policy: () => formatPolicy({ name, limit: limit(), windowMs }),
    /** What is left, and when there is more, unless nothing has been used. */
    left(session: Session | undefined): string {
      const now = clock.monotonic();
      if (now < usedUpUntil) return formatCurrent({ name, left: 0, resetMs: usedUpUntil - now });
      const times = stillCounting(session, now);
      const resetMs = times[0] === undefined ? undefined : times[0] + windowMs - now;
      return formatCurrent({ name, left: Math.max(0, limit() - times.length), resetMs });
    },
    useUp(): void {
      usedUpUntil = clock.monotonic() + windowMs;
    },
  };
}
