import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
// Timers are an internal matter, but rule W7 depends on them and a real wait of 25 days is no test.
import { sleep, systemClock } from '../../src/internal/index.js';

const longestTimeoutMs = 2 ** 31 - 1;

describe('timers longer than setTimeout can hold are chained (W7)', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([1, longestTimeoutMs - 1, longestTimeoutMs, longestTimeoutMs + 1, 2 ** 32, 3 * longestTimeoutMs + 5])(
    'a timer of %i ms fires then, and not a millisecond before',
    (delayMs) => {
      const callback = vi.fn();
      systemClock.setTimer(delayMs, callback);
      vi.advanceTimersByTime(delayMs - 1);
      expect(callback).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(2 ** 33);
      expect(callback).toHaveBeenCalledTimes(1);
    },
  );

  it('a cancelled timer never fires, whichever link of the chain is pending', () => {
    for (const elapsedMs of [0, longestTimeoutMs + 5]) {
      const callback = vi.fn();
      const timer = systemClock.setTimer(3 * longestTimeoutMs, callback);
      vi.advanceTimersByTime(elapsedMs);
      timer.cancel();
      vi.advanceTimersByTime(2 ** 34);
      expect(callback).not.toHaveBeenCalled();
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('cancelling twice, or after it fired, does nothing', () => {
    const timer = systemClock.setTimer(5, () => {});
    vi.advanceTimersByTime(5);
    expect(() => {
      timer.cancel();
      timer.cancel();
    }).not.toThrow();
  });
});

describe('sleep', () => {
  it('takes at least as long as it says', async () => {
    for (let round = 0; round < 20; round++) {
      const started = performance.now();
      await sleep(systemClock, 3);
      expect(performance.now() - started).toBeGreaterThanOrEqual(3);
    }
  });

  it('ends at once with the reason of an abort, and leaves no timer and no listener (G4)', async () => {
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const added = vi.spyOn(controller.signal, 'addEventListener');
    const cancelled = vi.fn();
    const clock = {
      ...systemClock,
      setTimer: () => ({ cancel: cancelled, hold() {} }),
    };
    const sleeping = sleep(clock, 60_000, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(cancelled).toHaveBeenCalledTimes(1);
    const once = added.mock.calls.every(([, , options]) => typeof options === 'object' && options.once === true);
    expect(once || removed.mock.calls.length === added.mock.calls.length).toBe(true);
  });

  it('does not start when the signal is aborted already', async () => {
    const setTimer = vi.fn();
    const reason = new Error('too late');
    await expect(sleep({ ...systemClock, setTimer }, 5, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(setTimer).not.toHaveBeenCalled();
  });

  it('leaves no listener behind after a full night of sleep', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await sleep(systemClock, 1, signal);
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
    expect(removed.mock.calls[0]?.slice(0, 2)).toEqual(added.mock.calls[0]?.slice(0, 2));
  });
});
