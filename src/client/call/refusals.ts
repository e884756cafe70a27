import type { EndRecheck, Session, SessionHolder } from '../session/session.js';
import { afterTurn, forgive, type History, needsTurn, type SessionFacts } from './react.js';
import type { OutcomeKind } from './run.js';

export interface Standing {
  recheck: SessionFacts['recheck'];
  /** Whether another client made the session, which is no reason to log in once more if a newer one failed, too. */
  readonly adopted: boolean;
}

/** What a call that has met a 401 knows of its sessions. */
export class Refusals {
  readonly #sessions: SessionHolder;
  /** The session of its last 401 that counted. */
  #counted: Session | undefined;
  /** The recheck of a session that this call makes for all calls. */
  #recheck: { readonly session: Session; readonly end: EndRecheck } | undefined;

  constructor(sessions: SessionHolder) {
    this.#sessions = sessions;
  }

  /** An attempt failed: ends the recheck that it was, if any. */
  meet(kind: OutcomeKind, session: Session): Standing {
    const own = this.#recheck;
    let recheck: Standing['recheck'] = session.recheck === undefined ? 'none' : 'running';
    const isOther = own !== undefined && session !== own.session;
    // A newer session was refused as well: one more login would prove nothing.
    const adopted = session.adopted && !isOther;
    if (own !== undefined && kind !== 'limit' && kind !== 'held-back') {
      // Others got through with the session that it rechecked: this 401 is the first of the next one.
      const isRefused = kind === 'unauthorized' && !(isOther && own.session.use.accepted);
      if (isRefused) recheck = 'failed by this call';
      // Before the calls that wait for the outcome: they would log in.
      if (isRefused && !adopted) this.#sessions.markUnusable(session);
      this.endRecheck(!isRefused);
    }
    return { recheck, adopted };
  }

  /** What is known by now of the 401s before, and what this one proves. */
  review(before: History, kind: OutcomeKind, session: Session): History {
    const history = this.#counted?.use.accepted ? forgive(before) : before;
    const isAlone = kind === 'unauthorized' && session.use.sent === 1 && !session.adopted;
    return isAlone && needsTurn(history) ? afterTurn(history) : history;
  }

  /** The 401 for this session counts. */
  count(session: Session): void {
    this.#counted = session;
  }

  beginRecheck(session: Session): void {
    this.#recheck = { session, end: this.#sessions.beginRecheck(session) };
  }

  endRecheck(wasAccepted: boolean): void {
    this.#recheck?.end(wasAccepted);
    this.#recheck = undefined;
  }
}
