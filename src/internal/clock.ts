/** A timer of a {@link Clock}. */
export interface Timer {
  cancel(): void;
  /** Whether the pending timer keeps the process alive. */
  hold(keepsProcessAlive: boolean): void;
}

/**
 * A source of time. `now` is the time of day and may jump; `monotonic` only moves forward and measures every wait (rule G2).
 */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds since some fixed moment. */
  monotonic(): number;
  /** Calls back once, `delayMs` from now. Any finite delay works, however long (rule W7). */
  setTimer(delayMs: number, callback: () => void): Timer;
  /** Numbers from 0 up to 1 for what is left to chance, such as jitter. @default Math.random */
  random?(): number;
}

export const randomOf = (clock: Pick<Clock, 'random'>): number => clock.random?.() ?? Math.random();

export const dayMs = 24 * 3_600_000;

/** The latest time that a `Date` can hold, epoch milliseconds. */
export const latestDateMs = 8.64e15;

/** With a longer delay `setTimeout` fires at once. */
const longestTimeoutMs = 2 ** 31 - 1;

/** The machine's clock. Chains timers for waits that are too long for `setTimeout`. */
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
          // Timers may fire up to a millisecond early, but no wait may be shortened (rule W7).
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

/** A timer for a timeout; one of `Infinity` needs none, and not every clock takes it. */
export function setTimeLimit(clock: Pick<Clock, 'setTimer'>, timeoutMs: number, callback: () => void): Timer {
  return timeoutMs === Number.POSITIVE_INFINITY ? { cancel() {}, hold() {} } : clock.setTimer(timeoutMs, callback);
}

/** A host's clock may have only `now`: waits are then measured with it, so that there is one time, and timers are the machine's. */
export function completeClock(clock: (Pick<Clock, 'now'> & Partial<Clock>) | undefined): Clock {
  if (clock === undefined) return systemClock;
  return {
    now: () => Math.floor(clock.now()), // as it is stored
    monotonic: () => (clock.monotonic === undefined ? clock.now() : clock.monotonic()),
    setTimer: (delayMs, callback) => (clock.setTimer ? (clock as Clock) : systemClock).setTimer(delayMs, callback),
  };
}
