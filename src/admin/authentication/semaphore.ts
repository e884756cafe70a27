/**
 * Lets a few tasks run at a time. The others wait in line, one line for each source, and the lines take turns: whoever sends
 * a thousand requests delays nobody else by more than one of them at a time.
 */
export interface Semaphore {
  /**
   * @param source whose line to wait in
   * @param lane every other turn is kept for `known`, who share it with nobody else; either lane has places of its own
   * @throws what `refusal` makes, when all places are taken
   */
  run<T>(source: string, lane: Lane, task: () => Promise<T>): Promise<T>;
}

export type Lane = 'known' | 'unknown';

interface Waiter {
  enter(): void;
  refuse(reason: Error): void;
}

/** By source; the first one's turn is next. No line is empty. */
type Lines = Map<string, Waiter[]>;

/** @param waiting how many may wait in each lane */
export function createSemaphore(options: { atOnce: number; waiting: number; refusal: () => Error }): Semaphore {
  const lanes: Record<Lane, Lines> = { known: new Map(), unknown: new Map() };
  const turns = Object.values(lanes);
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
      // The longest line gives up its last place, unless that would only pass the length on.
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
    async run(source, lane, task) {
      if (running < options.atOnce) running += 1;
      else await new Promise<void>((enter, refuse) => place(lanes[lane], source, { enter, refuse }));
      try {
        return await task();
      } finally {
        // The place is handed on, not given up, so that nobody slips in between.
        const waiter = next();
        if (waiter === undefined) running -= 1;
        else waiter.enter();
      }
    },
  };
}
