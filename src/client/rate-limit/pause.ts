import { type Clock, latestDateMs, randomOf, type Timer } from '../../internal/index.js';

export interface LimitWaitOptions {
  /** The wait for a limit that does not say how long; doubles on repeats (rule W6). */
  fallbackWaitMs: number;
  /** The most that is added at random to a wait, never more than a hundredth of it. */
  jitterMs: number;
}

/** How long to wait: as the connector asked, and in total with what is added to it. */
export interface LimitWait {
  readonly waitMs: number;
  readonly totalMs: number;
}

const maxFallbackMs = 15 * 60_000;

/** Chooses the wait for a limit: what the header says, or the fallback (rule W6). Counts the refusals in a row. */
export class LimitWaits {
  readonly #options: LimitWaitOptions;
  readonly #clock: Clock;
  #limitsInARow = 0;
  #fallbacksInARow = 0;

  constructor(options: LimitWaitOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** A request got through. */
  reset(): void {
    this.#limitsInARow = 0;
    this.#fallbacksInARow = 0;
  }

  /**
   * @param waitMs missing if the response does not say how long.
   * @param isSameLimit whether this limit was counted already.
   */
  choose(waitMs: number | undefined, isSameLimit: boolean): LimitWait {
    const { fallbackWaitMs } = this.#options;
    let chosenMs = waitMs;
    if (chosenMs === undefined) {
      // The first fallback counts even if it is a late response to a limit that was counted already.
      if (!isSameLimit || this.#fallbacksInARow === 0) this.#fallbacksInARow++;
      const repeats = this.#fallbacksInARow - 1;
      chosenMs = Math.min(fallbackWaitMs * 2 ** Math.min(repeats, 30), Math.max(fallbackWaitMs, maxFallbackMs));
    }
    // A connector that says "now" and keeps refusing must not be asked in a tight loop (rule W5).
    const repeats = isSameLimit ? 0 : this.#limitsInARow++;
    const floorMs = repeats === 0 ? 0 : Math.min(10 * 2 ** (repeats - 1), 1000);
    return { waitMs: chosenMs, totalMs: Math.max(this.#addJitter(chosenMs), floorMs) };
  }

  withJitter(waitMs: number): LimitWait {
    return { waitMs, totalMs: this.#addJitter(waitMs) };
  }

  /** Spreads clients that would wake in the same millisecond; a hundredth at most, so it costs no throughput. */
  #addJitter(waitMs: number): number {
    return waitMs + randomOf(this.#clock) * Math.min(this.#options.jitterMs, waitMs / 100);
  }
}

export interface PauseOptions {
  clock: Clock;
  onHeartbeat(): void;
  onEnd(pausedMs: number): void;
}

/** Why a pause begins or grows. */
export interface PauseCause {
  source: 'header' | 'fallback';
  /** When the request started that met the limit. */
  startedAt?: number | undefined;
  /** The end of a pause that another client met. */
  elsewhere?: Date | undefined;
  /** Of the response that asked to wait. */
  status?: number | undefined;
}

/** What others see of a pause; `status` is that of the response that asks for this end, if this process got it. */
export type PauseView = Readonly<Pick<Pause, 'on' | 'resumeAt' | 'askedUntil' | 'askedMs' | 'totalMs' | 'status'>>;

const heartbeatMs = 10_000;

/** The precision of a present-day date in a double: a call that returns at `resumeAt` must find the gate open. */
const dateErrorMs = 0.001;

/**
 * Until when nobody may go (rule G2): extended, never shortened. The statement that begins a pause also sets the timer
 * that ends it, so there is no pause without an end (rule G9).
 */
export class Pause {
  readonly #options: PauseOptions;
  /** On the monotonic clock; `undefined` while nothing is paused. */
  #until: number | undefined;
  /** How long the connector asked to wait, without jitter. */
  #askedUntil = 0;
  /** The two dates as last reported, so that every event and error agrees. */
  #resumeAt: Date | undefined;
  #askedUntilDate: Date | undefined;
  status: number | undefined;
  #since = 0;
  #spentMs = 0;
  #timer: Timer | undefined;
  #isAwaited = false;

  constructor(options: PauseOptions) {
    this.#options = options;
  }

  get on(): boolean {
    return this.#until !== undefined;
  }

  get resumeAt(): Date | undefined {
    if (this.#until === undefined) return undefined;
    this.#resumeAt = sameDate(this.#resumeAt, this.#toDate(this.#until));
    return this.#resumeAt;
  }

  /** The end as the connector asked for it. */
  get askedUntil(): Date | undefined {
    if (this.#until === undefined) return undefined;
    this.#askedUntilDate = sameDate(this.#askedUntilDate, this.#toDate(this.#askedUntil));
    return this.#askedUntilDate;
  }

  /** What is left of the wait that the connector asked for. */
  get askedMs(): number {
    return Math.max(0, this.#askedUntil - this.#options.clock.monotonic());
  }

  get remainingMs(): number {
    return Math.max(0, (this.#until ?? 0) - this.#options.clock.monotonic());
  }

  get heartbeat(): { resumeAt: Date; remainingMs: number; pausedMs: number } {
    return { resumeAt: this.resumeAt as Date, remainingMs: this.remainingMs, pausedMs: this.elapsedMs };
  }

  /** Ends with the pause, however late its timer is. */
  get elapsedMs(): number {
    if (this.#until === undefined) return 0;
    return Math.min(this.#options.clock.monotonic(), this.#until) - this.#since;
  }

  /** Milliseconds paused, this and earlier pauses. */
  get totalMs(): number {
    return this.#spentMs + this.elapsedMs;
  }

  /** @returns whether it began, how much longer it is now, and whether the connector asks for a later end than before. */
  extend({ waitMs, totalMs }: LimitWait, { elsewhere: date, status }: Pick<PauseCause, 'elsewhere' | 'status'>) {
    const now = this.#options.clock.monotonic();
    const until = now + totalMs;
    const before = this.#until;
    const asksLonger = before === undefined || now + waitMs > this.#askedUntil;
    if (before === undefined || until > before) {
      this.#until = until;
      this.#resumeAt = totalMs === waitMs ? date : undefined;
    }
    if (asksLonger) {
      this.#askedUntil = now + waitMs;
      this.#askedUntilDate = date;
      this.status = status ?? this.status;
    }
    if (before === undefined) {
      this.#since = now;
      this.#arm();
    }
    return { began: before === undefined, grewByMs: before === undefined ? 0 : until - before, asksLonger };
  }

  /** Ends a pause that is over before its timer has fired: a call that comes at `resumeAt` finds the gate open. */
  endIfOver(): void {
    if (this.#until !== undefined && this.remainingMs <= dateErrorMs) this.#end(this.#until);
  }

  /** A pause keeps the process alive only while a call waits for its end (rule G4). */
  hold(isAwaited: boolean): void {
    this.#isAwaited = isAwaited;
    this.#timer?.hold(isAwaited);
  }

  /** Stops the timer when no client is left; the end of the pause stays known. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Starts the timer again when a client has joined. */
  start(): void {
    if (this.on && this.#timer === undefined) this.#arm();
  }

  #arm(): void {
    const delayMs = Math.min(this.remainingMs, heartbeatMs);
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      // Read again: the end may have moved while this timer was running (rule G2).
      if (this.remainingMs > 0) {
        // The last timer may fire a fraction of a millisecond early: that is no heartbeat.
        if (delayMs === heartbeatMs) this.#options.onHeartbeat();
        this.#arm();
      } else {
        this.#end(this.#until as number);
      }
    });
    this.#timer.hold(this.#isAwaited);
  }

  #end(until: number): void {
    this.stop();
    const pausedMs = until - this.#since;
    this.#spentMs += pausedMs;
    this.#until = undefined;
    this.status = undefined;
    this.#options.onEnd(pausedMs);
  }

  /** Rounded up: a call that returns at that time must find the gate open. */
  #toDate(monotonic: number): Date {
    const { clock } = this.#options;
    return new Date(Math.min(Math.ceil(clock.now() + monotonic - clock.monotonic()), latestDateMs));
  }
}

/** Keeps the reported date unless the calendar was set: two clocks read in turn may differ by a millisecond. */
function sameDate(reported: Date | undefined, date: Date): Date {
  return reported !== undefined && Math.abs(reported.getTime() - date.getTime()) <= 2 ? reported : date;
}
