import type { Clock } from '../internal/index.js';
import type { Settings } from './options.js';

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
export function createSessions(options: Options, clock: Clock) {
  const { ttlMs, maxRequests, refuseFreshMs = 0, refuseFreshRequests = 0 } = options;
  const byToken = new Map<string, Session>();
  return {
    open(): Session {
      const number = byToken.size + 1;
      const token = `simulated-session-${number}`;
      const session = { number, token, since: clock.monotonic(), presented: 0, served: 0, ended: false };
      byToken.set(token, session);
      return session;
    },
    find: (token: string | undefined) => byToken.get(token ?? ''),
    /** Counts a request with this session. @returns why it is refused, if it is. */
    refusal(session: Session | undefined): 'no-session' | 'session-ended' | 'session-too-fresh' | undefined {
      if (session === undefined) return 'no-session';
      const ageMs = clock.monotonic() - session.since;
      session.presented++;
      if (ttlMs !== undefined && ageMs >= ttlMs) session.ended = true;
      if (maxRequests !== undefined && session.served >= maxRequests) session.ended = true;
      if (session.ended) return 'session-ended';
      const tooFresh = ageMs < refuseFreshMs || session.presented <= refuseFreshRequests;
      return tooFresh ? 'session-too-fresh' : undefined;
    },
    endAll(): number {
      const alive = [...byToken.values()].filter(({ ended }) => !ended);
      for (const session of alive) session.ended = true;
      return alive.length;
    },
  };
}
