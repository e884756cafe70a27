import type { Time } from './time.js';

export interface LimitModel {
  /** `fixed` begins with its first request, `aligned` at full multiples of its length. */
  readonly kind: 'fixed' | 'aligned' | 'sliding';
  readonly limit: number;
  readonly windowMs: number;
  /** The wait is told in whole seconds, rounded up. */
  readonly wholeSeconds: boolean;
  /** How much of every window somebody else takes, without telling. */
  readonly rival: number;
  /** Every response announces the quota. */
  readonly announces?: boolean;
}

/** All sessions end every so many windows. */
export const sessionWindows = 2.5;

/** The connector: it counts requests when they arrive, and says how long to wait. */
export class Connector {
  readonly model: LimitModel;
  readonly #time: Time;
  #windowStart = Number.NEGATIVE_INFINITY;
  #used = 0;
  #times: number[] = [];
  #head = 0;
  passed = 0;
  refused = 0;
  readonly refusedAt: number[] = [];
  logins = 0;
  /** When each session ends. */
  readonly #sessions = new Map<string, number>();

  constructor(model: LimitModel, time: Time, random: () => number) {
    this.model = model;
    this.#time = time;
    if (model.rival > 0) this.#startRival(random);
  }

  /** @returns a new session; the others stay as they are. */
  logIn(): string {
    const session = `session-${++this.logins}`;
    const lifeMs = sessionWindows * this.model.windowMs;
    this.#sessions.set(session, (Math.floor(this.#time.now / lifeMs) + 1) * lifeMs);
    return session;
  }

  /** Whether a request with this session is let in. */
  knows(session: string | null): boolean {
    return this.#time.now < (this.#sessions.get(session ?? '') ?? 0);
  }

  /** @returns 0 if the request passes, else the wait that the response tells. */
  receive(): number {
    const waitMs = this.#take();
    if (waitMs === 0) {
      this.passed++;
      return 0;
    }
    this.refused++;
    this.refusedAt.push(this.#time.now);
    return this.model.wholeSeconds ? Math.ceil(waitMs / 1000) * 1000 : waitMs;
  }

  #take(): number {
    const { kind, limit, windowMs } = this.model;
    const { now } = this.#time;
    if (kind === 'sliding') {
      while (this.#head < this.#times.length && (this.#times[this.#head] as number) + windowMs <= now) this.#head++;
      if (this.#times.length - this.#head >= limit) return (this.#times[this.#head] as number) + windowMs - now;
      this.#times.push(now);
      return 0;
    }
    if (now >= this.#windowStart + windowMs) {
      this.#windowStart = kind === 'aligned' ? Math.floor(now / windowMs) * windowMs : now;
      this.#used = 0;
    }
    if (this.#used >= limit) return this.#windowStart + windowMs - now;
    this.#used++;
    return 0;
  }

  /** The rival waits for each window and then sends, faster or slower, more or less than its share. */
  #startRival(random: () => number): void {
    const { limit, windowMs, rival } = this.model;
    const share = Math.round(limit * rival * (0.9 + 0.2 * random()));
    for (let count = 0; count < share; count++) this.#time.after(random() * windowMs * 0.005, () => this.#take());
    this.#time.after(windowMs, () => this.#startRival(random));
  }
}
