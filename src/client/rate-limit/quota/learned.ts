import type { Clock } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import type { Permit, PermitOutcome } from '../wait-queue.js';
import { allowanceBeyond, learnFromLimit, type QuotaEstimate } from './estimate.js';
import { maxTimes, RecentTimes } from './recent-times.js';

/** A request that has ended without meeting a limit. */
export interface EndedRequest extends Pick<Permit, 'isLogin' | 'startedAt'> {
  readonly outcome: PermitOutcome;
  /** Whether it had started before the last limit was met. */
  readonly isLate: boolean;
}

const minMemoryMs = 3_600_000;
const windowsRemembered = 10;

/**
 * Boundary probing: learns the quota from the limits that are met. Once it is used up, single requests go instead of a
 * crowd. Before the first limit this only counts, so that there is something to learn from.
 */
export class LearnedQuota {
  #estimate: QuotaEstimate | undefined;
  /** When the first request of the window started. */
  #startedAt: number | undefined;
  #passed = 0;
  /** The window before, where it ended without a limit. */
  #before: { startedAt: number; passed: number } | undefined;
  #inFlight = 0;
  /** The limit in effect. */
  #limit: { metAt: number; resumesAt: number; isFirst: boolean } | undefined;
  /** `undefined` before the first limit, and once that was too long ago. */
  #lastLimitAt: number | undefined;
  /** When a request last started beyond the estimate. */
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeSince: number | undefined;
  #latencyMs = 0;
  /** How far the estimate is raised when a window ends without a limit; doubles each time. */
  #growth = 0;
  readonly #times = new RecentTimes();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get known(): QuotaEstimate | undefined {
    if (this.#isOutdated()) return undefined;
    if (this.#limit === undefined || this.#startedAt === undefined) return this.#estimate;
    return learnFromLimit(this.#estimate, {
      ...this.#limit,
      startedAt: this.#startedAt,
      passed: this.#passed,
      before: this.#before,
      passedSince: (time) => this.#times.countSince(time),
    });
  }

