import type { Clock } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import { allowanceBeyond, type Lesson, learnFromLimit } from './lesson.js';
import type { Ended, QuotaAdvice } from './quota.js';
import { mostTimes, RecentTimes } from './recent-times.js';

const leastMemoryMs = 3_600_000;
const windowsRemembered = 10;

/**
 * Boundary probing: from the first limit on it counts what goes out, and where the quota is used up lets single requests
 * through instead of the crowd. Before that it only counts, for the first limit to learn from.
 */
export class LearnedQuota implements QuotaAdvice {
  #lesson: Lesson | undefined;
  /** When the first request of the window went out. */
  #startedAt: number | undefined;
  #passed = 0;
  #inFlight = 0;
  /** The limit that is on. */
  #limit: { metAt: number; resumesAt: number; isFirst: boolean } | undefined;
  /** `undefined` until there is something to learn from, and when that was long ago. */
  #lastLimitAt: number | undefined;
  /** When something last went out beyond the boundary. */
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeSince: number | undefined;
  #latencyMs = 0;
  /** How much further the boundary is looked for than it was found: nothing, unless windows end without it. */
  #growth = 0;
  #times = new RecentTimes(mostTimes);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get known(): Lesson | undefined {
    if (this.#forgets()) return undefined;
    if (this.#limit === undefined || this.#startedAt === undefined) return this.#lesson;
    return learnFromLimit(this.#lesson, {
      ...this.#limit,
      startedAt: this.#startedAt,
      passed: this.#passed,
      passedSince: (time) => this.#times.countSince(time),
    });
  }

  get isKnown(): boolean {
    return this.known !== undefined;
  }

  advance(): void {
    if (this.#lastLimitAt === undefined) return;
    if (this.#forgets()) {
      this.#lesson = undefined;
      this.#lastLimitAt = undefined;
      this.#startedAt = undefined;
      this.#passed = 0;
      this.#times = new RecentTimes(mostTimes);
    }
    const lesson = this.#lesson;
    const now = this.#clock.monotonic();
    if (lesson === undefined || this.#startedAt === undefined || now - this.#startedAt < lesson.windowMs) return;
    // The window ended without a limit: the next request begins a new one.
    const grownBy = this.#passed - lesson.limit;
    if (grownBy > 0 && !lesson.slides) {
      // A window that was not enough to find the boundary: the next one looks for it twice as far off.
      this.#lesson = { ...lesson, limit: this.#passed + this.#growth };
      this.#growth = Math.max(grownBy, 2 * this.#growth);
    }
    this.#startedAt = this.#inFlight === 0 ? undefined : now;
    this.#passed = 0;
    this.#times.forgetBefore(now - lesson.windowMs);
  }

  mayStart(): boolean {
    const lesson = this.#lesson;
    if (lesson === undefined) return true;
    const now = this.#clock.monotonic();
    const passed = this.#countPassed(lesson, now);
    const beyond = passed + this.#inFlight - lesson.limit;
    if (beyond < 0) return true;
    // A window that slides is full most of the time: asking at every gap would be refused at every gap.
    if (lesson.slides && now - this.#probedAt < lesson.windowMs) return false;
    return Math.min(this.#inFlight, beyond) < allowanceBeyond(passed - lesson.limit, lesson, this.#latencyMs);
  }

  roomInMs(): number {
    const lesson = this.#lesson;
    if (lesson === undefined) return Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    const oldest = lesson.slides ? this.#times.oldestSince(now - lesson.windowMs) : this.#startedAt;
    return (oldest ?? now) + lesson.windowMs - now;
  }

  started(isLogin: boolean): void {
    if (isLogin) return;
    this.#startedAt ??= this.#clock.monotonic();
    if (this.#lesson !== undefined) this.#noteProbe(this.#lesson);
    this.#inFlight++;
  }

  ended({ passage, isLogin, isLate }: Ended): void {
    if (isLogin) return;
    if (isLate) {
      // While the pause is on it was one of those that fitted into the window; afterwards nobody can tell.
      if (passage === 'passed' && this.#limit !== undefined) this.#pass();
      return;
    }
    // What was in flight when the gate opened was not counted.
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    if (this.#probeSince !== undefined) this.#latencyMs = this.#clock.monotonic() - this.#probeSince;
    this.#probeSince = undefined;
    if (passage === 'passed') this.#pass();
  }

  limited(waitMs: number): void {
    this.advance();
    const now = this.#clock.monotonic();
    const resumesAt = now + waitMs;
    const isFirst = this.#lastLimitAt === undefined;
    if (isFirst) this.#spreadTimes(now);
    this.#lastLimitAt = now;
    this.#limit ??= { metAt: now, resumesAt, isFirst };
    // Each says the end of the window, and later than it is by as much as its response took.
    this.#limit.resumesAt = Math.min(this.#limit.resumesAt, resumesAt);
  }

  opened(): void {
    const now = this.#clock.monotonic();
    this.#lesson = this.known;
    this.#growth = 0;
    this.#limit = undefined;
    this.#probeSince = undefined;
    this.#startedAt = undefined;
    this.#passed = 0;
    this.#inFlight = 0;
    if (this.#lastLimitAt !== undefined) this.#lastLimitAt = now;
    this.#times.forgetBefore(now - (this.#lesson?.windowMs ?? 0));
  }

  seed({ limit, windowMs }: Quota): void {
    if (this.#lastLimitAt !== undefined) return;
    this.#lesson = { limit, windowMs, slides: false, doubts: 0 };
    this.#lastLimitAt = this.#clock.monotonic();
    this.#startedAt = undefined;
    this.#passed = 0;
  }

  /** Nobody took the times before the first limit; spread evenly they are near enough to see whether the window slides. */
  #spreadTimes(now: number): void {
    this.#startedAt ??= now;
    const counted = Math.min(this.#passed, mostTimes);
    for (let index = 1; index <= counted; index++) {
      this.#times.add(this.#startedAt + ((now - this.#startedAt) * index) / counted);
    }
  }

  /** Whether so much time has passed without a limit that what was learned says nothing any more. */
  #forgets(): boolean {
    if (this.#lastLimitAt === undefined || this.#limit !== undefined) return false;
    const { windowMs = 0 } = this.#lesson ?? {};
    return this.#clock.monotonic() - this.#lastLimitAt >= Math.max(leastMemoryMs, windowsRemembered * windowMs);
  }

  #noteProbe(lesson: Lesson): void {
    const now = this.#clock.monotonic();
    if (this.#countPassed(lesson, now) + this.#inFlight < lesson.limit) return;
    this.#probedAt = now;
    this.#probeSince ??= now;
  }

  #pass(): void {
    this.#passed++;
    if (this.#lastLimitAt === undefined) return;
    const now = this.#clock.monotonic();
    this.#times.add(now);
    const lesson = this.#lesson;
    if (!lesson?.slides || this.#limit !== undefined) return;
    const count = this.#times.countSince(now - lesson.windowMs);
    if (count <= lesson.limit) return;
    this.#probedAt = Number.NEGATIVE_INFINITY; // the probe passed: the next one may go
    if (count > lesson.limit + Math.max(1, lesson.limit / 10)) this.#lesson = { ...lesson, slides: false };
  }

  #countPassed(lesson: Lesson, now: number): number {
    return lesson.slides ? this.#times.countSince(now - lesson.windowMs) : this.#passed;
  }
}
