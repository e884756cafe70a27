import type { Clock, Timer } from '../../internal/index.js';
import type { ConnectionState } from './state.js';

/** What is known of a session. */
interface NewSession {
  /** When its login happened, on the monotonic clock. */
  readonly since: number;
  readonly use: { readonly accepted: boolean };
}

interface Turn {
  readonly clock: Clock;
  readonly comes: Promise<void>;
  readonly begin: () => void;
  readonly isOver: Promise<void>;
  readonly end: () => void;
  timer?: Timer;
}

/** Whatever a call waits for, the others in line wait no longer for it, and all others no longer for a new session to be used. */
const longestTurnMs = 3000;

/**
 * The calls that keep meeting ended sessions, in line: one goes at a time, and with a new session before all others. So
 * each login settles one call at least, however soon sessions end (rule S4). A call whose turn lasts too long leaves
 * the line, and may come back.
 */
export class Turns extends Map<object, Turn> {
  join(call: object, clock: Clock): void {
    if (this.has(call)) return;
    const [comes, begin] = signal();
    const [isOver, end] = signal();
    this.set(call, { clock, comes, begin, isOver, end });
    if (this.size === 1) this.#begin();
  }

  leave(call: object): void {
    const turn = this.get(call);
    if (turn === undefined) return;
    this.delete(call);
    turn.timer?.cancel();
    turn.end();
    if (turn.timer !== undefined) this.#begin();
  }

  /** What a call waits for before it may go with the session, if anything. */
  before(call: object, session: NewSession | undefined, clock: Clock): Promise<void> | undefined {
    const [first, turn] = this.#first ?? [];
    if (first === call) return undefined;
    const own = this.get(call);
    if (own !== undefined) return own.comes;
    const isNew = session !== undefined && !session.use.accepted && clock.monotonic() - session.since < longestTurnMs;
    return isNew ? turn?.isOver : undefined;
  }

  #begin(): void {
    const [call, turn] = this.#first ?? [];
    if (call === undefined || turn === undefined) return;
    turn.timer = turn.clock.setTimer(longestTurnMs, () => this.leave(call));
    turn.begin();
  }

  get #first(): [object, Turn] | undefined {
    return this.entries().next().value;
  }
}

function signal(): [Promise<void>, () => void] {
  let give = () => {};
  const given = new Promise<void>((resolve) => (give = resolve));
  return [given, give];
}

const lines = new WeakMap<ConnectionState, Turns>();

/** Clients of one state share their sessions, and so the line. */
export function turnsOf(state: ConnectionState): Turns {
  const turns = lines.get(state) ?? new Turns();
  lines.set(state, turns);
  return turns;
}
