import type { Clock, Timer } from '../internal/index.js';
import type { Emit } from './events.js';
import { type LimitWait, type LimitWaitOptions, LimitWaits } from './limit-wait.js';
import { type Lesson, Pacing, type Quota } from './pacing.js';
import { type KnownRemaining, type Remaining, updateRemaining } from './remaining.js';
import { type Waiter, WaitQueue } from './wait-queue.js';

export interface GateOptions {
  clock: Clock;
  emit: Emit;
  /** `''` where the connection has only one. */
  scope: string;
  /** The most requests in flight. */
  concurrency: number;
  /** How long to wait for a limit, where that is not the header's to say. */
  waits: LimitWaitOptions;
  /** Whether to learn the quota and to probe its boundary. */
  pacing: boolean;
  /** Whether answers say what is left of the quota: then the first request goes alone, to find out. */
  readsRemaining: boolean;
  /** Whether any waiter could refuse to wait that long: only then all of them are asked. */
  mayRefuse(remainingMs: number): boolean;
  /** Tells other processes of a pause that was met here. */
  onPause?: (pause: { scope: string; resumeAt: Date }) => void;
}

/** The right to have one request in flight. Give it back with {@link Gate.leave}. */
export interface Ticket {
  /** Which opening of the gate it belongs to. */
  readonly epoch: number;
  /** Logins do not count against what is learned of the quota. */
  readonly isLogin: boolean;
  /** The place in the line of whoever came. */
  readonly order: number;
}

/** What came of a request: an answer that was no limit, or nothing that says anything about the limit. */
export type Passage = 'passed' | 'unknown';

/** The priority of logins, above any number: they also go beyond `concurrency`, since everybody else waits for them. */
export const loginPriority = Number.POSITIVE_INFINITY;

const heartbeatMs = 10_000;
/** How long the quota alone may hold everybody back while nothing is in flight. */
const longestHoldMs = 60_000;

