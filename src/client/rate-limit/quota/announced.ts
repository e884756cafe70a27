import type { Clock } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import { type Announcement, type Policy, tightestFirst, toKey } from './announcement.js';
import type { EndedRequest, LearnedQuota } from './learned.js';
import { maxTimes, RecentTimes } from './recent-times.js';
import { type KnownRemaining, type Remaining, updateRemaining } from './remaining.js';

/** A policy that is followed: of all responses, the first `skipped` do not count against it. */
interface TrackedPolicy extends Quota {
  readonly skipped: number;
}

/** So long after it came last, a policy gives way to one that is too large to be tracked. */
const staleMs = 60_000;

/** Further names are ignored (rule E8). */
const maxNames = 16;

/**
 * The quota that the connector announces (rule W8); without an announcement, the learned one. A request counts against
 * the window from its start until one window length after its response. So it fits whatever kind of window the
 * connector has, and whenever the request arrived. An announcement that proves wrong is ignored until another one
 * comes.
 *
 * What the options vouch for is binding: it never proves wrong, and closes the gate. All else is advice. It slows and
 * never stops: with nothing in flight, the gate follows it for a minute at most (rule G9). What belongs to one decision
 * is asked with one `now`, on the monotonic clock: a window may end between two readings.
 */
export class AnnouncedQuota {
  protected readonly clock: Clock;
  readonly #learned: LearnedQuota | undefined;
  /** The tightest first. */
  #policies: readonly TrackedPolicy[] = [];
  /** What is left of each quota, by its name. */
  readonly #advised = new Map<string, KnownRemaining>();
  #binding: KnownRemaining | undefined;
  /** When responses arrived, while policies are known. */
  readonly #times = new RecentTimes();
  /** The announcement that proved wrong. */
  #refuted: string | undefined;
  /** Whether a request is in flight to find out if the announced quota is really used up. */
  #isProbing = false;
  #provenWrongAt = Number.NEGATIVE_INFINITY;
  #announcedAt = 0;
  /** When the policies were announced last. */
  #confirmedAt = 0;
  /** How many responses were not counted, because nothing was announced yet, and when the last of them arrived. */
  #uncounted = 0;
  #uncountedAt = Number.NEGATIVE_INFINITY;
  /** Requests from before the announcement met a limit that it does not explain: what was learned applies as well. */
  #isDoubted = false;

  /** @param learned applies while nothing is announced. @default everybody may go */
  constructor(clock: Clock, learned?: LearnedQuota) {
    this.clock = clock;
    this.#learned = learned;
  }

