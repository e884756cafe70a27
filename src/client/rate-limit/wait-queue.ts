import { follow } from '../../internal/index.js';

/** The right to have one request in flight. Its holder releases it and says what came of the request. */
export interface Permit {
  /** Which opening of the gate granted it. */
  readonly epoch: number;
  readonly isLogin: boolean;
  /** On the gate's monotonic clock. */
  readonly startedAt: number;
}

/** The priority of logins, above any other. They may also exceed `concurrency`, because all calls wait for them. */
export const loginPriority = Number.POSITIVE_INFINITY;

/** A call or login that needs a permit. One that comes back after a limit keeps its place in line. */
export interface Waiter {
  readonly signal?: AbortSignal | undefined;
  /** Higher goes first; equal priorities are served in order of arrival. */
  readonly priority: number;
  /** Its place in line, set on its first arrival, whether it has to wait or not. */
  order?: number | undefined;
  /** Set when its turn comes. */
  permit?: Permit | undefined;
  /** Called when a limit makes it wait `remainingMs`; an error rejects it instead (rule W7). */
  waitLimitError?(remainingMs: number, resumeAt: Date): Error | undefined;
}

/**
 * A fair queue: by priority, then by arrival. A binary heap, so that joining, leaving from the middle and serving the
 * next one each cost O(log n), with one small object per waiter: there may be a hundred thousand.
 */
export class WaitQueue {
  readonly #heap: Entry[] = [];
  readonly #onAborted: () => void;

  /** @param onAborted called after a waiter has left because of its signal. */
  constructor(onAborted: () => void) {
    this.#onAborted = onAborted;
  }

  get size(): number {
    return this.#heap.length;
  }

  get first(): Waiter | undefined {
    return this.#heap[0]?.waiter;
  }

  /**
   * Resolves once `waiter.permit` is set.
   * @throws (rejects with) the signal's reason or the error of {@link rejectWhere}.
   */
  wait(waiter: Waiter): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry: Entry = { waiter, resolve, reject, index: 0, leave: undefined };
      this.#place(entry, this.#heap.length);
      this.#rise(entry);
      if (waiter.signal === undefined) return;
      entry.leave = follow([waiter.signal], (reason) => {
        this.#remove(entry);
        reject(reason);
        this.#onAborted();
      });
    });
  }

  next(permit: Permit): void {
    const entry = this.#heap[0] as Entry;
    this.#remove(entry);
    entry.waiter.permit = permit;
    entry.resolve();
  }

  /** Rejects every waiter for which `errorOf` returns an error; calls it for each, so it costs O(n). */
  rejectWhere(errorOf: (waiter: Waiter) => Error | undefined): void {
    for (const entry of [...this.#heap]) {
      const error = errorOf(entry.waiter);
      if (error === undefined) continue;
      this.#remove(entry);
      entry.reject(error);
    }
  }

  #remove(entry: Entry): void {
    entry.leave?.();
    const last = this.#heap.pop() as Entry;
    if (last === entry) return;
    this.#place(last, entry.index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1] as Entry;
      if (!goesBefore(entry.waiter, parent.waiter)) return;
      const { index } = parent;
      this.#place(parent, entry.index);
      this.#place(entry, index);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child = right !== undefined && goesBefore(right.waiter, (left as Entry).waiter) ? right : left;
      if (child === undefined || !goesBefore(child.waiter, entry.waiter)) return;
      const { index } = child;
      this.#place(child, entry.index);
      this.#place(entry, index);
    }
  }

  #place(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }
}

interface Entry {
  readonly waiter: Waiter;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  index: number;
  /** Ends the wait for the signal. */
  leave: (() => void) | undefined;
}

export function goesBefore(a: Waiter, b: Waiter): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return (a.order as number) < (b.order as number);
}