/**
 * The pause that all requests of a connection share (rules G1 to G4). Open, it lets `concurrency` requests through.
 * A limit closes it for everybody; afterwards one request goes first, and each that comes back without a limit lets two
 * more follow. Where the quota is known by then, the rest follow at once up to its boundary, and beyond that one by one.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #queue = new WaitQueue<Ticket>(() => this.#holdTimers());
  readonly #waits: LimitWaits;
  #inFlight = 0;
  #epochInFlight = 0;
  #epoch = 0;
  #allowed: number;
  /** On the monotonic clock; `undefined` while open. */
  #closedUntil: number | undefined;
  /** How long the connector asked to wait: without what was added at random. */
  #limitedUntil = 0;
  /** The two as they were told: everybody is to hear the same time. */
  #resumeAt: Date | undefined;
  #limitedUntilDate: Date | undefined;
  #closedSince = 0;
  #timer: Timer | undefined;
  #closedBy: (() => Error) | undefined;
  #pausedMs = 0;
  /** What passed since the beginning, for the first limit to learn from. */
  #passed = 0;
  #countsSince: number | undefined;
  /** `undefined` until a limit was met. */
  #pacing: Pacing | undefined;
  #toldLesson: Lesson | undefined;
  #remaining: KnownRemaining | undefined;
  /** Wakes those up who wait for room in the quota. */
  #roomTimer: Timer | undefined;
  /** While those are woken: then one may go whatever is known of the quota, if nothing is in flight. */
  #heldLongEnough = false;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#waits = new LimitWaits(options.waits);
    this.#allowed = options.readsRemaining ? 1 : Number.POSITIVE_INFINITY;
  }

  get paused(): boolean {
    return this.#closedUntil !== undefined;
  }

  get resumeAt(): Date | undefined {
    if (this.#closedUntil === undefined) return undefined;
    this.#resumeAt = steady(this.#resumeAt, this.#toDate(this.#closedUntil));
    return this.#resumeAt;
  }

  /** The end of the pause as the connector gave it: without what was added at random. */
  get limitedUntil(): Date | undefined {
    if (this.#closedUntil === undefined) return undefined;
    this.#limitedUntilDate = steady(this.#limitedUntilDate, this.#toDate(this.#limitedUntil));
    return this.#limitedUntilDate;
  }

  /** Whether whoever comes now has to wait. */
  get isBusy(): boolean {
    return this.#closedUntil !== undefined || this.#queue.size > 0;
  }

  /** What has been learned of the limit. */
  get quota(): Quota | undefined {
    this.#forget();
    const lesson = this.#pacing?.lesson;
    return lesson && { limit: lesson.limit, windowMs: Math.round(lesson.windowMs) };
  }

  /** Milliseconds spent closed so far. */
  get pausedMs(): number {
    return this.#pausedMs + (this.paused ? this.#options.clock.monotonic() - this.#closedSince : 0);
  }

  /** Whether a request that entered with this ticket may still be started: no limit was met since (rule G1). */
  isCurrent(ticket: Ticket): boolean {
    return ticket.epoch === this.#epoch && this.#closedBy === undefined;
  }

  /** A ticket for a request that would not have to wait. */
  enterAtOnce(): Ticket | undefined {
    if (this.#closedBy !== undefined || this.#queue.size > 0 || !this.#mayPass(false)) return undefined;
    return this.#admit(false, this.#queue.nextPlace());
  }

  /** @throws (rejects with) the signal's reason, the waiter's refusal, or the error given to {@link shutDown}. */
  enter(waiter: Waiter): Ticket | Promise<Ticket> {
    const isLogin = waiter.priority === loginPriority;
    if (this.#closedBy) throw this.#closedBy();
    if (waiter.signal?.aborted) throw waiter.signal.reason;
    if ((isLogin || this.#queue.size === 0) && this.#mayPass(isLogin)) {
      waiter.order ??= this.#queue.nextPlace();
      return this.#admit(isLogin, waiter.order);
    }
    if (this.#closedUntil !== undefined) {
      const refusal = waiter.refusal?.(this.#askedMs(), this.resumeAt as Date);
      if (refusal) throw refusal;
    }
    const waiting = this.#queue.wait(waiter);
    this.#holdTimers();
    this.#awaitRoom();
    return waiting;
  }

  /** Gives a ticket back. */
  leave(ticket: Ticket, passage: Passage): void {
    const passed = passage === 'passed';
    this.#inFlight--;
    if (ticket.epoch === this.#epoch) {
      this.#epochInFlight--;
      if (passed) {
        this.#waits.reset();
        this.#allowMore();
        if (!ticket.isLogin) this.#passed++;
      }
      if (!ticket.isLogin) this.#pacing?.ended(this.#options.clock.monotonic(), passed);
    } else if (passed && !ticket.isLogin) {
      this.#pacing?.endedLate(this.#options.clock.monotonic());
    }
    if (this.#pacing !== undefined) this.#tellQuota();
    this.#pump();
  }

  /** Gives a ticket back whose request met a limit; `waitMs` is missing where the answer does not say how long. */
  limited(ticket: Ticket, waitMs: number | undefined): void {
    this.#inFlight--;
    const sameLimit = ticket.epoch !== this.#epoch;
    if (!sameLimit) this.#epochInFlight--;
    this.#close(this.#waits.choose(waitMs, sameLimit), waitMs === undefined ? 'fallback' : 'header');
  }

  /** An answer says what is left of the quota; closes the gate when that is nothing. The ticket is still to be given back. */
  remains(ticket: Ticket, answer: Remaining): void {
    if (ticket.epoch !== this.#epoch || this.#closedUntil !== undefined) return;
    const now = this.#options.clock.monotonic();
    this.#remaining = updateRemaining(this.#remaining, answer, this.#epochInFlight, now);
    const waitMs = this.#remaining.resetsAt - now;
    if (this.#remaining.left > 0 || waitMs <= 0) return;
    this.#close({ waitMs, totalMs: this.#waits.jittered(waitMs) }, 'header');
  }

  /** Closes the gate for a pause that was met elsewhere, or before. */
  pauseUntil(resumeAt: Date): void {
    const waitMs = resumeAt.getTime() - this.#options.clock.now();
    if (waitMs > 0) this.#close({ waitMs, totalMs: this.#waits.jittered(waitMs) }, 'header', resumeAt);
  }

  /** Begins with what was learned before; what this gate has learned itself counts more. */
  learn(quota: Quota): void {
    if (!this.#options.pacing || this.#pacing !== undefined) return;
    this.#pacing = new Pacing(this.#options.clock.monotonic(), quota);
    this.#tellQuota();
  }

  /** Rejects everybody who waits, and everybody who comes later. */
  shutDown(error: () => Error): void {
    this.#closedBy = error;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#stopAwaitingRoom();
    this.#queue.rejectWhere(error);
  }

  #close({ waitMs, totalMs }: LimitWait, source: 'header' | 'fallback', elsewhere?: Date): void {
    const { clock, emit, scope, onPause } = this.#options;
    const now = clock.monotonic();
    const until = now + totalMs;
    const before = this.#closedUntil;
    const isLonger = before === undefined || now + waitMs > this.#limitedUntil;
    // Extended, never shortened (rule G2).
    if (before === undefined || until > before) {
      this.#closedUntil = until;
      this.#resumeAt = totalMs === waitMs ? elsewhere : undefined;
    }
    if (isLonger) {
      this.#limitedUntil = now + waitMs;
      this.#limitedUntilDate = elsewhere;
    }
    if (before === undefined) this.#closedSince = now;
    if (this.#closedBy) return; // nobody waits any more, but who was limited is to know until when
    this.#noteLimit(now, now + waitMs, elsewhere !== undefined);
    if (isLonger) this.#refuseWaiters();
    if (before === undefined) {
      this.#epoch++;
      this.#epochInFlight = 0;
      this.#allowed = 1;
      this.#remaining = undefined;
      this.#stopAwaitingRoom();
      this.#arm();
      emit('pause', {
        reason: 'rate-limit',
        waitMs,
        resumeAt: this.resumeAt as Date,
        source,
        ...this.#named,
      });
    } else if (until - before > 1000) {
      this.#beat();
    }
    if (elsewhere === undefined && isLonger) onPause?.({ scope, resumeAt: this.limitedUntil as Date });
  }

  #noteLimit(now: number, resumesAt: number, elsewhere: boolean): void {
    if (!this.#options.pacing) return;
    // Somebody else's limit says how much was this client's share only if it would have sent more.
    if (elsewhere && this.#queue.size === 0 && this.#inFlight === 0) return;
    this.#forget();
    if (this.#pacing === undefined) {
      this.#pacing = Pacing.afterFirst(this.#countsSince ?? now, this.#passed, now, resumesAt);
    } else {
      this.#pacing.limited(now, resumesAt);
    }
  }

  #mayPass(isLogin: boolean): boolean {
    if (this.#closedUntil !== undefined || this.#epochInFlight >= this.#allowed) return false;
    if (isLogin) return true;
    if (this.#inFlight === 0 && this.#heldLongEnough) return true;
    return this.#inFlight < this.#options.concurrency && this.#hasRoom();
  }

  /** Whether the quota, as far as it is known, has room for one more. */
  #hasRoom(): boolean {
    if (this.#pacing === undefined && this.#remaining === undefined) return true;
    const now = this.#options.clock.monotonic();
    if (this.#remaining !== undefined) {
      if (now < this.#remaining.resetsAt) return this.#epochInFlight < this.#remaining.left;
      // A new window: one request finds out what is left of it.
      this.#remaining = undefined;
      this.#allowed = this.#epochInFlight + 1;
    }
    this.#forget();
    return this.#pacing?.mayStart(now) ?? true;
  }

  #admit(isLogin: boolean, order: number): Ticket {
    this.#inFlight++;
    this.#epochInFlight++;
    if (!isLogin) {
      this.#countsSince ??= this.#options.clock.monotonic();
      this.#pacing?.started(this.#options.clock.monotonic());
    }
    return { epoch: this.#epoch, isLogin, order };
  }

  /** One came back without a limit: two more, or all the rest where it is known how many the connector takes (rule G3). */
  #allowMore(): void {
    const isKnown = this.#pacing?.lesson !== undefined || this.#remaining !== undefined;
    if (isKnown || this.#allowed >= this.#options.concurrency) this.#allowed = Number.POSITIVE_INFINITY;
    else this.#allowed++;
  }

  #pump(): void {
    for (let first = this.#queue.first; first !== undefined; first = this.#queue.first) {
      const isLogin = first.priority === loginPriority;
      if (!this.#mayPass(isLogin)) break;
      this.#queue.next(this.#admit(isLogin, first.order as number));
    }
    this.#holdTimers();
    this.#awaitRoom();
  }

  /**
   * Where only the quota holds back, somebody is woken when there is room, or after a while: what is known of the quota may be
   * wrong, so it slows and never stops (rule G9).
   */
  #awaitRoom(): void {
    if (this.#closedUntil !== undefined || this.#roomTimer !== undefined || this.#queue.size === 0) return;
    if (this.#epochInFlight >= this.#allowed || this.#inFlight >= this.#options.concurrency) return;
    const now = this.#options.clock.monotonic();
    const roomAt = this.#remaining?.resetsAt ?? this.#pacing?.roomAt(now) ?? now;
    this.#roomTimer = this.#options.clock.setTimer(Math.min(Math.max(1, roomAt - now), longestHoldMs), () => {
      this.#roomTimer = undefined;
      this.#heldLongEnough = true;
      this.#pump();
      this.#heldLongEnough = false;
    });
  }

  #stopAwaitingRoom(): void {
    this.#roomTimer?.cancel();
    this.#roomTimer = undefined;
  }

  #refuseWaiters(): void {
    const remainingMs = this.#askedMs();
    if (!this.#options.mayRefuse(remainingMs)) return;
    const resumeAt = this.resumeAt as Date;
    this.#queue.rejectWhere((waiter) => waiter.refusal?.(remainingMs, resumeAt));
    this.#holdTimers();
  }

  #arm(): void {
    const delayMs = Math.min(this.#remainingMs(), heartbeatMs);
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      // Re-read: the deadline may have moved while this timer was running (rule G2).
      if (this.#remainingMs() > 0) {
        // A timer for the rest of a pause may fire a fraction of a millisecond early: nobody needs to hear of that.
        if (delayMs === heartbeatMs) this.#beat();
        this.#arm();
      } else {
        this.#open();
      }
    });
    this.#holdTimers();
  }

  #open(): void {
    const now = this.#options.clock.monotonic();
    const pausedMs = now - this.#closedSince;
    this.#pausedMs += pausedMs;
    this.#closedUntil = undefined;
    this.#timer = undefined;
    this.#pacing?.opened(now);
    this.#options.emit('resume', { pausedMs, ...this.#named });
    this.#tellQuota();
    this.#pump();
  }

  #beat(): void {
    const { clock, emit } = this.#options;
    emit('heartbeat', {
      reason: 'rate-limit',
      resumeAt: this.resumeAt as Date,
      remainingMs: this.#remainingMs(),
      pausedMs: clock.monotonic() - this.#closedSince,
      ...this.#named,
    });
  }

  /** What was learned is forgotten when no limit was met for a while: the next one is then a first one again. */
  #forget(): void {
    const now = this.#options.clock.monotonic();
    if (!this.#pacing?.forgets(now)) return;
    this.#pacing = undefined;
    this.#passed = 0;
    this.#countsSince = undefined;
    this.#tellQuota();
  }

  /** Tells of a quota once it is certain, which it is when the pause is over. */
  #tellQuota(): void {
    if (this.paused) return;
    const lesson = this.#pacing?.lesson;
    const told = this.#toldLesson;
    if (lesson === told || (lesson !== undefined && told !== undefined && isSameQuota(lesson, told))) return;
    this.#toldLesson = lesson;
    const quota = lesson && { limit: lesson.limit, windowMs: Math.round(lesson.windowMs) };
    this.#options.emit('quota', { quota, ...this.#named });
  }

  /** Events name their scope only where there are several. */
  get #named(): { scope?: string } {
    const { scope } = this.#options;
    return scope === '' ? {} : { scope };
  }

  /** A pause keeps the process alive only while somebody waits for its end (rule G4). */
  #holdTimers(): void {
    const isAwaited = this.#queue.size > 0;
    this.#timer?.hold(isAwaited);
    this.#roomTimer?.hold(isAwaited);
  }

  /** What is left of the wait that was asked for. */
  #askedMs(): number {
    return Math.max(0, this.#limitedUntil - this.#options.clock.monotonic());
  }

  #remainingMs(): number {
    return Math.max(0, (this.#closedUntil ?? 0) - this.#options.clock.monotonic());
  }

  /** Rounded up: who comes back at that time must not find the gate closed. */
  #toDate(monotonic: number): Date {
    const { clock } = this.#options;
    return new Date(Math.min(Math.ceil(clock.now() + monotonic - clock.monotonic()), 8.64e15));
  }
}

/** Two clocks that are read one after the other differ by a millisecond now and then; a calendar that was set, by more. */
function steady(told: Date | undefined, date: Date): Date {
  return told !== undefined && Math.abs(told.getTime() - date.getTime()) <= 2 ? told : date;
}

function isSameQuota(one: Quota, other: Quota): boolean {
  return one.limit === other.limit && Math.abs(one.windowMs - other.windowMs) <= other.windowMs / 10;
}
