import type { Clock } from 'concordat/client';
import type { SessionPlan } from './schedule.js';

interface ModelSession {
  openedAt: number;
  uses: number;
  ended: boolean;
}

/** Part of every session's value: it must turn up in no event and no error. */
export const canary = 'canary-s3cr3t';

/** The sessions that a connector has handed out, by number. */
export class ModelSessions {
  readonly #plan: SessionPlan;
  readonly #clock: Clock;
  readonly #sessions: ModelSession[] = [];

  constructor(plan: SessionPlan, clock: Clock) {
    this.#plan = plan;
    this.#clock = clock;
  }

  open(): { number: number; value: string } {
    if (this.#plan.single) this.expireAll();
    const number = this.#sessions.push({ openedAt: this.#clock.monotonic(), uses: 0, ended: false });
    return { number, value: `${canary}-${number}` };
  }

  expireAll(): void {
    for (const session of this.#sessions) session.ended = true;
  }

  numberOf(value: string | undefined): number | undefined {
    return value === undefined ? undefined : Number(value.slice(canary.length + 1));
  }

  isNewest(number: number | undefined): boolean {
    return number === this.#sessions.length;
  }

  /** Whether a request with this session is let in. */
  accept(number: number | undefined): boolean {
    const session = number === undefined ? undefined : this.#sessions[number - 1];
    if (session === undefined || session.ended) return false;
    const { ttlMs = Number.POSITIVE_INFINITY, maxRequests = Number.POSITIVE_INFINITY, refusedForMs } = this.#plan;
    const ageMs = this.#clock.monotonic() - session.openedAt;
    if (ageMs < refusedForMs || ageMs >= ttlMs || session.uses >= maxRequests) return false;
    session.uses++;
    return true;
  }
}
