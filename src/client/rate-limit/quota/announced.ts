import type { Clock } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import type { Ended, QuotaAdvice } from './quota.js';
import { mostTimes, RecentTimes } from './recent-times.js';

/** What is left of a window. */
export interface Remaining {
  readonly left: number;
  readonly resetMs: number;
}

/** What a connector says of its quota in one response. */
export interface Announcement {
  /** All of them hold; none where the response names no quota. */
  readonly policies: readonly Quota[];
  /** The smallest of those that the response names. */
  readonly remaining: Remaining | undefined;
}

/** What is left of a window, as the latest responses have it; responses may overtake each other. */
export interface KnownRemaining {
  readonly left: number;
  /** On the monotonic clock. */
  readonly resetsAt: number;
}

/**
 * Adds what one more response says. Within one window the smallest number counts: a larger one is an older response, unless it
 * is larger than requests in flight can explain.
 */
export function updateRemaining(
  known: KnownRemaining | undefined,
  said: Remaining,
  inFlight: number,
  now: number,
): KnownRemaining {
  const told = { left: said.left, resetsAt: now + said.resetMs };
  if (known === undefined || now >= known.resetsAt || said.left > known.left + inFlight + 1) return told;
  return said.left < known.left ? told : known;
}

/**
 * The quota that the connector announces (rule W8), laid over what is learned without it. A request takes its place in a window
 * from the moment it starts until a window after its response: so it fits, whatever kind of window the connector has and
 * whenever in between the request arrived. What turns out to be wrong is not believed again until something else is announced.
 */
export class AnnouncedQuota implements QuotaAdvice {
  readonly #clock: Clock;
  readonly #beneath: QuotaAdvice | undefined;
  #policies: readonly Quota[] = [];
  #tightest: Quota | undefined;
  #remaining: KnownRemaining | undefined;
  /** When responses came, while policies are known. */
  #times = new RecentTimes(mostTimes);
  /** The announcement that was wrong. */
  #refuted: string | undefined;
  /** Whether a request is under way although the announced quota is used up: to find out whether that is so. */
  #isProbing = false;
  #provenWrongAt = Number.NEGATIVE_INFINITY;
  #announcedAt = 0;
  #isBinding = false;
  /** When the last response came that was not counted, because nothing was announced by then. */
  #uncountedAt = Number.NEGATIVE_INFINITY;

  /** @param beneath what holds where nothing is announced. @default everybody may go */
  constructor(clock: Clock, beneath?: QuotaAdvice) {
    this.#clock = clock;
    this.#beneath = beneath;
  }

