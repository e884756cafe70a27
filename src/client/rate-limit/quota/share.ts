import { type Clock, randomOf } from '../../../internal/index.js';
import type { Quota } from '../../events.js';
import { opensLateMs } from './lease.js';
import { RecentTimes } from './recent-times.js';

/** However small a share is, it probes after so many windows. */
const mostRest = 16;
/** How much of a window is over when it probes: the others have had their turns. */
const late = 0.625;
/** Other processes may notice so much later that the state is back. */
const noticeMs = 5000;

/**
 * What a process keeps to while the state is away: as many requests in any time of a window's length as the state
 * granted it first in the last two windows. So all processes together send what fits, however their windows lie.
 *
 * It probes late in a window, and the more rarely the smaller it is: all shares together send one probe a window. Each
 * probe that passes raises it, by 1, 2, 4, …; a limit takes back what did not pass, and half of it at most.
 *
 * It cannot stall: it is at least 1, and every request that it counts is forgotten a window later.
 */
export class Share {
  readonly #clock: Pick<Clock, 'random'>;
  /** The last window of the state, how many permits the process got there at first, and in the window before. */
  #window = 0;
  #granted = 0;
  #before = 0;
  /** How many requests have passed in it. */
  #passed = 0;
  /** The quota of all processes, while this one keeps to its share. */
  #whole: Quota | undefined;
  #limit = 1;
  #windowMs = 0;
  /** When the requests that passed were started, in ascending order. */
  readonly #times = new RecentTimes();
  #latest = 0;
  /** When the first request of the window started. */
  #startedAt = 0;
  /** By how much the next probe that passes raises the share. */
  #step = 1;
  #probesAt = 0;
  /** When the last limit is over. */
  #resumesAt = 0;
  /** When it ends, because the state is back. */
  #endsAt: number | undefined;

  constructor(clock: Pick<Clock, 'random'>) {
    this.#clock = clock;
  }

  get isOn(): boolean {
    return this.#whole !== undefined;
  }

  get known(): Quota | undefined {
    return this.#whole && { limit: this.#limit, windowMs: this.#windowMs };
  }

  /** More permits than these would stay unused. */
  get most(): number {
    return this.#whole ? this.#limit : Number.POSITIVE_INFINITY;
  }

  /** What passed in the last window's length. */
  lastWindow(now: number): Quota | undefined {
    return this.#whole && { limit: this.#count(now), windowMs: this.#whole.windowMs };
  }

  /** The state has granted permits. Those that it grants first in a window are a share for each process. */
  granted(window: number, permits: number): void {
    if (window === this.#window) return;
    this.#window = window;
    this.#before = this.#granted;
    this.#granted = permits;
    this.#passed = 0;
  }

  /** The state is away. `startsAt` is when its last window began. */
  begin(whole: Quota, startsAt: number, now: number): void {
    const granted = Math.max(1, this.#granted, this.#before); // one who came late in a window got less
    if (this.#endsAt !== undefined) this.#limit = Math.max(this.#limit, granted);
    this.#endsAt = undefined;
    if (this.#whole !== undefined) return;
    this.#whole = whole;
    this.#limit = granted;
    // The state's windows begin late. A share must not begin early.
    this.#windowMs = whole.windowMs + 1.5 * opensLateMs(whole.windowMs);
    this.#times.clear();
    for (let count = 0; count < this.#passed; count++) this.#times.add(startsAt);
    this.#latest = startsAt;
    this.#startedAt = startsAt;
    this.#step = 1;
    this.#probesAt = now + randomOf(this.#clock) * this.#restMs(whole);
  }

  /** The state is back. The share holds until the others must have noticed, too. */
  end(now: number): void {
    if (this.#whole === undefined) return;
    this.#endsAt ??= now + Math.max(noticeMs, 2 * this.#windowMs);
    if (now < this.#endsAt) return;
    this.#whole = undefined;
    this.#endsAt = undefined;
  }

  mayStart(inFlight: number, now: number): boolean {
    if (this.#whole === undefined) return true;
    const beyond = this.#count(now) + inFlight - this.#limit;
    return beyond < 0 || (beyond === 0 && inFlight === 0 && now >= this.#probeAt);
  }

  roomInMs(now: number): number {
    const oldest = this.#times.oldestSince(now - this.#windowMs) ?? now;
    const probeAt = this.#probeAt > now ? this.#probeAt : Number.POSITIVE_INFINITY;
    return Math.min(oldest + this.#windowMs, probeAt) - now;
  }

  started(now: number): void {
    if (now >= this.#startedAt + 0.9 * this.#windowMs) this.#startedAt = now;
  }

  passed(startedAt: number, now: number): void {
    this.#passed++;
    if (this.#whole === undefined) return;
    this.#latest = Math.max(this.#latest, startedAt);
    this.#times.add(this.#latest);
    const count = this.#count(now);
    if (count <= this.#limit) return;
    if (now < this.#resumesAt) this.#limit = count; // in flight when the limit was met
    if (now < this.#probesAt) return;
    this.#limit = Math.max(count, Math.min(count + this.#step - 1, this.#whole.limit));
    this.#step *= 2;
    this.#probesAt = now + this.#windowMs / 2;
  }

  limited(now: number, resumesAt: number): void {
    const whole = this.#whole;
    if (whole === undefined) return;
    this.#limit = Math.max(Math.ceil(this.#limit / 2), Math.min(this.#limit, this.#count(now)));
    this.#step = 1;
    this.#probesAt = now + this.#restMs(whole);
    this.#resumesAt = resumesAt;
    this.#times.forgetBefore(now - this.#windowMs);
  }

  #count(now: number): number {
    return this.#times.countSince(now - this.#windowMs);
  }

  /** How long it does not probe after a limit. */
  #restMs({ limit }: Quota): number {
    return this.#windowMs * Math.min(mostRest, limit / this.#limit);
  }

  /** When it may probe. Once the state is back, that lets one process probe. */
  get #probeAt(): number {
    if (this.#endsAt !== undefined) return Number.POSITIVE_INFINITY;
    return Math.max(this.#probesAt, this.#startedAt + late * this.#windowMs);
  }
}
