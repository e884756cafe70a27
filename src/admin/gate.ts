/** Lets a few tasks run at a time and a bounded number wait, in the order they came. */
export interface Gate {
  /** `undefined` when too many wait already: the task was not run. */
  run<T>(task: () => Promise<T>): Promise<T> | undefined;
}

export function createGate({ atOnce, waiting }: { atOnce: number; waiting: number }): Gate {
  let running = 0;
  const queue: (() => void)[] = [];
  const enter = (): Promise<void> | undefined => {
    if (running >= atOnce) return new Promise((resolve) => queue.push(resolve));
    running += 1;
    return undefined;
  };
  // The place is handed on, not given up, so that nobody slips in between.
  const leave = () => {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return {
    run(task) {
      if (running >= atOnce && queue.length >= waiting) return undefined;
      const entered = enter();
      return (async () => {
        await entered;
        try {
          return await task();
        } finally {
          leave();
        }
      })();
    },
  };
}
