import {
  type Clock,
  checkOptions,
  count,
  option,
  optionsOf,
  type ShapeOf,
  seededRandom,
  type Timer,
} from '../../internal/index.js';
import { requestsUnderWay } from './requests-under-way.js';
import { createSettle, napUntil } from './settle.js';

/** A clock that stands still until your test moves it. */
export interface VirtualClock extends Clock {
  /**
   * Moves time forward and fires the timers that fall due, in order. Before, between and after them it waits for what the
   * test or a timer has started: promises, streams, requests to servers in this process, files, and real timers, such as a
   * delay of msw, for half a second after each request and timer of the clock, about four seconds in all. Overlapping calls run
   * one after the other.
   *
   * @throws TypeError when `milliseconds` is negative or not a number; whatever a timer's callback throws.
   */
  advance(milliseconds: number): Promise<void>;
  /**
   * Fires all timers, including those that they set, until none is left; time jumps from one to the next.
   *
   * @throws Error when timers are still set after 100,000 have fired: something then sets them forever.
   */
  runAll(): Promise<void>;
  /**
   * Fires timers until the promise settles, and returns its value: for work that waits along the way. Without a timer it waits
   * up to half a second in real time.
   *
   * @throws what the promise rejects with; Error when it is still pending and no timer is left, or 1,000,000 have fired.
   */
  runUntil<T>(promise: PromiseLike<T>): Promise<T>;
  /**
   * Changes the time of day without letting time pass, as when a clock is set or a machine wakes up.
   *
   * @throws TypeError when `milliseconds` is not finite.
   */
  jumpCalendar(milliseconds: number): void;
  /** How many timers are set. */
  readonly pending: number;
  /** How many of them keep the process alive. */
  readonly held: number;
  /** Milliseconds until the next timer; `undefined` when there is none. */
  readonly nextInMs: number | undefined;
}

export interface VirtualClockOptions {
  /** The time of day at the start, epoch milliseconds. @default 2026-11-21T09:00:00Z */
  startMs?: number | undefined;
  /** For what the client leaves to chance, such as its delays: the same seed, the same numbers. @default 1 */
  seed?: number | undefined;
}

const schema = optionsOf({
  startMs: option<number>(Number.isFinite, 'must be epoch milliseconds', true).default(Date.UTC(2026, 10, 21, 9)),
  seed: count(0).default(1),
} satisfies ShapeOf<VirtualClockOptions>);

interface Entry {
  readonly dueMs: number;
  readonly callback: () => void;
  held: boolean;
}

let passedMs = 0;

/** How much time has passed on all virtual clocks together. */
export const virtualMs = () => passedMs;

const mostTimers = 100_000;
/** A long run of a simulation fires many, and ends. */
const mostTimersUntil = 1_000_000;

/**
 * A clock for tests, where an hour takes milliseconds. Pass it to everything that takes a `clock`, such as the client and
 * the simulator, so that they agree on the time. A number is short for `{ startMs }`.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const clock = virtualClock()
 * const connector = simulateConnector({ rateLimit: { limit: 1, windowMs: 3_600_000 }, clock })
 * const client = createConnectorClient({ baseUrl, initialize, fetch: connector.fetch, clock })
 * const both = Promise.all([client.get('/a'), client.get('/b')])
 * await clock.advance(3_600_000)
 * await both
 */
export function virtualClock(options: VirtualClockOptions | number = {}): VirtualClock {
  const { startMs, seed } = checkOptions(schema, typeof options === 'number' ? { startMs: options } : options);
  requestsUnderWay(); // starts watching
  let elapsedMs = 0;
  let calendarMs = startMs;
  let activity = 0;
  let last: Promise<unknown> = Promise.resolve();
  const timers = new Set<Entry>();
  const settle = createSettle(() => activity);

  function next(): Entry | undefined {
    let first: Entry | undefined;
    // Of timers that fall due together, the one that was set first: sets keep that order.
    for (const entry of timers) if (first === undefined || entry.dueMs < first.dueMs) first = entry;
    return first;
  }

  function moveTo(dueMs: number): void {
    passedMs += dueMs - elapsedMs;
    calendarMs += dueMs - elapsedMs;
    elapsedMs = dueMs;
  }

  function fire(entry: Entry): Promise<void> {
    timers.delete(entry);
    if (entry.dueMs > elapsedMs) moveTo(entry.dueMs);
    entry.callback();
    return settle();
  }

  /** Two movements at once would fire each other's timers. */
  function inTurn<T>(move: () => Promise<T>): Promise<T> {
    const mine = last.then(move, move);
    last = mine.catch(() => {});
    return mine;
  }

  return {
    now: () => calendarMs,
    monotonic: () => elapsedMs,
    random: seededRandom(seed),
    setTimer(delayMs, callback): Timer {
      if (!Number.isFinite(delayMs)) throw new TypeError(`\`delayMs\` must be finite, got ${String(delayMs)}.`);
      activity++;
      const entry: Entry = { dueMs: elapsedMs + Math.max(0, delayMs), callback, held: true };
      timers.add(entry);
      return {
        cancel() {
          activity++;
          timers.delete(entry);
        },
        hold(keepsProcessAlive) {
          entry.held = keepsProcessAlive;
        },
      };
    },
    async advance(milliseconds) {
      if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
        throw new TypeError(`\`milliseconds\` must be a number, zero or more, got ${String(milliseconds)}.`);
      }
      return inTurn(async () => {
        const targetMs = elapsedMs + milliseconds;
        await settle();
        for (let entry = next(); entry && entry.dueMs <= targetMs; entry = next()) await fire(entry);
        moveTo(targetMs);
      });
    },
    runAll: () =>
      inTurn(async () => {
        await settle();
        let fired = 0;
        for (let entry = next(); entry; entry = next()) {
          if (fired++ === mostTimers)
            throw new Error(`${mostTimers} timers have fired and ${timers.size} are still set.`);
          await fire(entry);
        }
      }),
    runUntil(promise) {
      if (typeof promise?.then !== 'function')
        return Promise.reject(new TypeError(`\`promise\` must be a promise, not ${typeof promise}.`));
      let settled = false;
      const done = () => {
        settled = true;
      };
      promise.then(done, done); // before its turn: nobody else may handle a rejection until then
      return inTurn(async () => {
        await settle();
        for (let fired = 0; !settled; fired++) {
          if (timers.size === 0) await napUntil(() => settled || timers.size > 0);
          if (settled) break;
          const entry = next();
          if (entry === undefined) {
            const known =
              '`AbortSignal.timeout`, a `setTimeout` of more than half a second and a client without this `clock`';
            const hint = `${known} run in real time`;
            throw new Error(`The promise is still pending, and no timer is left that it could wait for: ${hint}.`);
          }
          if (fired === mostTimersUntil)
            throw new Error(`The promise is still pending after ${mostTimersUntil} timers have fired.`);
          await fire(entry);
        }
        return promise;
      });
    },
    jumpCalendar(milliseconds) {
      if (!Number.isFinite(milliseconds)) {
        throw new TypeError(`\`milliseconds\` must be finite, got ${String(milliseconds)}.`);
      }
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
      return entry && Math.max(0, entry.dueMs - elapsedMs);
    },
  };
}
