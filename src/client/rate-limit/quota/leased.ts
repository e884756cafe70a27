import type { Clock } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import { AnnouncedQuota } from './announced.js';
import type { EndedRequest, LearnedQuota } from './learned.js';
import { isLease, type Lease, type LeaseRequest } from './lease.js';
import { Share } from './share.js';

export interface LeasedQuotaOptions {
  clock: Clock;
  /** What this process learns by itself. */
  learned: LearnedQuota;
  /** Asks the state. Rejects, or resolves to `undefined`, if the state is away. */
  take(request: LeaseRequest): Promise<Lease | undefined>;
  /** The state has answered: calls that wait may go, or wait for something else. */
  onAnswer(): void;
}

/** A state that takes longer to answer is away, and so is one that takes more than an eighth of a window. */
const maxAnswerMs = 2000;
/** For so long a state that is away is not asked again. */
const awayMs = 5000;
/** Permits are leased where so many responses fit into a window, one after the other. */
const responsesInWindow = 16;

/**
 * The quota of all processes with the same state (rule G10). The process leases permits of each window, by the rules of
 * the state. Before its first request it asks once. While no quota is known it goes by itself, until its first limit.
 * After a failure of the state it keeps to its share (`share.ts`), until the state has answered what it was told at a
 * limit.
 *
 * It cannot stall. A call waits for an answer of the state until {@link advance} gives that up, for the time to ask
 * again, or for a request in flight; and what holds calls back is advice, which the gate follows for a minute at most.
 */
export class LeasedQuota extends AnnouncedQuota {
  readonly #options: LeasedQuotaOptions;
  /** What it keeps to while the state is away. */
  readonly #share = new Share(this.clock);
  /** Whether requests need permits. */
  #isLeasing = true;
  #lease: Lease | undefined;
  #permits = 0;
  /** When the window begins and ends. */
  #startsAt = 0;
  #endsAt = 0;
  #askAgainAt = 0;
  /** Permits of this window, less its requests that passed. */
  #unused = 0;
  #used = 0;
  #usedBefore = 0;
  #inFlight = 0;
  /** How long the fastest response took since the last pause, and before it; infinite without any. */
  #fastestMs = Number.POSITIVE_INFINITY;
  #fastestBeforeMs = Number.POSITIVE_INFINITY;
  /** When the question in flight was asked. */
  #askedAt: number | undefined;
  /** Counts the questions: a late answer is not taken for that of the next one. */
  #question = 0;
  #awayUntil = 0;
  /** When the pause in effect ends. */
  #resumesAt: number | undefined;
  #isTold = false;

  constructor(options: LeasedQuotaOptions) {
    super(options.clock, options.learned);
    this.#options = options;
  }

