export type SourceKind = 'known' | 'unknown';

interface Waiter {
  enter(): void;
  refuse(reason: Error): void;
}

/** By source; the first one is next. No queue is empty. */
type Lines = Map<string, Waiter[]>;

/**
 * Runs a few tasks at a time. The others wait in a queue for each source, and the queues take turns: a source with a
 * thousand requests delays the others by one task at a time.
 *
 * @param options.waiting how many of each kind of source may wait
 */
export function createSemaphore(options: { atOnce: number; waiting: number; refusal: () => Error }) {
  const linesOf: Record<SourceKind, Lines> = { known: new Map(), unknown: new Map() };
  const turns = Object.values(linesOf);
  let running = 0;

  const place = (lines: Lines, source: string, waiter: Waiter) => {
    const line = lines.get(source) ?? [];
    let taken = 0;
    let longest = line;
    for (const other of lines.values()) {
      taken += other.length;
      if (other.length > longest.length) longest = other;
    }
    if (taken >= options.waiting) {
      // The longest queue gives up its last place, unless that would only make this one the longest.
      if (longest.length <= line.length + 1) return waiter.refuse(options.refusal());
      longest.pop()?.refuse(options.refusal());
    }
    line.push(waiter);
    lines.set(source, line);
  };

  const next = (): Waiter | undefined => {
    turns.reverse();
    for (const lines of turns) {
      for (const [source, line] of lines) {
        lines.delete(source);
        const waiter = line.shift();
        if (line.length > 0) lines.set(source, line);
        return waiter;
      }
    }
    return undefined;
  };

  return {
    /**
     * @param source whose queue to wait in
     * @param kind every other turn is kept for `known` sources; each kind has its own places
     * @throws the error from `refusal`, when all places are taken
     */
    async run<T>(source: string, kind: SourceKind, task: () => Promise<T>): Promise<T> {
      if (running < options.atOnce) running += 1;
      else await new Promise<void>((enter, refuse) => place(linesOf[kind], source, { enter, refuse }));
      try {
        return await task();
      } finally {
        // The place is handed on, so that no new task slips in between.
        const waiter = next();
        if (waiter === undefined) running -= 1;
        else waiter.enter();
      }
    },
  };
}
