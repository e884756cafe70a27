import type { Clock, Timer } from '../internal/index.js';
import type { Emit } from './events.js';
import { WaitQueue } from './wait-queue.js';

export interface GateOptions {
  clock: Clock;
  emit: Emit;
  /** `''` where the connection has only one. */
  scope: string;
  /** The most requests in flight. */
  concurrency: number;
  /** Wait for a limit that does not say how long; doubles on repeats (rule W6). */
  fallbackWaitMs: number;
  /** The most that is added at random to the end of a pause; never more than a tenth of it. */
  jitterMs: number;
  /** Tells other processes of a pause that was met here. */
  onPause?: (pause: { scope: string; resumeAt: Date }) => void;
}

/** The right to have one request in flight. Give it back with {@link Gate.leave}. */
export interface Ticket {
  /** Which opening of the gate it belongs to. */
  readonly epoch: number;
}

/** What came of a request: an answer that was no limit, or nothing that says anything about the limit. */
export type Passage = 'passed' | 'unknown';

export interface EnterOptions {
  signal?: AbortSignal | undefined;
  /** Logins go first, and beyond `concurrency`: everybody else waits for them. */
  priority?: boolean;
  /** Asked when the caller would have to wait `remainingMs`: an error refuses the wait (rule W7). */
  refuse?: (remainingMs: number, resumeAt: Date) => Error | undefined;
}

const heartbeatMs = 10_000;
const longestFallbackMs = 15 * 60_000;