  override get known(): Quota | undefined {
    return (this.#isLeasing ? this.#shared : this.#share.known) ?? super.known;
  }

  override advance(now: number): void {
    super.advance(now);
    if (this.#askedAt !== undefined && now >= this.#askedAt + this.#answerMs) this.#answered();
  }

  override mayStart(inFlight: number, now: number): boolean {
    if (!this.#isLeasing && !this.#share.isOn) return super.mayStart(inFlight, now);
    if (this.#isLeasing && (!this.#hasPermits(now) || now < this.#startsAt)) return false;
    return this.#share.mayStart(this.#inFlight, now) && (!this.isAnnounced || super.mayStart(inFlight, now));
  }

  override roomInMs(now: number): number {
    if (!this.#share.mayStart(this.#inFlight, now)) return this.#share.roomInMs(now);
    if (!this.#isLeasing) return super.roomInMs(now);
    if (this.#askedAt !== undefined) return this.#askedAt + this.#answerMs - now;
    if (!this.#hasPermits(now)) return (this.#isProbing(now) ? this.#endsAt : this.#askAgainAt) - now;
    return now < this.#startsAt ? this.#startsAt - now : Math.min(super.roomInMs(now), this.#endsAt - now);
  }

  override want(waiting: number, now: number): void {
    const mustWait = this.#askedAt !== undefined || this.#hasPermits(now) || this.#isProbing(now);
    if (!this.#isLeasing || mustWait || now < this.#askAgainAt || !this.#share.mayStart(this.#inFlight, now)) return;
    this.#ask(Math.min(Math.max(waiting, this.#usedBefore, 2 * this.#used), this.#share.most));
  }

  override started(isLogin: boolean, inFlight: number): void {
    super.started(isLogin, inFlight);
    if (isLogin) return;
    this.#inFlight++;
    this.#used++;
    this.#share.started(this.clock.monotonic());
    if (this.#permits > 0) this.#permits--;
  }

  override ended(request: EndedRequest): void {
    super.ended(request);
    if (request.isLogin) return;
    this.#inFlight--;
    const { outcome, isLate, startedAt } = request;
    if (outcome === 'passed') {
      this.#responded(startedAt);
      this.#share.passed(startedAt, this.clock.monotonic());
      if (!isLate || startedAt >= this.#startsAt) this.#unused--;
    }
    // The connector has not counted it: its permit is good for the next one.
    if (outcome !== 'passed' && !isLate && this.#isLeasing) this.#permits++;
    this.#tell();
  }

  override limited(waitMs: number, startedAt: number | undefined, inFlight = 0): void {
    super.limited(waitMs, startedAt, inFlight);
    const now = this.clock.monotonic();
    if (startedAt !== undefined) {
      this.#inFlight--;
      this.#responded(startedAt);
      if (this.#isLeasing && startedAt >= this.#startsAt) this.#permits++;
      if (this.#resumesAt === undefined) this.#share.limited(now, now + waitMs);
    }
    this.#resumesAt = Math.max(this.#resumesAt ?? 0, now + waitMs);
    this.#tell();
  }

  override opened(): void {
    super.opened();
    this.#resumesAt = undefined;
    // The state may answer that nothing is known. One that was away must have answered what it was told.
    this.#isLeasing = this.#mayLease && (this.#lease !== undefined || !this.#share.isOn);
    this.#isTold = false;
    if (this.#fastestMs < Number.POSITIVE_INFINITY) this.#fastestBeforeMs = this.#fastestMs;
    this.#fastestMs = Number.POSITIVE_INFINITY;
    // A short pause says nothing about the window: what it refused goes again with its permits.
    if (this.clock.monotonic() < this.#endsAt - this.#windowMs / 2) return;
    this.#permits = 0;
    this.#askAgainAt = 0;
  }

  get #windowMs(): number {
    return (this.#shared ?? this.#options.learned.known)?.windowMs ?? Number.POSITIVE_INFINITY;
  }

  /** Where responses take a good part of the window, only the pause is shared: leases would leave much unused. */
  get #mayLease(): boolean {
    // Not those that stood in line: many start together, and a busy machine makes all of a window slow.
    const fastestMs = Math.min(this.#fastestMs, this.#fastestBeforeMs);
    const fits = fastestMs === Number.POSITIVE_INFINITY || responsesInWindow * fastestMs <= this.#windowMs;
    return fits && (this.#share.isOn || this.clock.monotonic() >= this.#awayUntil);
  }

  get #shared(): Lease | undefined {
    return this.#lease && this.#lease.limit > 0 ? this.#lease : undefined;
  }

  #hasPermits(now: number): boolean {
    return this.#permits > 0 && now < this.#endsAt;
  }

  /** A probe goes alone, until the window ends. */
  #isProbing(now: number): boolean {
    return this.#lease?.probe === 1 && this.#inFlight > 0 && now < this.#endsAt;
  }

  get #answerMs(): number {
    return Math.ceil(Math.min(maxAnswerMs, this.#windowMs / 8));
  }

  #responded(startedAt: number): void {
    this.#fastestMs = Math.min(this.#fastestMs, this.clock.monotonic() - startedAt);
  }

  /** During a pause, once nothing is in flight any more: tells what did not pass or, at first, what did. */
  #tell(): void {
    const isPaused = this.#resumesAt !== undefined;
    if (!isPaused || this.#isTold || this.#inFlight > 0 || this.#askedAt !== undefined || !this.#mayLease) return;
    this.#isTold = true;
    if (this.#lease?.window && this.#facts.unused === 0) return;
    this.#permits = 0;
    this.#askAgainAt = 0;
    this.#ask(0);
  }

  get #facts(): Pick<LeaseRequest, 'unused' | 'windowMs'> {
    if (this.#lease !== undefined && this.#lease.window > 0) return { unused: this.#unused, windowMs: 0 };
    const shared = this.#share.lastWindow(this.clock.monotonic());
    const { limit = 0, windowMs = 0 } = shared ?? this.#options.learned.limitedWindow ?? {};
    return { unused: -limit, windowMs: Math.ceil(windowMs) };
  }

  #ask(want: number): void {
    const now = this.clock.monotonic();
    const { window = 0, ticket = 0, probe: probed = 0 } = this.#lease ?? {};
    const { unused, windowMs } = this.#facts;
    const limitedMs = Math.max(0, Math.ceil((this.#resumesAt ?? now) - now));
    // Requests in flight are no unused permits.
    const told = { window, want, ticket, probed, unused: want > 0 ? 0 : unused, limitedMs, windowMs };
    const question = ++this.#question;
    const answered = (answer?: Lease) => {
      if (question === this.#question && this.#askedAt !== undefined) this.#answered(answer, want);
      this.#options.onAnswer();
    };
    this.#askedAt = now;
    this.#options.take(told).then(answered, () => answered());
  }

  /** @param answer missing, or no lease, if the state is away; one that has lost what it knew was away for a moment. */
  #answered(answer?: Lease, want = 0): void {
    const now = this.clock.monotonic();
    this.#askedAt = undefined;
    const isNew = answer?.window !== this.#lease?.window;
    const isAway = !isLease(answer);
    const isLost = isAway || (answer.lost === 1 && answer.limit === 0);
    if (this.#shared && isLost) this.#share.begin(this.#shared, this.#startsAt, now);
    if (isNew) [this.#usedBefore, this.#used] = [this.#used, 0];
    if (isNew || want === 0) this.#unused = 0;
    if (isLost) {
      this.#lease = undefined;
      this.#isLeasing = false;
      if (isAway) this.#awayUntil = now + awayMs;
    } else if (want === 0) {
      this.#lease = { ...answer, ticket: this.#lease?.ticket ?? 0 };
    } else {
      this.#lease = answer;
      this.#isLeasing = answer.limit > 0;
      if (this.#isLeasing) this.#share.end(now);
      this.#share.granted(answer.window, answer.granted);
      this.#unused += answer.granted;
      this.#permits = answer.granted;
      this.#isTold = false;
      this.#startsAt = now + answer.startsInMs;
      this.#endsAt = now + answer.endsInMs;
      this.#askAgainAt = now + answer.waitMs;
    }
    this.#tell();
  }
}
