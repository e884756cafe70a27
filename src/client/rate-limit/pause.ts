import { type Clock, latestDateMs, type Timer } from '../../internal/index.js';
import type { LimitWait } from './limit-wait.js';

export interface PauseOptions {
  clock: Clock;
  /** Still on: every 10 seconds. */
  onBeat(): void;
  onEnd(pausedMs: number): void;
}

/** Why a pause begins or grows. */
export interface Cause {
  source: 'header' | 'fallback';
  /** When the request went out that met the limit. */
  startedAt?: number | undefined;
  /** Until when, as somebody else says who met it. */
  elsewhere?: Date;
}

/** What one more limit does to a pause. */
export interface Extension {
  readonly began: boolean;
  /** By how much the end moved. */
  readonly grewByMs: number;
  /** Whether connectors ask for longer than before. */
  readonly asksLonger: boolean;
}

const heartbeatMs = 10_000;

/** Of a date since 1970 a double loses so much: who comes back at `resumeAt` must not find the gate closed for that. */
const dateErrorMs = 0.001;

/**
 * Until when nobody may go (rule G2): extended, never shortened. What begins it sets the timer that ends it, in one statement,
 * so there is no pause without an end (rule G9).
 */
export class Pause {
  readonly #options: PauseOptions;
  /** On the monotonic clock; `undefined` while nothing is paused. */
  #until: number | undefined;
  /** How long the connector asked to wait: without what was added at random. */
  #askedUntil = 0;
  /** The two as they were told: everybody is to hear the same time. */
  #resumeAt: Date | undefined;
  #askedUntilDate: Date | undefined;
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
    this.#resumeAt = steady(this.#resumeAt, this.#toDate(this.#until));
    return this.#resumeAt;
  }

  /** The end as the connector gave it. */
  get askedUntil(): Date | undefined {
    if (this.#until === undefined) return undefined;
    this.#askedUntilDate = steady(this.#askedUntilDate, this.#toDate(this.#askedUntil));
    return this.#askedUntilDate;
  }

  /** What is left of the wait that was asked for. */
  get askedMs(): number {
    return Math.max(0, this.#askedUntil - this.#options.clock.monotonic());
  }

  get remainingMs(): number {
    return Math.max(0, (this.#until ?? 0) - this.#options.clock.monotonic());
  }

  /** What is told of it while it is on. */
  get heartbeat(): { resumeAt: Date; remainingMs: number; pausedMs: number } {
    return { resumeAt: this.resumeAt as Date, remainingMs: this.remainingMs, pausedMs: this.elapsedMs };
  }

  /** How long it has been on. */
  get elapsedMs(): number {
    return this.on ? this.#options.clock.monotonic() - this.#since : 0;
  }

  /** Milliseconds paused, in sum. */
  get totalMs(): number {
    return this.#spentMs + this.elapsedMs;
  }

  /** @param date when it ends, where another client or process told it. */
  extend({ waitMs, totalMs }: LimitWait, date?: Date): Extension {
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
    }
    if (before === undefined) {
      this.#since = now;
      this.#arm();
    }
    return { began: before === undefined, grewByMs: before === undefined ? 0 : until - before, asksLonger };
  }

  /** Ends it where its time has come although its timer has not: whoever comes at `resumeAt` finds the gate open. */
  endIfOver(): void {
    if (this.#until === undefined || this.remainingMs > dateErrorMs) return;
    this.stop();
    this.#end(this.#until);
  }

  /** A pause keeps the process alive only while somebody waits for its end (rule G4). */
  hold(isAwaited: boolean): void {
    this.#isAwaited = isAwaited;
    this.#timer?.hold(isAwaited);
  }

  /** Nobody is left who could go; what is asked of it is answered still. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Somebody is there again. */
  start(): void {
    if (this.on && this.#timer === undefined) this.#arm();
  }

  #arm(): void {
    const delayMs = Math.min(this.remainingMs, heartbeatMs);
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      // Re-read: the end may have moved while this timer was running (rule G2).
      if (this.remainingMs > 0) {
        // A timer for the rest of a pause may fire a fraction of a millisecond early: nobody needs to hear of that.
        if (delayMs === heartbeatMs) this.#options.onBeat();
        this.#arm();
      } else {
        this.#end();
      }
    });
    this.#timer.hold(this.#isAwaited);
  }

  #end(at = this.#options.clock.monotonic()): void {
    const pausedMs = at - this.#since;
    this.#spentMs += pausedMs;
    this.#until = undefined;
    this.#timer = undefined;
    this.#options.onEnd(pausedMs);
  }

  /** Rounded up: who comes back at that time must not find the gate closed. */
  #toDate(monotonic: number): Date {
    const { clock } = this.#options;
    return new Date(Math.min(Math.ceil(clock.now() + monotonic - clock.monotonic()), latestDateMs));
  }
}

/** Two clocks that are read one after the other differ by a millisecond now and then; a calendar that was set, by more. */
function steady(told: Date | undefined, date: Date): Date {
  return told !== undefined && Math.abs(told.getTime() - date.getTime()) <= 2 ? told : date;
}
