import type { Emit } from '../events.js';
import type { Incoming } from '../http/incoming.js';
import type { Gate } from './gate.js';
import type { Permit } from './permit.js';
import type { Announcement } from './quota/announced.js';
import type { Passage } from './quota/quota.js';
import type { Visitor } from './visitors.js';
import { isBefore, loginPriority, type Waiter, WaitQueue } from './wait-queue.js';

export interface LaneOptions {
  emit: Emit;
  /** The most requests of this client in flight. */
  concurrency: number;
  /** Whether any of its calls could refuse to wait that long: only then all of them are asked. */
  mayRefuse(remainingMs: number): boolean;
}

/** One client's way to a gate: its calls that wait, and what it has in flight. */
export class Lane implements Visitor {
  readonly gate: Gate;
  readonly emit: Emit;
  readonly concurrency: number;
  readonly #mayRefuse: LaneOptions['mayRefuse'];
  readonly #queue: WaitQueue;
  readonly #pausedBefore: number;
  #closedBy: (() => Error) | undefined;
  inFlight = 0;

  constructor(gate: Gate, options: LaneOptions) {
    this.gate = gate;
    this.emit = options.emit;
    this.concurrency = options.concurrency;
    this.#mayRefuse = options.mayRefuse;
    this.#queue = new WaitQueue(() => gate.holdTimers());
    gate.join(this);
    this.#pausedBefore = gate.pause.totalMs;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Milliseconds paused since this client came. */
  get pausedMs(): number {
    return this.gate.pause.totalMs - this.#pausedBefore;
  }

  get hasRoom(): boolean {
    return this.inFlight < this.concurrency;
  }

  get hasNext(): boolean {
    return this.#queue.size > 0 && (this.hasRoom || this.isLoginNext);
  }

  get isLoginNext(): boolean {
    return this.#queue.first?.priority === loginPriority;
  }

  goesBefore(other: Lane): boolean {
    return isBefore(this.#queue.first as Waiter, other.#queue.first as Waiter);
  }

  /**
   * @returns the permit; or, where the waiter has to wait, a promise: when it resolves, `waiter.permit` is there.
   * @throws (or rejects with) the signal's reason, the waiter's refusal, or the error given to {@link close}.
   */
  enter(waiter: Waiter): Permit | Promise<void> {
    if (this.#closedBy) throw this.#closedBy();
    if (waiter.signal?.aborted) throw waiter.signal.reason;
    waiter.order ??= this.gate.visitors.nextPlace();
    const isLogin = waiter.priority === loginPriority;
    if (isLogin || !this.gate.visitors.isAnyWaiting) {
      const permit = this.gate.admit(this, isLogin);
      if (permit !== undefined) return permit;
    }
    const { pause } = this.gate;
    const refusal = pause.on ? waiter.refusal?.(pause.askedMs, pause.resumeAt as Date) : undefined;
    if (refusal) throw refusal;
    const waiting = this.#queue.wait(waiter);
    this.gate.pump();
    return waiting;
  }

  /** Whether a request with this permit may still be started: no limit was met since (rule G1). */
  isCurrent(permit: Permit): boolean {
    return this.#closedBy === undefined && this.gate.isCurrent(permit);
  }

  /** A body that is still arriving keeps a place of `concurrency` until it is over. */
  carry(incoming: Incoming): void {
    this.inFlight++;
    incoming.whenOver(() => {
      this.inFlight--;
      this.gate.pump();
    });
  }

  leave(permit: Permit, passage: Passage): void {
    this.gate.leave(this, permit, passage);
  }

  limited(permit: Permit, waitMs: number | undefined): void {
    this.gate.limited(this, permit, waitMs);
  }

  announce(permit: Permit, announcement: Announcement, isBinding: boolean): void {
    this.gate.announce(permit, announcement, isBinding);
  }

  serve(permit: Permit): void {
    this.#queue.next(permit);
  }

  refuse(): void {
    const { askedMs, resumeAt } = this.gate.pause;
    if (!this.#mayRefuse(askedMs)) return;
    this.#queue.rejectWhere((waiter) => waiter.refusal?.(askedMs, resumeAt as Date));
  }

  /** Rejects everybody who waits, and everybody who comes later. */
  close(error: () => Error): void {
    this.#closedBy = error;
    this.#queue.rejectWhere(error);
    this.gate.part(this);
  }
}
