import type { SessionPlan } from './plan.js';

interface Session {
  readonly account: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly endsAt: number;
  requestsLeft: number;
  ended: boolean;
}

/** One session for each account: a login ends the earlier one. */
export class JudgeSessions {
  readonly #ofAccount = new Map<string, Session>();
  readonly #byId = new Map<string, Session>();

  constructor(readonly plan: SessionPlan) {}

  login(account: string): Readonly<Record<string, string>> {
    const number = this.#byId.size + 1;
    const id = `s${number}-${account}`;
    // A header that only every other session has: it may not stay beside the next one (rule S1).
    const headers = { 'x-session': id, [number % 2 === 0 ? 'x-session-even' : 'x-session-odd']: id };
    const session: Session = {
      account,
      headers,
      endsAt: performance.now() + (this.plan.lifeMs ?? Number.POSITIVE_INFINITY),
      requestsLeft: this.plan.lifeRequests ?? Number.POSITIVE_INFINITY,
      ended: false,
    };
    this.end(account);
    this.#ofAccount.set(account, session);
    this.#byId.set(id, session);
    return headers;
  }

  end(account: string): void {
    const session = this.#ofAccount.get(account);
    if (session !== undefined) session.ended = true;
  }

  accountOf(headers: Readonly<Record<string, string>>): string | undefined {
    return this.#byId.get(headers['x-session'] ?? '')?.account;
  }

  /** Whether the session lets a request through; counts it. */
  admits(headers: Readonly<Record<string, string>>): boolean {
    const session = this.#byId.get(headers['x-session'] ?? '');
    if (session === undefined || session.ended || performance.now() >= session.endsAt) return false;
    return session.requestsLeft-- > 0;
  }
}
