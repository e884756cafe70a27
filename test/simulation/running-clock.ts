import type { Clock } from 'concordat/client';

/** How much passes between two readings: less than any rule can tell apart. */
const stepMs = 1e-8;

/** A clock that does not stand still while the client works: no two readings are the same, as on a real machine. */
export function runningClock(clock: Clock): Clock {
  let last = Number.NEGATIVE_INFINITY;
  return {
    now: () => clock.now(),
    monotonic() {
      last = Math.max(last + stepMs, clock.monotonic());
      return last;
    },
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
  };
}
