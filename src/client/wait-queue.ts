export interface Waiter {
  signal?: AbortSignal | undefined;
  priority: boolean;
  refuse?: ((remainingMs: number, resumeAt: Date) => Error | undefined) | undefined;
  /** Called when the waiter left before its turn. */
  onGone(): void;
}

interface Entry<T> extends Waiter {
  resolve(value: T): void;
  reject(error: unknown): void;
  detach(): void;
}

/** First come, first served, but for those with priority. An abort takes its waiter out at once (rule G4). */
export class WaitQueue<T> {
  // Sets keep insertion order, and a waiter in the middle leaves in constant time.
  readonly #ordinary = new Set<Entry<T>>();
  readonly #priority = new Set<Entry<T>>();

  get size(): number {
    return this.#ordinary.size + this.#priority.size;
  }

  get nextHasPriority(): boolean {
    return this.#priority.size > 0;
  }

  wait(waiter: Waiter): Promise<T> {
    return new Promise((resolve, reject) => {
      const { signal } = waiter;
      const entry: Entry<T> = {
        ...waiter,
        resolve,
        reject,
        detach: () => signal?.removeEventListener('abort', onAbort),
      };
      const onAbort = () => {
        this.#take(entry);
        reject(signal?.reason);
        waiter.onGone();
      };
      (waiter.priority ? this.#priority : this.#ordinary).add(entry);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Serves the next in line. */
  next(value: T): void {
    const [entry] = this.#priority.size > 0 ? this.#priority : this.#ordinary;
    if (entry === undefined) return;
    this.#take(entry);
    entry.resolve(value);
  }

  /** Rejects everybody for whom `judge` has an error. */
  rejectWhere(judge: (waiter: Waiter) => Error | undefined): void {
    for (const entry of [...this.#priority, ...this.#ordinary]) {
      const error = judge(entry);
      if (error === undefined) continue;
      this.#take(entry);
      entry.reject(error);
    }
  }

  rejectAll(error: () => Error): void {
    this.rejectWhere(error);
  }

  #take(entry: Entry<T>): void {
    this.#ordinary.delete(entry);
    this.#priority.delete(entry);
    entry.detach();
  }
}
