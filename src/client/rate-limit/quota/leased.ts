import type { Clock } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import type { AnnouncedQuota } from './announced.js';
import type { Announcement } from './announcement.js';
import { HeldPermits } from './held-permits.js';
import { type EndedRequest, type GateQuota, maxHoldMs } from './quota.js';
import { isLease, type Lease, type LeaseRequest } from './shared-window.js';
import { Traffic } from './traffic.js';

export interface LeasedQuotaOptions {
  clock: Clock;
  /** What this process knows by itself: it applies before anything is leased, and while the state is away. */
  own: AnnouncedQuota;
  /** Asks the state. Rejects, or resolves to `undefined`, if the state is away. */
  take(request: LeaseRequest): Promise<Lease | undefined>;
  /** The state has answered: calls that wait may go, or wait for something else. */
  onAnswer(): void;
}

/** How long an answer of the state may take. */
const answerMs = 2000;

/**
 * The quota of all processes with the same state (rule G10). Permits are leased in batches; {@link lease} has the rules.
 * Until the quota is known, and while the state is away, the process keeps to what it knows by itself (rule G9).
 */
export class LeasedQuota implements GateQuota {
  readonly #options: LeasedQuotaOptions;
  readonly #clock: Clock;
  readonly #own: AnnouncedQuota;
  /** Whether permits are needed at all. */
  #isLeasing = false;
  #lease: Lease | undefined;
  #askedAt: number | undefined;
  /** Counts the questions: an answer that comes too late is not taken for that of the next one. */
  #turn = 0;
  readonly #permits = new HeldPermits();
  #isProbing = false;
  /** What the next request to the state reports. */
  #report = { returned: 0, probed: 0, announced: 0, announcedMs: 0, learned: 0, learnedMs: 0 };
  readonly #traffic = new Traffic();
  /** The limit in effect, until it is reported. */
  #limit: { metAt: number; resumesAt: number; isReported: boolean } | undefined;

  constructor(options: LeasedQuotaOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#own = options.own;
    this.#ask(0); // others may know the quota already
  }

  get known(): Quota | undefined {
    return this.#isLeasing && this.#lease && this.#lease.limit > 0 ? this.#lease : this.#own.known;
  }

  get isKnown(): boolean {
    return this.#isLeasing || this.#own.isKnown;
  }

  get maxHoldMs(): number {
    return this.#isLeasing ? this.#permits.maxHoldMs : maxHoldMs;
  }

  get emptyForMs(): number {
    return this.#own.emptyForMs;
  }

