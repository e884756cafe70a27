import type { Clock } from '../internal/index.js';
import type { Settings } from './options.js';
import type { Refusal } from './types.js';

type Options = Partial<NonNullable<Settings['session']>>;

export interface Session {
  readonly number: number;
  readonly token: string;
  readonly since: number;
  /** How many requests carried it, refused ones included. */
  presented: number;
  /** How many requests it served. */
  served: number;
  ended: boolean;
}

/** The sessions that logins have created. Their tokens are numbered, not secret. */
export class Sessions {
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #byToken = new Map<string, Session>();

  constructor(options: Options, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  open(): Session {
    const number = this.#byToken.size + 1;
    const token = `simulated-session-${number}`;
    const session = { number, token, since: this.#clock.monotonic(), presented: 0, served: 0, ended: false };
    this.#byToken.set(token, session);
    return session;
  }

  find(token: string | undefined): Session | undefined {
    return this.#byToken.get(token ?? '');
  }

  /** Counts a request with this session. @returns why it is refused, if it is. */
  refusal(session: Session | undefined): Refusal | undefined {
    if (session === undefined) return 'no-session';
    const { ttlMs, maxRequests, refuseFreshMs = 0, refuseFreshRequests = 0 } = this.#options;
    const ageMs = this.#clock.monotonic() - session.since;
    session.presented++;
    if (ttlMs !== undefined && ageMs >= ttlMs) session.ended = true;
    if (maxRequests !== undefined && session.served >= maxRequests) session.ended = true;
    if (session.ended) return 'session-ended';
    const tooFresh = ageMs < refuseFreshMs || session.presented <= refuseFreshRequests;
    return tooFresh ? 'session-too-fresh' : undefined;
  }

  endAll(): number {
    const alive = [...this.#byToken.values()].filter(({ ended }) => !ended);
    for (const session of alive) session.ended = true;
    return alive.length;
  }
}
