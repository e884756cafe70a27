/** A timer that a {@link Clock} has set. */
export interface Timer {
  cancel(): void;
  /** Lets the process end although the timer is pending (`false`), or keeps it alive again (`true`). */
  hold(keepsProcessAlive: boolean): void;
}

/**
 * Where the client gets time from. `now` is what the calendar says and may jump; `monotonic` only moves forward and is
 * what every wait is measured with (rule G2).
 */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds since some fixed moment. */
  monotonic(): number;
  /** Calls back once, `delayMs` from now; any finite delay is fine, however long (rule W7). */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/** The latest time that a `Date` can hold, epoch milliseconds. */
export const latestDateMs = 8.64e15;

/** Beyond this, `setTimeout` fires at once instead of late. */
const longestTimeoutMs = 2 ** 31 - 1;

/** The machine's own clock. Long waits are chained from timers that `setTimeout` can hold. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    const due = performance.now() + delayMs;
    let held = true;
    let handle: ReturnType<typeof setTimeout> & { ref?(): void; unref?(): void };
    const arm = (remainingMs: number) => {
      handle = setTimeout(
        () => {
          // Timers may fire up to a millisecond early by the monotonic clock; a wait is never shortened (rule W7).
          const leftMs = due - performance.now();
          if (leftMs > 0) arm(leftMs);
          else callback();
        },
        Math.min(Math.ceil(Math.max(0, remainingMs)), longestTimeoutMs),
      );
      if (!held) handle.unref?.();
    };
    arm(delayMs);
    return {
      cancel: () => clearTimeout(handle),
      hold(keepsProcessAlive) {
        held = keepsProcessAlive;
        if (keepsProcessAlive) handle.ref?.();
        else handle.unref?.();
      },
    };
  },
};

/**
 * Waits on the given clock.
 *
 * @throws the signal's reason as soon as it aborts; no listener and no timer is left behind.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
