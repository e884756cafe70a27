import type { Timer } from '../../internal/index.js';
import type { IncomingBody } from '../http/incoming-body.js';
import type { Gate } from './gate.js';
import { mayExceedWaitLimits, type WaitLimits } from './wait-limits.js';
import {
  type GateLane,
  goesBefore,
  loginPriority,
  type Permit,
  type PermitOutcome,
  type Waiter,
  WaitQueue,
} from './wait-queue.js';

export interface LaneOptions extends Pick<GateLane, 'emit' | 'concurrency'> {
  limits: WaitLimits;
}

/**
 * If all places are taken by bodies that nobody has read for so long, their readers may be waiting for the call that is next
 * (rule G9). A reader that is slow reads now and then: for those, waiting keeps the number of open bodies bounded.
 */
const unreadMs = 1000;

/** One client's access to a gate: its waiting calls and its requests in flight. */
export class Lane implements GateLane {
  readonly gate: Gate;
  readonly emit: GateLane['emit'];
  readonly concurrency: number;
  readonly #limits: WaitLimits;
  readonly #queue: WaitQueue;
  readonly #pausedBefore: number;
  #closedBy: (() => Error) | undefined;
  /** Requests and bodies that arrive while they are read. */
  inFlight = 0;
  /** Of these, the bodies that wait for their readers. */
  #unread = 0;
  /** Whether all have been such bodies for {@link unreadMs}. */
  #isStuck = false;
  #stuckTimer: Timer | undefined;

  constructor(gate: Gate, options: LaneOptions) {
    this.gate = gate;
    this.emit = options.emit;
    this.concurrency = options.concurrency;
    this.#limits = options.limits;
    this.#queue = new WaitQueue(() => gate.holdTimers());
    gate.add(this);
    this.#pausedBefore = gate.pause.totalMs;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Milliseconds paused since this client joined the gate. */
  get pausedMs(): number {
    return this.gate.pause.totalMs - this.#pausedBefore;
  }

  get hasRoom(): boolean {
    return this.inFlight < this.concurrency || (this.#isStuck && this.inFlight === this.#unread);
  }

  get hasNext(): boolean {
    return this.#queue.size > 0 && (this.hasRoom || this.isLoginNext);
  }

  get isLoginNext(): boolean {
    return this.#queue.first?.priority === loginPriority;
  }

  goesBefore(other: Lane): boolean {
    return goesBefore(this.#queue.first as Waiter, other.#queue.first as Waiter);
  }

  /**
   * @returns the permit, the one that the waiter was given if that is still current; or, if it has to wait, a promise
   * that resolves once `waiter.permit` is set.
   * @throws (or rejects with) the signal's reason, the waiter's own error, or the error given to {@link close}.
   */
  acquire(waiter: Waiter): Permit | Promise<void> {
    const { permit: granted } = waiter;
    // Taken here alone: while a waiter gets into line, a pause may end and the gate set its permit already.
    waiter.permit = undefined;
    if (granted !== undefined) {
      if (this.isCurrent(granted)) return granted;
      this.release(granted, 'unsent');
    }
    if (this.#closedBy) throw this.#closedBy();
    if (waiter.signal?.aborted) throw waiter.signal.reason;
    waiter.order ??= this.gate.lanes.takeOrder();
    const isLogin = waiter.priority === loginPriority;
    if (isLogin || this.gate.lanes.waiting === 0) {
      const permit = this.gate.admit(this, isLogin);
      if (permit !== undefined) return permit;
    }
    const error = this.gate.pause.on ? waiter.waitLimitError() : undefined;
    if (error) throw error;
    const waiting = this.#queue.wait(waiter);
    this.gate.pump();
    return waiting;
  }

  /** As {@link Gate.isCurrent}; nothing starts once the client has closed. */
  isCurrent(permit: Permit): boolean {
    return this.#closedBy === undefined && this.gate.isCurrent(permit);
  }

  /** Lets another have the permit that a waiter was given and has not taken. */
  giveBack(waiter: Waiter): void {
    const { permit } = waiter;
    waiter.permit = undefined;
    if (permit !== undefined) this.release(permit, 'unsent');
  }

  release(permit: Permit, outcome: PermitOutcome): void {
    this.gate.release(this, permit, outcome);
  }

  releaseLimited(permit: Permit, waitMs: number | undefined, status?: number): void {
    this.gate.releaseLimited(this, permit, waitMs, status);
  }

  /** A body that is still arriving counts against `concurrency` until it ends. */
  countUntilEnd(body: IncomingBody): void {
    this.inFlight++;
    body.onUnread((isUnread) => {
      this.#unread += isUnread ? 1 : -1;
      this.#isStuck = false;
      this.#stopStuckTimer();
      if (isUnread) this.gate.pump();
    });
    body.onEnd(() => {
      this.inFlight--;
      this.gate.pump();
    });
  }

  watchUnread(): void {
    const mayBeStuck = this.waiting > 0 && !this.hasRoom && this.inFlight === this.#unread;
    if (!mayBeStuck || this.#stuckTimer !== undefined) return;
    this.#stuckTimer = this.gate.clock.setTimer(unreadMs, () => {
      this.#stuckTimer = undefined;
      this.#isStuck = true;
      this.gate.pump();
    });
  }

  grantNext(permit: Permit): void {
    this.#queue.next(permit);
  }

  rejectLongWaits(): void {
    // Only if one of the waiting calls could refuse to wait that long are they all asked.
    if (!mayExceedWaitLimits(this.gate.pause.askedMs, this.#limits)) return;
    this.#queue.rejectWhere((waiter) => waiter.waitLimitError());
  }

  /** Rejects every waiting call, and every call that comes later. */
  close(error: () => Error): void {
    this.#closedBy = error;
    this.#stopStuckTimer();
    this.#queue.rejectWhere(error);
    this.gate.remove(this);
  }

  #stopStuckTimer(): void {
    this.#stuckTimer?.cancel();
    this.#stuckTimer = undefined;
  }
}
