import type { Permit } from './permit.js';

/** The priority of logins, above any number: they also go beyond `concurrency`, since everybody else waits for them. */
export const loginPriority = Number.POSITIVE_INFINITY;

/** Somebody who waits for a turn. A call that comes back after a limit keeps its place in the line. */
export interface Waiter {
  readonly signal?: AbortSignal | undefined;
  /** Higher goes first; within one priority it is first come, first served. */
  readonly priority: number;
  /** Its place in the line: set when it comes for the first time, whether it has to wait or not. */
  order?: number | undefined;
  /** Set when its turn has come. */
  permit?: Permit | undefined;
  /** Asked when a limit makes the waiter wait `remainingMs`: an error refuses the wait (rule W7). */
  refusal?(remainingMs: number, resumeAt: Date): Error | undefined;
}

/**
 * A fair queue: by priority, then by who came first. A binary heap, so that entering, leaving in the middle and the next in
 * line all cost O(log n), and one small object for each waiter: there may be a hundred thousand.
 */
export class WaitQueue {
  readonly #heap: Entry[] = [];
  /** The latest waiter of each signal: thousands may share one, and a listener for each would cost O(n) to take away. */
  readonly #bySignal = new Map<AbortSignal, Entry>();
  readonly #onGone: () => void;

  /** @param onGone called when a waiter left before its turn, because of its signal. */
  constructor(onGone: () => void) {
    this.#onGone = onGone;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Who is next. */
  get first(): Waiter | undefined {
    return this.#heap[0]?.waiter;
  }

  /** Resolves when `waiter.permit` is there. @throws (rejects with) the signal's reason, or what it was rejected with. */
  wait(waiter: Waiter): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = new Entry(waiter, resolve, reject);
      this.#place(entry, this.#heap.length);
      this.#rise(entry);
      if (waiter.signal !== undefined) this.#listen(waiter.signal, entry);
    });
  }

  /** Serves the next in line. */
  next(permit: Permit): void {
    const entry = this.#heap[0] as Entry;
    this.#take(entry);
    entry.waiter.permit = permit;
    entry.resolve();
  }

  /** Rejects everybody for whom `judge` has an error; asks each of them, so it costs O(n). */
  rejectWhere(judge: (waiter: Waiter) => Error | undefined): void {
    for (const entry of [...this.#heap]) {
      const error = judge(entry.waiter);
      if (error === undefined) continue;
      this.#take(entry);
      entry.reject(error);
    }
  }

  readonly #onAbort = (event: Event): void => {
    const signal = event.target as AbortSignal;
    // The latest comes first: turned round, so that they end in the order in which they came.
    const leaving: Entry[] = [];
    for (let entry = this.#bySignal.get(signal); entry !== undefined; entry = entry.earlier) leaving.push(entry);
    for (const entry of leaving.reverse()) {
      this.#take(entry);
      entry.reject(signal.reason);
    }
    this.#onGone();
  };

  #listen(signal: AbortSignal, entry: Entry): void {
    entry.earlier = this.#bySignal.get(signal);
    if (entry.earlier === undefined) signal.addEventListener('abort', this.#onAbort, { once: true });
    else entry.earlier.later = entry;
    this.#bySignal.set(signal, entry);
  }

  #stopListening(signal: AbortSignal, { earlier, later }: Entry): void {
    if (earlier !== undefined) earlier.later = later;
    if (later !== undefined) {
      later.earlier = earlier;
    } else if (earlier !== undefined) {
      this.#bySignal.set(signal, earlier);
    } else {
      this.#bySignal.delete(signal);
      signal.removeEventListener('abort', this.#onAbort);
    }
  }

  #take(entry: Entry): void {
    if (entry.waiter.signal !== undefined) this.#stopListening(entry.waiter.signal, entry);
    const last = this.#heap.pop() as Entry;
    if (last === entry) return;
    this.#place(last, entry.index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1] as Entry;
      if (!isBefore(entry.waiter, parent.waiter)) return;
      const { index } = parent;
      this.#place(parent, entry.index);
      this.#place(entry, index);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child = right !== undefined && isBefore(right.waiter, (left as Entry).waiter) ? right : left;
      if (child === undefined || !isBefore(child.waiter, entry.waiter)) return;
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

class Entry {
  readonly waiter: Waiter;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  index = 0;
  /** Those with the same signal. */
  earlier: Entry | undefined;
  later: Entry | undefined;

  constructor(waiter: Waiter, resolve: () => void, reject: (error: unknown) => void) {
    this.waiter = waiter;
    this.resolve = resolve;
    this.reject = reject;
  }
}

export function isBefore(one: Waiter, other: Waiter): boolean {
  if (one.priority !== other.priority) return one.priority > other.priority;
  return (one.order as number) < (other.order as number);
}