  /** Takes in the announcement of a response, before {@link ended} of the same request. */
  announce({ policies, remaining }: Announcement, inFlight: number): void {
    const tracked = tightestFirst(policies.filter(({ limit }) => limit <= maxTimes));
    const key = toKey(tracked);
    // A remainder alone belongs to the policies announced before.
    const isRefuted = key === '' ? this.#policies.length === 0 : key === this.#refuted;
    if (this.#refuted !== undefined && isRefuted) return;
    const now = this.clock.monotonic();
    if (key !== '') this.#confirmedAt = now;
    // One that is too large to be tracked may be that of another path: it ends the one before once that comes no more.
    const isOver = key === '' && policies.length > 0 && now - this.#confirmedAt >= staleMs;
    const isOther = isOver || (key !== '' && key !== toKey(this.#policies));
    if (isOther) this.#isDoubted = false;
    if (isOther || !this.#isAdvised) this.#announcedAt = now;
    if (isOther) this.#policies = tracked.map((policy) => this.#track(policy, remaining));
    for (const { name, ...latest } of remaining) {
      const known = this.#advised.get(name);
      if (known === undefined && this.#advised.size >= maxNames) continue;
      this.#advised.set(name, updateRemaining(known, latest, inFlight, now));
    }
  }

  /**
   * Takes in what is left according to headers that the options name. Other clients may use it up as well.
   *
   * @returns how long until anything is left again, for certain; 0 if something is left.
   */
  announceBinding(latest: Omit<Remaining, 'name'>, inFlight: number): number {
    const now = this.clock.monotonic();
    this.#binding = updateRemaining(this.#binding, latest, inFlight, now);
    return this.#binding.left === 0 ? Math.max(0, this.#binding.resetsAt - now) : 0;
  }

  get known(): Quota | undefined {
    return this.#policies[0] ?? this.#learned?.known;
  }

  /** Whether enough is known that no request has to go first to find out (rule G3). */
  get isKnown(): boolean {
    if (this.#isDoubted) return this.#learned?.known !== undefined;
    return this.isAnnounced || this.known !== undefined;
  }

  get isAnnounced(): boolean {
    return this.#binding !== undefined || this.#isAdvised;
  }

  get #isAdvised(): boolean {
    return this.#policies.length > 0 || this.#advised.size > 0;
  }

  /** Ends windows whose time is over and forgets what is too old. Called before {@link mayStart}. */
  advance(now: number): void {
    this.#learned?.advance(now);
  }

  /** Whether one more request may start with so many in flight. */
  mayStart(inFlight: number, now: number): boolean {
    if (this.isAnnounced && !this.#hasRoom(inFlight, now)) return false;
    return (this.isAnnounced && !this.#isDoubted) || (this.#learned?.mayStart(now) ?? true);
  }

  #hasRoom(inFlight: number, now: number): boolean {
    if (this.#binding !== undefined && !this.#fitsRemaining(this.#binding, now, inFlight)) return false;
    for (const known of this.#advised.values()) if (!this.#fitsRemaining(known, now, inFlight)) return false;
    return this.#policies.every((policy) => this.#fits(policy, now, inFlight));
  }

  /** After {@link mayStart} said no: how long until it is worth asking again even if nothing returns. */
  roomInMs(now: number): number {
    const isLearned = !this.isAnnounced || (this.#isDoubted && this.#learned?.mayStart(now) === false);
    if (isLearned) return this.#learned?.roomInMs(now) ?? Number.POSITIVE_INFINITY;
    const times = this.#policies.map(
      ({ windowMs, skipped }) => (this.#times.oldestSince(now - windowMs, skipped) ?? now) + windowMs,
    );
    const remaining = [...this.#advised.values(), this.#binding ?? []].flat();
    for (const { resetsAt } of remaining) if (resetsAt > now) times.push(resetsAt);
    return Math.max(0, Math.min(...times) - now); // a sum may be rounded to a moment ago
  }

  /** So many calls are left waiting. */
  want(_waiting: number, _now: number): void {}

  started(isLogin: boolean, inFlight: number): void {
    this.#learned?.started(isLogin);
    if (!isLogin && inFlight === 0 && this.isAnnounced && !this.#hasRoom(0, this.clock.monotonic()))
      this.#isProbing = true;
  }

  /** A request has ended without meeting a limit. */
  ended(request: EndedRequest): void {
    this.#learned?.ended(request);
    if (request.outcome === 'unsent') return;
    const now = this.clock.monotonic();
    if (!this.isAnnounced) {
      this.#uncounted++;
      this.#uncountedAt = now;
      return;
    }
    if (this.#isProbing && !request.isLogin) {
      this.#isProbing = false;
      if (request.outcome === 'passed') this.#hadRoom(now);
    }
    this.#dropPast(now);
    if (this.#policies.length > 0) this.#times.add(now);
  }

  /**
   * A limit has closed the gate, or keeps it closed for longer.
   *
   * @param startedAt when the request started that met the limit; missing for logins and for limits met elsewhere.
   * @param inFlight without that request.
   */
  limited(waitMs: number, startedAt: number | undefined, inFlight = 0): void {
    this.#learned?.limited(waitMs);
    const isBelieved = this.isAnnounced && !this.#isProbing && startedAt !== undefined;
    const isUnexplained = isBelieved && !this.#mayBeUsedUp(inFlight);
    this.#isDoubted = isUnexplained && startedAt < this.#announcedAt;
    // The request went because there was room.
    if (isUnexplained && !this.#isDoubted) this.#refute();
    this.#isProbing = false;
  }

  /** Whether uncounted requests may have used up a quota. */
  #mayBeUsedUp(inFlight: number): boolean {
    const now = this.clock.monotonic();
    return this.#policies.some(({ limit, windowMs }) => {
      const since = now - windowMs;
      return this.#uncountedAt > since && this.#times.countSince(since) + this.#uncounted + inFlight >= limit;
    });
  }

  /** The pause is over. */
  opened(): void {
    this.#learned?.opened();
    this.#advised.clear();
    this.#binding = undefined;
  }

  /** Starts from a quota that was learned earlier. What was learned here takes precedence. */
  seed(quota: Quota): void {
    this.#learned?.seed(quota);
  }

  /** Earlier responses may have counted against another policy, that of another path: what is left says how many did. */
  #track({ name, limit, windowMs }: Policy, remaining: readonly Remaining[]): TrackedPolicy {
    const left = remaining.findLast((each) => each.name === name)?.left;
    if (left === undefined) return { limit, windowMs, skipped: 0 };
    const used = Math.max(0, limit - left - 1); // without the response that says so
    return { limit, windowMs, skipped: this.#times.total - used };
  }

  #fits({ limit, windowMs, skipped }: TrackedPolicy, now: number, inFlight: number): boolean {
    return this.#times.countSince(now - windowMs, skipped) + inFlight < limit;
  }

  #fitsRemaining({ left, resetsAt }: KnownRemaining, now: number, inFlight: number): boolean {
    if (now < resetsAt) return inFlight < left;
    // A new window: if its size is not announced, one request finds out.
    return this.#policies.length > 0 || inFlight === 0;
  }

  #dropPast(now: number): void {
    for (const [name, { resetsAt }] of this.#advised) if (now >= resetsAt) this.#advised.delete(name);
    if (this.#binding !== undefined && now >= this.#binding.resetsAt) this.#binding = undefined;
  }

  /** There was room in a quota said to be used up. A new window explains that once, but not twice within its length. */
  #hadRoom(now: number): void {
    const windowMs = this.#policies[0]?.windowMs ?? Number.POSITIVE_INFINITY;
    if (now - this.#provenWrongAt < windowMs) this.#refute();
    this.#provenWrongAt = now;
    this.#advised.clear();
    this.#times.clear();
  }

  #refute(): void {
    if (!this.#isAdvised) return;
    this.#refuted = toKey(this.#policies);
    this.#uncountedAt = this.clock.monotonic();
    this.#uncounted += this.#times.countSince(Number.NEGATIVE_INFINITY);
    this.#times.clear();
    this.#policies = [];
    this.#advised.clear();
  }
}