  /** What passed in the window that the limit in effect has ended; `undefined` if most of the time was no part of it. */
  get limitedWindow(): Quota | undefined {
    if (this.#limit === undefined || this.#startedAt === undefined) return undefined;
    const { metAt, resumesAt } = this.#limit;
    if (metAt - this.#startedAt > 4 * (resumesAt - metAt)) return undefined;
    return { limit: this.#passed, windowMs: resumesAt - this.#startedAt };
  }

  advance(now: number): void {
    if (this.#lastLimitAt === undefined) return;
    if (this.#isOutdated()) {
      this.#estimate = undefined;
      this.#lastLimitAt = undefined;
      this.#startedAt = undefined;
      this.#before = undefined;
      this.#passed = 0;
      this.#times.clear();
    }
    const estimate = this.#estimate;
    if (estimate === undefined || this.#startedAt === undefined || now - this.#startedAt < estimate.windowMs) return;
    // The window ended without a limit: the next request starts a new one.
    const grownBy = this.#passed - estimate.limit;
    if (grownBy > 0 && !estimate.slides) {
      // The window held more than estimated: look for the boundary twice as far off in the next one.
      this.#estimate = { ...estimate, limit: this.#passed + this.#growth };
      this.#growth = Math.max(grownBy, 2 * this.#growth);
    }
    this.#before = { startedAt: this.#startedAt, passed: this.#passed };
    this.#startedAt = this.#inFlight === 0 ? undefined : now;
    this.#passed = 0;
    this.#times.forgetBefore(now - estimate.windowMs);
  }

  mayStart(now: number): boolean {
    const estimate = this.#estimate;
    if (estimate === undefined) return true;
    const passed = this.#countPassed(estimate, now);
    const beyond = passed + this.#inFlight - estimate.limit;
    if (beyond < 0) return true;
    // A sliding window is full most of the time: probing at every gap would be refused at every gap.
    if (estimate.slides && now - this.#probedAt < estimate.windowMs) return false;
    return Math.min(this.#inFlight, beyond) < allowanceBeyond(passed - estimate.limit, estimate, this.#latencyMs);
  }

  roomInMs(now: number): number {
    const estimate = this.#estimate;
    if (estimate === undefined) return Number.POSITIVE_INFINITY;
    const oldest = estimate.slides ? this.#times.oldestSince(now - estimate.windowMs) : this.#startedAt;
    return (oldest ?? now) + estimate.windowMs - now;
  }

  started(isLogin: boolean): void {
    if (isLogin) return;
    this.#startedAt ??= this.#clock.monotonic();
    if (this.#estimate !== undefined) this.#noteProbe(this.#estimate);
    this.#inFlight++;
  }

  ended({ outcome, isLogin, isLate }: EndedRequest): void {
    if (isLogin) return;
    if (isLate) {
      // During the pause it still counts towards the window that was full; afterwards there is no telling.
      if (outcome === 'passed' && this.#limit !== undefined) this.#pass();
      return;
    }
    // Requests already in flight when the gate opened were not counted.
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    if (this.#probeSince !== undefined) this.#latencyMs = this.#clock.monotonic() - this.#probeSince;
    this.#probeSince = undefined;
    if (outcome === 'passed') this.#pass();
    if (outcome === 'unsent' && this.#passed + this.#inFlight === 0) this.#startedAt = undefined; // nothing went
  }

  limited(waitMs: number): void {
    const now = this.#clock.monotonic();
    this.advance(now);
    const resumesAt = now + waitMs;
    const isFirst = this.#lastLimitAt === undefined;
    if (isFirst) this.#spreadTimes(now);
    this.#lastLimitAt = now;
    this.#limit ??= { metAt: now, resumesAt, isFirst };
    // Every refusal gives the end of the window, late by its own latency: the earliest is the best.
    this.#limit.resumesAt = Math.min(this.#limit.resumesAt, resumesAt);
  }

  opened(): void {
    const now = this.#clock.monotonic();
    this.#estimate = this.known;
    this.#growth = 0;
    this.#limit = undefined;
    this.#probeSince = undefined;
    this.#startedAt = undefined;
    this.#before = undefined;
    this.#passed = 0;
    this.#inFlight = 0;
    if (this.#lastLimitAt !== undefined) this.#lastLimitAt = now;
    this.#times.forgetBefore(now - (this.#estimate?.windowMs ?? 0));
  }

  seed({ limit, windowMs }: Quota): void {
    if (this.#lastLimitAt !== undefined) return;
    this.#estimate = { limit, windowMs, slides: false, unexplained: 0 };
    this.#lastLimitAt = this.#clock.monotonic();
    this.#startedAt = undefined;
    this.#passed = 0;
  }

  /** Times before the first limit were not recorded; spread evenly, they show well enough whether the window slides. */
  #spreadTimes(now: number): void {
    this.#startedAt ??= now;
    const count = Math.min(this.#passed, maxTimes);
    for (let index = 1; index <= count; index++) {
      this.#times.add(this.#startedAt + ((now - this.#startedAt) * index) / count);
    }
  }

  /** Whether the last limit was so long ago that the estimate is worthless. */
  #isOutdated(): boolean {
    if (this.#lastLimitAt === undefined || this.#limit !== undefined) return false;
    const { windowMs = 0 } = this.#estimate ?? {};
    return this.#clock.monotonic() - this.#lastLimitAt >= Math.max(minMemoryMs, windowsRemembered * windowMs);
  }

  #noteProbe(estimate: QuotaEstimate): void {
    const now = this.#clock.monotonic();
    if (this.#countPassed(estimate, now) + this.#inFlight < estimate.limit) return;
    this.#probedAt = now;
    this.#probeSince ??= now;
  }

  #pass(): void {
    this.#passed++;
    if (this.#lastLimitAt === undefined) return;
    const now = this.#clock.monotonic();
    this.#times.add(now);
    const estimate = this.#estimate;
    if (!estimate?.slides || this.#limit !== undefined) return;
    const count = this.#times.countSince(now - estimate.windowMs);
    if (count <= estimate.limit) return;
    this.#probedAt = Number.NEGATIVE_INFINITY; // the probe passed: the next may follow
    if (count > estimate.limit + Math.max(1, estimate.limit / 10)) this.#estimate = { ...estimate, slides: false };
  }

  #countPassed(estimate: QuotaEstimate, now: number): number {
    return estimate.slides ? this.#times.countSince(now - estimate.windowMs) : this.#passed;
  }
}
