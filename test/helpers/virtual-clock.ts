import type { Clock, Timer } from '../../src/internal/index.js';

export interface VirtualClock extends Clock {
  /**
   * Moves time on, firing every timer that falls due in order, with time for what they start (promises, and sockets of
   * this machine that answer at once). Connections in the middle of something do not speed up: wait for those with `until`.
   */
  advance(milliseconds: number): Promise<void>;
  /** Lets the calendar jump without any time passing, as a set clock or a suspended machine does. */
  jumpCalendar(milliseconds: number): void;
  /** How many timers are set, and how many of them keep the process alive. */
  readonly pending: number;
  readonly held: number;
  /** Milliseconds until the next timer; undefined when there is none. */
  readonly nextInMs: number | undefined;
}

interface Entry {
  dueMs: number;
  order: number;
  held: boolean;
  callback: () => void;
}

/** A clock that stands still until a test moves it: an hour takes milliseconds, and both edges of it can be looked at. */
export function virtualClock(startMs: number = Date.UTC(2026, 10, 21, 9)): VirtualClock {
  let elapsedMs = 0;
  let calendarMs = startMs;
  let order = 0;
  const timers = new Set<Entry>();
  const next = () => [...timers].sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)[0];

  function moveTo(dueMs: number) {
    calendarMs += dueMs - elapsedMs;
    elapsedMs = dueMs;
  }

  return {
    now: () => calendarMs,
    monotonic: () => elapsedMs,
    setTimer(delayMs, callback): Timer {
      if (!Number.isFinite(delayMs)) throw new Error(`A timer of ${delayMs} ms was set`);
      const entry: Entry = { dueMs: elapsedMs + Math.max(0, delayMs), order: order++, held: true, callback };
      timers.add(entry);
      return {
        cancel: () => timers.delete(entry),
        hold(keepsProcessAlive) {
          entry.held = keepsProcessAlive;
        },
      };
    },
    async advance(milliseconds) {
      const targetMs = elapsedMs + milliseconds;
      await turns();
      for (let entry = next(); entry && entry.dueMs <= targetMs; entry = next()) {
        timers.delete(entry);
        moveTo(Math.max(elapsedMs, entry.dueMs));
        entry.callback();
        await turns();
      }
      moveTo(targetMs);
      await turns();
    },
    jumpCalendar(milliseconds) {
      calendarMs += milliseconds;
    },
    get pending() {
      return timers.size;
    },
    get held() {
      return [...timers].filter((entry) => entry.held).length;
    },
    get nextInMs() {
      const entry = next();
      return entry && entry.dueMs - elapsedMs;
    },
  };
}

async function turns() {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