/**
 * The pause that all requests of a connection share (rules G1 to G4). Open, it lets `concurrency` requests through.
 * A limit closes it for everybody; afterwards one request goes first, and each that comes back without a limit lets two
 * more follow.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #queue = new WaitQueue<Ticket>();
  #inFlight = 0;
  #epochInFlight = 0;
  #epoch = 0;
  #allowed = Number.POSITIVE_INFINITY;
  /** On the monotonic clock; `undefined` while open. */
  #closedUntil: number | undefined;
  /** How long the connector asked to wait: without what was added at random. */
  #limitedUntil = 0;
  #closedSince = 0;
  #timer: Timer | undefined;
  #limitsInARow = 0;
  #fallbacksInARow = 0;
  #closedBy: (() => Error) | undefined;
  #pausedMs = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get paused(): boolean {
    return this.#closedUntil !== undefined;
  }

  get resumeAt(): Date | undefined {
    return this.#closedUntil === undefined ? undefined : this.#toDate(this.#closedUntil);
  }

  /** Milliseconds spent closed so far. */
  get pausedMs(): number {
    return this.#pausedMs + (this.paused ? this.#options.clock.monotonic() - this.#closedSince : 0);
  }

  /** Whether a request that entered with this ticket may still be started: no limit was met since (rule G1). */
  isCurrent(ticket: Ticket): boolean {
    return ticket.epoch === this.#epoch && this.#closedBy === undefined;
  }

  /** @throws (rejects with) the signal's reason, the error of `refuse`, or the one given to {@link shutDown}. */
  enter(options: EnterOptions = {}): Ticket | Promise<Ticket> {
    const { signal, priority = false, refuse } = options;
    if (this.#closedBy) throw this.#closedBy();
    if (signal?.aborted) throw signal.reason;
    if ((priority || this.#queue.size === 0) && this.#mayPass(priority)) return this.#admit();
    if (this.#closedUntil !== undefined) {
      const refusal = refuse?.(this.#askedMs(), this.resumeAt as Date);
      if (refusal) throw refusal;
    }
    const waiting = this.#queue.wait({ signal, priority, refuse, onGone: () => this.#holdTimer() });
    this.#holdTimer();
    return waiting;
  }

  /** Gives a ticket back. */
  leave(ticket: Ticket, passage: Passage): void {
    this.#inFlight--;
    if (ticket.epoch === this.#epoch) {
      this.#epochInFlight--;
      if (passage === 'passed') {
        this.#limitsInARow = 0;
        this.#fallbacksInARow = 0;
        this.#allowed = this.#allowed >= this.#options.concurrency ? Number.POSITIVE_INFINITY : this.#allowed + 1;
      }
    }
    this.#pump();
  }

  /** Gives a ticket back whose request met a limit; `waitMs` is missing where the answer does not say how long. */
  limited(ticket: Ticket, waitMs: number | undefined): void {
    this.#inFlight--;
    const sameLimit = ticket.epoch !== this.#epoch;
    if (!sameLimit) this.#epochInFlight--;
    this.#close(this.#chooseWait(waitMs, sameLimit), waitMs === undefined ? 'fallback' : 'header');
  }

  /** Closes the gate for a pause that another process has met. */
  pauseUntil(resumeAt: Date): void {
    const waitMs = resumeAt.getTime() - this.#options.clock.now();
    if (waitMs > 0) this.#close({ waitMs, totalMs: waitMs }, 'header', true);
  }

  /** Rejects everybody who waits, and everybody who comes later. */
  shutDown(error: () => Error): void {
    this.#closedBy = error;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#queue.rejectAll(error);
  }

  #chooseWait(waitMs: number | undefined, sameLimit: boolean): { waitMs: number; totalMs: number } {
    const { fallbackWaitMs, jitterMs } = this.#options;
    let chosen = waitMs;
    if (chosen === undefined) {
      const repeats = sameLimit ? Math.max(0, this.#fallbacksInARow - 1) : this.#fallbacksInARow++;
      chosen = Math.min(fallbackWaitMs * 2 ** Math.min(repeats, 30), Math.max(fallbackWaitMs, longestFallbackMs));
    }
    // A connector that says "now" and refuses again and again must not be asked in a tight loop.
    const repeats = sameLimit ? 0 : this.#limitsInARow++;
    const floorMs = repeats === 0 ? 0 : Math.min(10 * 2 ** (repeats - 1), 1000);
    const jitter = Math.random() * Math.min(jitterMs, chosen / 10);
    return { waitMs: chosen, totalMs: Math.max(chosen + jitter, floorMs) };
  }

  #close(
    { waitMs, totalMs }: { waitMs: number; totalMs: number },
    source: 'header' | 'fallback',
    remote = false,
  ): void {
    if (this.#closedBy) return;
    const { clock, emit, scope, onPause } = this.#options;
    const now = clock.monotonic();
    const until = now + totalMs;
    const before = this.#closedUntil;
    // Extended, never shortened (rule G2).
    this.#closedUntil = Math.max(before ?? 0, until);
    this.#limitedUntil = Math.max(this.#limitedUntil, now + waitMs);
    this.#refuseWaiters();
    if (before === undefined) {
      this.#epoch++;
      this.#epochInFlight = 0;
      this.#allowed = 1;
      this.#closedSince = now;
      this.#arm();
      emit('pause', {
        reason: 'rate-limit',
        waitMs,
        resumeAt: this.#toDate(this.#closedUntil),
        source,
        ...this.#named,
      });
    } else if (until - before > 1000) {
      this.#beat();
    }
    if (!remote && until > (before ?? 0)) onPause?.({ scope, resumeAt: this.#toDate(until) });
  }

  #mayPass(priority: boolean): boolean {
    if (this.#closedUntil !== undefined || this.#epochInFlight >= this.#allowed) return false;
    return priority || this.#inFlight < this.#options.concurrency;
  }

  #admit(): Ticket {
    this.#inFlight++;
    this.#epochInFlight++;
    return { epoch: this.#epoch };
  }

  #pump(): void {
    while (this.#queue.size > 0 && this.#mayPass(this.#queue.nextHasPriority)) this.#queue.next(this.#admit());
    this.#holdTimer();
  }

  #refuseWaiters(): void {
    const resumeAt = this.resumeAt as Date;
    this.#queue.rejectWhere((waiter) => waiter.refuse?.(this.#askedMs(), resumeAt));
  }

  #arm(): void {
    const delayMs = Math.min(this.#remainingMs(), heartbeatMs);
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      // Re-read: the deadline may have moved while this timer was running (rule G2).
      if (this.#remainingMs() > 0) {
        this.#beat();
        this.#arm();
      } else {
        this.#open();
      }
    });
    this.#holdTimer();
  }

  #open(): void {
    const pausedMs = this.#options.clock.monotonic() - this.#closedSince;
    this.#pausedMs += pausedMs;
    this.#closedUntil = undefined;
    this.#timer = undefined;
    this.#options.emit('resume', { pausedMs, ...this.#named });
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

  /** Events name their scope only where there are several. */
  get #named(): { scope?: string } {
    const { scope } = this.#options;
    return scope === '' ? {} : { scope };
  }

  /** A pause keeps the process alive only while somebody waits for its end (rule G4). */
  #holdTimer(): void {
    this.#timer?.hold(this.#queue.size > 0);
  }

  /** What is left of the wait that was asked for. */
  #askedMs(): number {
    return Math.max(0, this.#limitedUntil - this.#options.clock.monotonic());
  }

  #remainingMs(): number {
    return Math.max(0, (this.#closedUntil ?? 0) - this.#options.clock.monotonic());
  }

  #toDate(monotonic: number): Date {
    const { clock } = this.#options;
    return new Date(Math.min(clock.now() + monotonic - clock.monotonic(), 8.64e15));
  }
}
