import type { Clock, Timer } from 'concordat/client';

/** A clock that knows which of the timers set through it are still there: those of the client, not of the model. */
export interface CountingClock extends Clock {
  readonly pending: number;
  readonly held: number;
  /** When the next of them is due, on the monotonic clock; `Infinity` when there is none. */
  readonly nextAt: number;
}

export function countingClock(clock: Clock): CountingClock {
  const timers = new Set<{ held: boolean; dueAt: number }>();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimer(delayMs, callback): Timer {
      const entry = { held: true, dueAt: clock.monotonic() + Math.max(0, delayMs) };
      timers.add(entry);
      const timer = clock.setTimer(delayMs, () => {
        timers.delete(entry);
        callback();
      });
      return {
        cancel() {
          timers.delete(entry);
          timer.cancel();
        },
        hold(keepsProcessAlive) {
          entry.held = keepsProcessAlive;
          timer.hold(keepsProcessAlive);
        },
      };
    },
    get pending() {
      return timers.size;
    },
    get held() {
      return [...timers].filter(({ held }) => held).length;
    },
    get nextAt() {
      return Math.min(...[...timers].map(({ dueAt }) => dueAt));
    },
  };
}
