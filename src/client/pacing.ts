import { RecentTimes } from './recent-times.js';

/** What a client has learned of a limit by meeting it. */
export interface Quota {
  /** How many requests a window allows. */
  readonly limit: number;
  readonly windowMs: number;
}

/** What is known of a limit: the quota, and whether its window slides. */
export interface Lesson extends Quota {
  readonly slides: boolean;
  /** How many limits in a row did not fit in. */
  readonly doubts: number;
}

/** What a limit that was met says, when it is over or still on. Times are on one monotonic clock. */
export interface LimitFacts {
  /** When the first request of the window went out. */
  startedAt: number;
  /** How many of the window's requests were answered by something else than a limit. */
  passed: number;
  metAt: number;
  resumesAt: number;
  /** Whether the client does not know a beginning of a window: nothing was limited before. */
  isFirst: boolean;
  /** How many requests passed after a given time. */
  passedSince(time: number): number;
}

/**
 * Learns from a limit. Whatever kind of window it is, it opens again one window after what it counts began: so the window
 * lasts from its first request to the end of the pause, and what passed in it is the quota.
 */
export function learnFromLimit(known: Lesson | undefined, facts: LimitFacts): Lesson | undefined {
  const { startedAt, passed, metAt, resumesAt } = facts;
  const windowMs = resumesAt - startedAt;
  if (passed === 0 || windowMs < 1 || windowMs > longestWindowMs) return known;
  if (known === undefined) {
    // Most of the time since the beginning was no part of this window, or somebody else had used it up before.
    const unclear = metAt - startedAt > 4 * (resumesAt - metAt) || (facts.isFirst && passed < 2);
    return unclear ? undefined : { limit: passed, windowMs, slides: false, doubts: 0 };
  }
  // A window that slides opens one window after the oldest request that it still counts.
  const sliding = facts.passedSince(resumesAt - known.windowMs);
  const fits = Math.abs(sliding - known.limit) <= Math.max(1, known.limit / 4);
  // None of those that passed may lie so far back, where answers take longer than a window: a quota is never 0 (rule G9).
  if (known.slides && fits) return { ...known, limit: Math.max(1, sliding), doubts: 0 };
  if (windowMs >= 0.9 * known.windowMs) {
    if (windowMs > 1.1 * known.windowMs) return { limit: passed, windowMs, slides: false, doubts: 0 };
    // Latency and rounded waits only ever lengthen what is seen of a whole window.
    const isWhole = passed >= known.limit;
    return {
      ...known,
      limit: passed,
      windowMs: isWhole ? Math.min(windowMs, known.windowMs) : known.windowMs,
      doubts: 0,
    };
  }
  // Too early for the end of a window that began with the opening: it slides, if that explains the count.
  if (fits && sliding > passed) return { ...known, limit: sliding, slides: true, doubts: 0 };
  if (known.doubts < mostDoubts) return { ...known, doubts: known.doubts + 1 };
  return { limit: passed, windowMs, slides: false, doubts: 0 };
}

/**
 * How many requests may be in flight beyond the boundary: one, until half as much again as the quota has passed, or as much as
 * goes through one by one in half a window; then two, and so on. A quota that has not changed costs one refused request; one
 * that has grown is found in a few windows, however much it has grown.
 */
export function allowanceBeyond(beyond: number, quota: Quota, latencyMs: number): number {
  return 1 + Math.floor(2 * Math.max(0, beyond) * Math.max(1 / quota.limit, latencyMs / quota.windowMs));
}

/** One limit that nothing explains may have had another reason; after so many in a row the quota is another one. */
const mostDoubts = 1;
/** Nothing that lasts longer has a date for its end, and no snapshot could hold it. */
const longestWindowMs = 8.64e15;
const leastMemoryMs = 3_600_000;
const windowsRemembered = 10;
/** A limit that lies further off costs nobody a crowd; remembering it exactly would cost memory. */
const mostTimes = 100_000;

/**
 * Boundary probing: from the first limit on it counts what goes out, and where the quota is used up lets single requests
 * through instead of the crowd. Decides only; it is told what happens, and when.
 */
export class Pacing {
  #lesson: Lesson | undefined;
  #startedAt: number | undefined;
  #passed = 0;
  #inFlight = 0;
  #limit: { metAt: number; resumesAt: number; isFirst: boolean } | undefined;
  #lastLimitAt: number;
  /** When something last went out beyond the boundary. */
  #probedAt = Number.NEGATIVE_INFINITY;
  #probeSince: number | undefined;
  #latencyMs = 0;
  /** How much further the boundary is looked for than it was found: nothing, unless windows end without it. */
  #growth = 0;
  readonly #times = new RecentTimes(mostTimes);

