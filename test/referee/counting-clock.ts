import type { Clock, Timer } from '../../src/client/index.js';

/** The machine's time, with a count of the timers that are set: what rules G4 and G9 speak of can be seen. */
export class CountingClock implements Clock {
  readonly #timers = new Set<NodeJS.Timeout>();

  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const due = performance.now() + delayMs;
    let handle: NodeJS.Timeout;
    let held = true;
    const arm = (leftMs: number) => {
      handle = setTimeout(
        () => {
          this.#timers.delete(handle);
          const restMs = due - performance.now();
          if (restMs > 0) arm(restMs);
          else callback();
        },
        Math.min(leftMs, 2 ** 31 - 1),
      );
      this.#timers.add(handle);
      if (!held) handle.unref();
    };
    arm(delayMs);
    return {
      cancel: () => {
        clearTimeout(handle);
        this.#timers.delete(handle);
      },
      hold: (keepsProcessAlive: boolean) => {
        held = keepsProcessAlive;
        if (keepsProcessAlive) handle.ref();
        else handle.unref();
      },
    };
  }
}