  /**
   * Takes a response's word. Said before {@link ended} of the same request.
   *
   * @param isBinding whether it is believed whatever happens: others may have used up what it says is left.
   */
  announce({ policies, remaining }: Announcement, inFlight: number, isBinding: boolean): void {
    this.#isBinding ||= isBinding;
    const kept = policies.filter(({ limit }) => limit <= mostTimes);
    const key = toKey(kept);
    // What says nothing but what is left belongs to the policies that were announced before.
    const isKnownToBeWrong = this.#refuted !== undefined && (key === '' || key === this.#refuted);
    if (isKnownToBeWrong && !isBinding) return;
    if (!this.#isAnnounced || (key !== '' && key !== toKey(this.#policies)))
      this.#announcedAt = this.#clock.monotonic();
    if (key !== '') this.#keep(kept);
    if (remaining === undefined) return;
    this.#remaining = updateRemaining(this.#remaining, remaining, inFlight, this.#clock.monotonic());
  }

  /** How long it will be until anything is left again. */
  get emptyForMs(): number {
    return this.#remaining?.left === 0 ? Math.max(0, this.#remaining.resetsAt - this.#clock.monotonic()) : 0;
  }

  get known(): Quota | undefined {
    return this.#tightest ?? this.#beneath?.known;
  }

  get isKnown(): boolean {
    return this.#isAnnounced || (this.#beneath?.isKnown ?? false);
  }

  advance(): void {
    this.#beneath?.advance();
  }

  mayStart(inFlight: number): boolean {
    if (!this.#isAnnounced) return this.#beneath?.mayStart(inFlight) ?? true;
    const now = this.#clock.monotonic();
    return this.#fitsRemaining(now, inFlight) && this.#policies.every((policy) => this.#fits(policy, now, inFlight));
  }

  roomInMs(): number {
    const now = this.#clock.monotonic();
    const times = this.#policies.map(({ windowMs }) => (this.#times.oldestSince(now - windowMs) ?? now) + windowMs);
    if (this.#remaining !== undefined) times.push(this.#remaining.resetsAt);
    const next = times.filter((time) => time > now);
    return this.#isAnnounced ? Math.min(...next) - now : (this.#beneath?.roomInMs() ?? Number.POSITIVE_INFINITY);
  }

  started(isLogin: boolean, inFlight: number): void {
    this.#beneath?.started(isLogin, inFlight);
    if (!isLogin && inFlight === 0 && this.#isAnnounced && !this.mayStart(0)) this.#isProbing = true;
  }

  ended(request: Ended): void {
    this.#beneath?.ended(request);
    if (request.passage === 'unsent') return;
    const now = this.#clock.monotonic();
    if (!this.#isAnnounced) {
      this.#uncountedAt = now;
      return;
    }
    if (this.#isProbing && !request.isLogin) {
      this.#isProbing = false;
      if (request.passage === 'passed') this.#hadRoom(now);
    }
    if (this.#remaining !== undefined && now >= this.#remaining.resetsAt) this.#remaining = undefined;
    if (this.#policies.length > 0) this.#times.add(now);
  }

  limited(waitMs: number, startedAt: number | undefined): void {
    this.#beneath?.limited(waitMs, startedAt);
    // It was sent because there was room; unless requests that were not counted had used it up.
    const windowMs = Math.max(0, ...this.#policies.map((policy) => policy.windowMs));
    const isBelieved = this.#isAnnounced && !this.#isProbing && startedAt !== undefined;
    if (isBelieved && startedAt >= this.#announcedAt && startedAt >= this.#uncountedAt + windowMs) this.#refute();
    this.#isProbing = false;
  }

  opened(): void {
    this.#beneath?.opened();
    this.#remaining = undefined;
  }

  seed(quota: Quota): void {
    this.#beneath?.seed(quota);
  }

  get #isAnnounced(): boolean {
    return this.#policies.length > 0 || this.#remaining !== undefined;
  }

  #fits({ limit, windowMs }: Quota, now: number, inFlight: number): boolean {
    return this.#times.countSince(now - windowMs) + inFlight < limit;
  }

  #fitsRemaining(now: number, inFlight: number): boolean {
    if (this.#remaining === undefined) return true;
    if (now < this.#remaining.resetsAt) return inFlight < this.#remaining.left;
    // A new window: where nobody says how much it holds, one request finds out.
    return this.#policies.length > 0 || inFlight === 0;
  }

  /** What was said to be used up was not: a window may have begun anew, but hardly twice in the time of one. */
  #hadRoom(now: number): void {
    const windowMs = this.#tightest?.windowMs ?? Number.POSITIVE_INFINITY;
    if (now - this.#provenWrongAt < windowMs) this.#refute();
    this.#provenWrongAt = now;
    this.#remaining = undefined;
    this.#times = new RecentTimes(mostTimes);
  }

  #keep(policies: readonly Quota[]): void {
    this.#policies = policies;
    this.#tightest = tightest(policies);
  }

  #refute(): void {
    if (this.#isBinding) return;
    this.#refuted = toKey(this.#policies);
    this.#uncountedAt = this.#clock.monotonic();
    this.#times = new RecentTimes(mostTimes);
    this.#keep([]);
    this.#remaining = undefined;
  }
}

function toKey(policies: readonly Quota[]): string {
  return policies.map(({ limit, windowMs }) => `${limit}/${windowMs}`).join();
}

/** The one that allows the fewest requests in a given time. */
export function tightest(quotas: readonly Quota[]): Quota | undefined {
  return [...quotas].sort((one, other) => one.limit / one.windowMs - other.limit / other.windowMs)[0];
}