  constructor(now: number, lesson?: Quota) {
    this.#lastLimitAt = now;
    if (lesson !== undefined)
      this.#lesson = { limit: lesson.limit, windowMs: lesson.windowMs, slides: false, doubts: 0 };
  }

  /** What a client that had no limit yet has seen: so many requests passed since it began. */
  static afterFirst(startedAt: number, passed: number, metAt: number, resumesAt: number): Pacing {
    const pacing = new Pacing(metAt);
    pacing.#startedAt = startedAt;
    pacing.#passed = passed;
    pacing.#limit = { metAt, resumesAt, isFirst: true };
    // Nobody took their times; spread evenly they are near enough to see whether the window slides.
    const counted = Math.min(passed, mostTimes);
    for (let index = 1; index <= counted; index++) {
      pacing.#times.add(startedAt + ((metAt - startedAt) * index) / counted);
    }
    return pacing;
  }

  /** What is known so far; during a pause with what the limit says as it stands. */
  get lesson(): Lesson | undefined {
    if (this.#limit === undefined || this.#startedAt === undefined) return this.#lesson;
    return learnFromLimit(this.#lesson, {
      ...this.#limit,
      startedAt: this.#startedAt,
      passed: this.#passed,
      passedSince: (time) => this.#times.countSince(time),
    });
  }

  /** Whether so much time has passed without a limit that what was learned says nothing any more. */
  forgets(now: number): boolean {
    const { windowMs = 0 } = this.#lesson ?? {};
    return (
      this.#limit === undefined && now - this.#lastLimitAt >= Math.max(leastMemoryMs, windowsRemembered * windowMs)
    );
  }

  /** Whether one more request may go out. */
  mayStart(now: number): boolean {
    this.#rollOver(now);
    const lesson = this.#lesson;
    if (lesson === undefined) return true;
    const passed = this.#countPassed(lesson, now);
    const beyond = passed + this.#inFlight - lesson.limit;
    if (beyond < 0) return true;
    // A window that slides is full most of the time: asking at every gap would be refused at every gap.
    if (lesson.slides && now - this.#probedAt < lesson.windowMs) return false;
    return Math.min(this.#inFlight, beyond) < allowanceBeyond(passed - lesson.limit, lesson, this.#latencyMs);
  }

  /** When to ask again although nothing has come back: there is room then, at the latest. */
  roomAt(now: number): number | undefined {
    const lesson = this.#lesson;
    if (lesson === undefined) return undefined;
    const oldest = lesson.slides ? this.#times.oldestSince(now - lesson.windowMs) : this.#startedAt;
    return (oldest ?? now) + lesson.windowMs;
  }

  /** A request goes out. */
  started(now: number): void {
    this.#rollOver(now);
    this.#startedAt ??= now;
    const lesson = this.#lesson;
    if (lesson !== undefined && this.#countPassed(lesson, now) + this.#inFlight >= lesson.limit) {
      this.#probedAt = now;
      this.#probeSince ??= now;
    }
    this.#inFlight++;
  }

  /** A request of this window came to its end; `passed` when its answer was no limit. */
  ended(now: number, passed: boolean): void {
    // What was in flight when the pacing began was not counted.
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    if (this.#probeSince !== undefined) this.#latencyMs = now - this.#probeSince;
    this.#probeSince = undefined;
    if (passed) this.#pass(now);
  }

  /** A request passed that had gone out before the limit was met. */
  endedLate(now: number): void {
    // While the pause is on it was one of those that fitted into the window; afterwards nobody can tell.
    if (this.#limit !== undefined) this.#pass(now);
  }

  /** A limit closed the gate, or holds for longer. */
  limited(now: number, resumesAt: number): void {
    this.#lastLimitAt = now;
    this.#limit ??= { metAt: now, resumesAt, isFirst: false };
    // Each says the end of the window, and later than it is by as much as its answer took.
    this.#limit.resumesAt = Math.min(this.#limit.resumesAt, resumesAt);
  }

  /** The gate is open again: a new window. */
  opened(now: number): void {
    this.#lesson = this.lesson;
    this.#growth = 0;
    this.#limit = undefined;
    this.#probeSince = undefined;
    this.#startedAt = undefined;
    this.#passed = 0;
    this.#inFlight = 0;
    this.#lastLimitAt = now;
    this.#times.forgetBefore(now - (this.#lesson?.windowMs ?? 0));
  }

  #pass(now: number): void {
    this.#passed++;
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

  /** The window ended without a limit: the next request begins a new one. */
  #rollOver(now: number): void {
    const lesson = this.#lesson;
    if (lesson === undefined || this.#startedAt === undefined || now - this.#startedAt < lesson.windowMs) return;
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
}
