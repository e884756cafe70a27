import { follow } from '../../internal/index.js';
import type { ClientEvents, Emit } from '../events.js';

/** The right to have one request in flight. Its holder releases it and says what came of the request. */
export interface Permit {
  /** Which opening of the gate granted it. */
  readonly epoch: number;
  readonly isLogin: boolean;
  /** Whether it was granted though its client had `concurrency` requests in flight: to a login, or to get on (rule G9). */
  readonly isBeyond: boolean;
  /** On the gate's monotonic clock. */
  readonly startedAt: number;
}

/** What a request says about the limit: it passed, it says nothing (no response, or a 401), or it was never sent. */
export type PermitOutcome = 'passed' | 'unknown' | 'unsent';

/** The priority of logins, above any other. They may also exceed `concurrency`, because all calls wait for them. */
export const loginPriority = Number.POSITIVE_INFINITY;

/** A call or login that needs a permit. One that comes back after a limit keeps its place in line. */
export abstract class Waiter {
  abstract readonly signal: AbortSignal | undefined;
  /** Higher goes first; equal priorities are served in order of arrival. */
  abstract readonly priority: number;
  /** Its place in line, set on its first arrival, whether it has to wait or not. */
  order: number | undefined;
  /** Set when its turn comes. */
  permit: Permit | undefined;
  /** Set by the queue that it waits in: its place there, and how to end the wait. */
  index = 0;
  settle: ((rejection?: Promise<never>) => void) | undefined;

  /** Called when a pause makes it wait; an error rejects it instead (rule W7). */
  abstract waitLimitError(): Error | undefined;
}

/**
 * A fair queue: by priority, then by arrival. A binary heap, so that joining, leaving from the middle and serving the
 * next one each cost O(log n). A hundred thousand may wait, so they are their own entries,
 * and no wait keeps a second function to reject it.
 */
export class WaitQueue {
  readonly #heap: Waiter[] = [];
  readonly #onAborted: () => void;

  /** @param onAborted called after a waiter has left because of its signal. */
  constructor(onAborted: () => void) {
    this.#onAborted = onAborted;
  }

  get size(): number {
    return this.#heap.length;
  }

  get first(): Waiter | undefined {
    return this.#heap[0];
  }

  /**
   * Resolves once `waiter.permit` is set.
   * @throws (rejects with) the signal's reason or the error of {@link rejectWhere}.
   */
  wait(waiter: Waiter): Promise<void> {
    return new Promise((resolve) => {
      waiter.settle = resolve;
      this.#place(waiter, this.#heap.length);
      this.#rise(waiter);
      if (waiter.signal === undefined) return;
      const leave = follow([waiter.signal], (reason) => {
        this.#end(waiter, Promise.reject(reason));
        this.#onAborted();
      });
      waiter.settle = (rejection) => {
        leave();
        resolve(rejection);
      };
    });
  }

  next(permit: Permit): void {
    const waiter = this.#heap[0] as Waiter;
    waiter.permit = permit;
    this.#end(waiter);
  }

  /** Rejects every waiter for which `errorOf` returns an error; calls it for each, so it costs O(n). */
  rejectWhere(errorOf: (waiter: Waiter) => Error | undefined): void {
    for (const waiter of [...this.#heap]) {
      const error = errorOf(waiter);
      if (error !== undefined) this.#end(waiter, Promise.reject(error));
    }
  }

  #end(waiter: Waiter, rejection?: Promise<never>): void {
    this.#remove(waiter);
    waiter.settle?.(rejection);
    waiter.settle = undefined;
  }

  #remove(waiter: Waiter): void {
    const last = this.#heap.pop() as Waiter;
    if (last === waiter) return;
    this.#place(last, waiter.index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(waiter: Waiter): void {
    while (waiter.index > 0) {
      const parent = this.#heap[(waiter.index - 1) >> 1] as Waiter;
      if (!goesBefore(waiter, parent)) return;
      const { index } = parent;
      this.#place(parent, waiter.index);
      this.#place(waiter, index);
    }
  }

  #sink(waiter: Waiter): void {
    for (;;) {
      const left = this.#heap[2 * waiter.index + 1];
      const right = this.#heap[2 * waiter.index + 2];
      const child = right !== undefined && goesBefore(right, left as Waiter) ? right : left;
      if (child === undefined || !goesBefore(child, waiter)) return;
      const { index } = child;
      this.#place(child, waiter.index);
      this.#place(waiter, index);
    }
  }

  #place(waiter: Waiter, index: number): void {
    this.#heap[index] = waiter;
    waiter.index = index;
  }
}

export function goesBefore(a: Waiter, b: Waiter): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return (a.order as number) < (b.order as number);
}

/** What a gate sees of one client: its waiting calls and its requests in flight. */
export interface GateLane {
  readonly emit: Emit;
  /** The most requests this client has in flight. */
  readonly concurrency: number;
  inFlight: number;
  readonly waiting: number;
  /** Whether `concurrency` allows one more request. */
  readonly hasRoom: boolean;
  /** Whether a call waits that the client itself would let go. */
  readonly hasNext: boolean;
  readonly isLoginNext: boolean;
  /** Whether this client's next call goes before the other's. */
  goesBefore(other: GateLane): boolean;
  grantNext(permit: Permit): void;
  /** Calls are left waiting: makes sure that they go on even if it is for readers that wait for them (rule G9). */
  watchUnread(): void;
  /** A pause has begun or grown: rejects the calls that do not wait that long (rule W7). */
  rejectLongWaits(): void;
}

/** The clients that share a gate. */
export class Lanes extends Set<GateLane> {
  #nextOrder = 0;

  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this) sum += waiting;
    return sum;
  }

  /** The most requests in flight, summed over all clients. */
  get concurrency(): number {
    let sum = 0;
    for (const { concurrency } of this) sum += concurrency;
    return sum;
  }

  /** The client whose next call goes first, among those with room for one more request. */
  get next(): GateLane | undefined {
    let next: GateLane | undefined;
    for (const lane of this) {
      if (lane.hasNext && (next === undefined || lane.goesBefore(next))) next = lane;
    }
    return next;
  }

  /** A place in line. A call keeps its place however often it comes back. */
  takeOrder(): number {
    return this.#nextOrder++;
  }

  emit<Name extends keyof ClientEvents>(name: Name, event: ClientEvents[Name]): void {
    for (const lane of [...this]) lane.emit(name, event);
  }
}