  announce(announcement: Announcement, inFlight: number, isBinding: boolean): void {
    this.#own.announce(announcement, inFlight, isBinding);
    const known = this.#own.announced;
    if (known === undefined) return;
    const { limit, windowMs } = known;
    const isTold = this.#report.announced === limit && this.#report.announcedMs === windowMs;
    if (isTold || this.#askedAt !== undefined) return;
    const learned = this.#isLeasing ? 0 : Math.min(this.#traffic.used, limit);
    this.#report = { ...this.#report, announced: limit, announcedMs: windowMs, learned };
    this.#ask(0);
  }

  advance(): void {
    this.#own.advance();
  }

  mayStart(inFlight: number): boolean {
    if (!this.#isLeasing) return this.#own.mayStart(inFlight);
    const now = this.#clock.monotonic();
    const { count, probe } = this.#permits;
    // The state shares one announced policy; of several, the process keeps to the others by itself.
    const ownHasRoom = this.#own.announced === undefined || this.#own.mayStart(inFlight);
    if (!this.#permits.areGood(now) || !ownHasRoom) return false;
    return count > 0 || (probe > 0 && inFlight === 0 && now >= this.#traffic.quietAt);
  }

  roomInMs(): number {
    if (!this.#isLeasing) return this.#own.roomInMs();
    const now = this.#clock.monotonic();
    if (this.#askedAt !== undefined) return this.#askedAt + answerMs - now;
    const { count, probe, startsAt } = this.#permits;
    if (now < startsAt) return startsAt - now;
    if (count > 0 && !this.#permits.areOver(now)) return Math.min(this.#own.roomInMs(), this.#permits.endInMs(now));
    return (probe > 0 && now < this.#traffic.quietAt ? this.#traffic.quietAt : this.#permits.askAgainAt) - now;
  }

  /** Calls are left waiting: asks for permits, unless it is too early. */
  want(waiting: number): void {
    const now = this.#clock.monotonic();
    if (this.#askedAt !== undefined && now >= this.#askedAt + answerMs) {
      this.#away();
      this.#options.onAnswer();
    }
    if (!this.#isLeasing || this.#askedAt !== undefined) return;
    if (this.#permits.areOver(now)) this.#giveBack();
    if (!this.#permits.isEmpty || now < this.#permits.askAgainAt) return;
    this.#ask(Math.max(waiting, this.#traffic.usedBefore, 2 * this.#traffic.used));
  }

  started(isLogin: boolean, inFlight: number): void {
    this.#own.started(isLogin, inFlight);
    if (isLogin) return;
    this.#traffic.started(this.#clock.monotonic());
    if (this.#permits.count > 0) {
      this.#permits.count--;
    } else if (this.#permits.probe > 0) {
      this.#permits.probe = 0;
      this.#isProbing = true;
    }
  }

  ended(request: EndedRequest): void {
    this.#own.ended(request);
    if (request.isLogin) return;
    this.#traffic.ended(this.#clock.monotonic());
    if (request.outcome !== 'passed') this.#takeBack(request.isLate);
    else if (!request.isLate || this.#limit !== undefined) this.#traffic.passed++;
    if (this.#isProbing && !request.isLate) {
      this.#isProbing = false;
      this.#report.probed = 1;
      this.#permits.askAgainAt = 0;
    }
    this.#settle();
  }

  limited(waitMs: number, startedAt: number | undefined): void {
    this.#own.limited(waitMs, startedAt);
    if (startedAt !== undefined) {
      this.#traffic.ended(this.#clock.monotonic());
      this.#isProbing = false;
      if (this.#isLeasing) this.#report.returned++;
    }
    const metAt = this.#clock.monotonic();
    const resumesAt = metAt + waitMs;
    this.#limit ??= { metAt, resumesAt, isReported: false };
    this.#limit.resumesAt = Math.max(this.#limit.resumesAt, resumesAt);
    this.#giveBack();
    this.#settle();
  }

  opened(): void {
    this.#own.opened();
    // During a pause of which it knew, permits were given back already.
    if (this.#limit === undefined) this.#giveBack();
    // Responses that are slower than the pause must not keep it from telling what it got through.
    if (!this.#isLeasing && this.#limit?.isReported === false && this.#askedAt === undefined) this.#ask(0);
    this.#limit = undefined;
    this.#traffic.opened();
    this.#isProbing = false;
    const now = this.#clock.monotonic();
    const { windowMs = 0 } = this.#lease ?? {};
    // Its turn was to come with the next window: here it is.
    if (now >= this.#permits.startsAt && this.#permits.askAgainAt - now < windowMs / 2) this.#permits.askAgainAt = 0;
    this.#isLeasing = true; // the answer may say otherwise
  }

  seed(quota: Quota): void {
    this.#own.seed(quota);
  }

  /** A request that was not counted, such as one with a session that has ended: its permit is good for the next one. */
  #takeBack(isLate: boolean): void {
    if (!this.#isLeasing) return;
    if (isLate || this.#traffic.used === 0 || this.#permits.areOver(this.#clock.monotonic())) {
      this.#report.returned++;
    } else if (this.#isProbing) {
      this.#permits.probe = 1;
      this.#isProbing = false;
    } else {
      this.#traffic.used--;
      this.#permits.count++;
    }
  }

  /** Permits for later stay. */
  #giveBack(): void {
    this.#report.returned += this.#permits.drop(this.#clock.monotonic());
  }

  /** During a pause: once nothing is in flight any more, tells what has become of the permits, if there is news. */
  #settle(): void {
    const limit = this.#limit;
    if (limit === undefined || limit.isReported || this.#traffic.inFlight > 0 || this.#askedAt !== undefined) return;
    if (this.#isLeasing && this.#report.returned === 0) return;
    limit.isReported = true;
    this.#ask(0);
  }

  #ask(want: number): void {
    const now = this.#clock.monotonic();
    const request = { window: this.#lease?.window ?? 0, ticket: this.#lease?.ticket ?? 0, want, ...this.#facts(now) };
    this.#report = { ...this.#report, returned: 0, probed: 0, learned: 0 };
    this.#askedAt = now;
    const turn = ++this.#turn;
    const answered = (answer: Lease | undefined) => {
      if (turn === this.#turn && this.#askedAt !== undefined) this.#answered(answer, want);
    };
    this.#options.take(request).then(answered, () => answered(undefined));
  }

  #facts(now: number): Omit<LeaseRequest, 'window' | 'ticket' | 'want'> {
    const { metAt = now, resumesAt = now } = this.#limit ?? {};
    const learns = this.#limit !== undefined && !this.#isLeasing;
    const learned = learns ? this.#traffic.learnedFrom(metAt, resumesAt) : {};
    return { ...this.#report, limitedMs: Math.max(0, resumesAt - now), ...learned };
  }

  #answered(answer: Lease | undefined, want: number): void {
    this.#askedAt = undefined;
    const now = this.#clock.monotonic();
    if (!isLease(answer)) {
      this.#away();
    } else {
      this.#traffic.answered(now, answer.window !== this.#lease?.window);
      const ticket = want > 0 ? answer.ticket : (this.#lease?.ticket ?? 0);
      this.#lease = { ...answer, ticket };
      this.#isLeasing = answer.limit > 0;
      if (want > 0) this.#permits.hold(answer, now);
    }
    if (this.#limit !== undefined) this.#giveBack();
    this.#settle();
    this.#options.onAnswer();
  }

  /** The state does not answer: what this process knows by itself applies until the next pause is over. */
  #away(): void {
    this.#askedAt = undefined;
    this.#isLeasing = false;
    this.#permits.clear();
  }
}
