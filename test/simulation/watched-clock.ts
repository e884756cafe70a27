import type { Clock } from 'concordat/client';

/**
 * A clock that tells before it fires a timer: what was to happen before that has happened by then.
 *
 * @param onMove is given the time up to which all has happened.
 */
export function watchedClock(clock: Clock, onMove: (at: number) => void): Clock {
  let at = clock.monotonic();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimer: (delayMs, callback) =>
      clock.setTimer(delayMs, () => {
        onMove(at);
        at = clock.monotonic();
        callback();
      }),
  };
}
