import type { Clock } from 'concordat/client';

/** A real clock runs while a process works: no two readings are the same. */
const stepMs = 1e-6;

interface Event {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Virtual time for very many workers: a heap of events, run in order, with promises settled between two of them. */
export class Time {
  readonly #heap: Event[] = [];
  #order = 0;
  #now = 0;

  get now(): number {
    return this.#now;
  }

  /** The clock of a process. Its calendar may differ from that of the others, and its timers may be late. */
  clock(offsetMs = 0, lateMs = () => 0): Clock {
    let last = 0;
    return {
      now: () => 1_700_000_000_000 + offsetMs + this.#now,
      monotonic: () => (last = Math.max(last + stepMs, this.#now)),
      setTimer: (delayMs, callback) => {
        const event = this.after(Math.max(0, delayMs) + lateMs(), callback);
        return { cancel: () => (event.run = undefined), hold: () => {} };
      },
    };
  }

  after(delayMs: number, run: () => void): Event {
    const event = { at: this.#now + Math.max(0, delayMs), order: this.#order++, run };
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0 && isBefore(event, heap[(index - 1) >> 1] as Event)) {
      heap[index] = heap[(index - 1) >> 1] as Event;
      index = (index - 1) >> 1;
    }
    heap[index] = event;
    return event;
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  async runUntil(end: number): Promise<void> {
    for (let first = this.#heap[0]; first !== undefined && first.at <= end; first = this.#heap[0]) {
      this.#now = first.at;
      while (this.#heap[0]?.at === this.#now) this.#pop().run?.();
      await new Promise(setImmediate); // promises go as far as they can
    }
    this.#now = end;
  }

  #pop(): Event {
    const heap = this.#heap;
    const first = heap[0] as Event;
    const last = heap.pop() as Event;
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
      if (isBefore(last, heap[child] as Event)) break;
      heap[index] = heap[child] as Event;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}
