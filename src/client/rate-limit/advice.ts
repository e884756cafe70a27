import type { Clock, Timer } from '../../internal/index.js';
import type { Quota } from '../events.js';
import type { AnnouncedQuota, Announcement } from './quota/announced.js';
import type { Ended } from './quota/quota.js';

export interface AdviceOptions {
  clock: Clock;
  /** None where nothing is to be learned and nothing is announced: then everybody may go. */
  quota: AnnouncedQuota | undefined;
  /** What is known of the quota has changed. */
  onChange(quota: Quota | undefined): void;
  /** Advice alone has held everybody back, for as long as it may. */
  onRoom(): void;
}

/** How long advice alone may hold everybody back while nothing is in flight (rule G9). */
const longestHoldMs = 60_000;

/** What the gate hears of the quota, and the timer without which nobody waits for room in it. */
export class Advice {
  readonly #options: AdviceOptions;
  #told: Quota | undefined;
  #timer: Timer | undefined;

  constructor(options: AdviceOptions) {
    this.#options = options;
  }

  /** What is known of the limit. */
  get quota(): Quota | undefined {
    return rounded(this.#options.quota?.known(this.#now));
  }

  get isKnown(): boolean {
    return this.#options.quota?.isKnown(this.#now) ?? false;
  }

  mayStart(inFlight: number): boolean {
    const { quota } = this.#options;
    if (quota === undefined) return true;
    const now = this.#now;
    quota.advance(now);
    return quota.mayStart(now, inFlight);
  }

  started(isLogin: boolean, inFlight: number): void {
    const { quota } = this.#options;
    if (quota === undefined) return;
    const now = this.#now;
    quota.advance(now);
    quota.started(now, isLogin, inFlight);
  }

  ended(request: Ended): void {
    this.#options.quota?.ended(this.#now, request);
  }

  limited(waitMs: number, inFlight: number): void {
    const { quota } = this.#options;
    if (quota === undefined) return;
    const now = this.#now;
    quota.advance(now);
    quota.limited(now, now + waitMs, inFlight);
  }

  opened(): void {
    this.#options.quota?.opened(this.#now);
  }

  seed(quota: Quota): void {
    this.#options.quota?.seed(this.#now, quota);
  }

  /** @returns how long it will be until anything is left again. */
  announce(announcement: Announcement, inFlight: number): number {
    const { quota } = this.#options;
    if (quota === undefined) return 0;
    quota.announce(this.#now, announcement, inFlight);
    return quota.emptyForMs(this.#now);
  }

  /** Tells of a quota that is not the one that was told. */
  tell(): void {
    if (this.#options.quota === undefined) return;
    const known = this.#options.quota.known(this.#now);
    const told = this.#told;
    if (known === told || (known !== undefined && told !== undefined && isSame(known, told))) return;
    this.#told = known;
    this.#options.onChange(rounded(known));
  }

  /** Somebody waits, and may be held back by nothing else: whatever is known may be wrong, so this ends (rule G9). */
  awaitRoom(inFlight: number): void {
    const { clock, quota, onRoom } = this.#options;
    const now = this.#now;
    if (quota === undefined || this.#timer !== undefined || quota.mayStart(now, inFlight)) return;
    const waitMs = Math.min(Math.max(1, quota.roomAt(now) - now), longestHoldMs);
    this.#timer = clock.setTimer(waitMs, () => {
      this.#timer = undefined;
      onRoom();
    });
  }

  /** The timer keeps the process alive only while somebody waits (rule G4). */
  hold(isAwaited: boolean): void {
    this.#timer?.hold(isAwaited);
  }

  stopAwaitingRoom(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  get #now(): number {
    return this.#options.clock.monotonic();
  }
}

function rounded(quota: Quota | undefined): Quota | undefined {
  return quota && { limit: quota.limit, windowMs: Math.round(quota.windowMs) };
}

function isSame(one: Quota, other: Quota): boolean {
  return one.limit === other.limit && Math.abs(one.windowMs - other.windowMs) <= other.windowMs / 10;
}
