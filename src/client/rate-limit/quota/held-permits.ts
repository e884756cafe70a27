import { maxHoldMs } from './quota.js';
import type { Lease } from './shared-window.js';

const dayMs = 86_400_000;

/** The permits that a process holds, and when they are good. Times are on one monotonic clock. */
export class HeldPermits {
  count = 0;
  probe = 0;
  startsAt = 0;
  /** The process does not ask for more before. */
  askAgainAt = 0;
  /** The longest wait that the state has asked for since it last granted anything. */
  #longestWaitMs = 0;
  #expiresAt = 0;

  hold({ granted, probe, startsInMs, endsInMs, waitMs }: Lease, now: number): void {
    this.count = granted;
    this.probe = probe;
    this.startsAt = now + startsInMs;
    this.#expiresAt = now + endsInMs;
    this.askAgainAt = now + waitMs;
    this.#longestWaitMs = Math.max(granted > 0 ? 0 : this.#longestWaitMs, waitMs);
  }

  /** Whose turn comes after many others may wait longer than the state said first: four times that, and a day at most. */
  get maxHoldMs(): number {
    return Math.min(dayMs, Math.max(maxHoldMs, 4 * this.#longestWaitMs));
  }

  get isEmpty(): boolean {
    return this.count + this.probe === 0;
  }

  areGood(now: number): boolean {
    return now >= this.startsAt && now < this.#expiresAt;
  }

  areOver(now: number): boolean {
    return now >= this.#expiresAt;
  }

  endInMs(now: number): number {
    return this.#expiresAt - now;
  }

  /** Takes away those whose time has begun. @returns how many */
  drop(now: number): number {
    if (now < this.startsAt) return 0;
    const dropped = this.count + this.probe;
    this.count = this.probe = 0;
    return dropped;
  }

  clear(): void {
    this.count = this.probe = 0;
  }
}
