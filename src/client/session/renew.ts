import { isConnectorError } from '../../contract/index.js';
import { type Clock, isErrorOf, isObject } from '../../internal/index.js';
import { AbandonedLogin, isRequestError, reviveInitializeError } from '../errors.js';
import type { Emit } from '../events.js';
import type { ConnectionState, SharedSession } from './state.js';

/** Logs in. The signal ends its waits; a request already sent is left to finish. */
export type Login = (signal: AbortSignal) => Promise<Record<string, string>>;

export interface SessionOptions {
  login: Login;
  state: ConnectionState;
  clock: Clock;
  emit: Emit;
  /** The client's default headers. */
  headers: Readonly<Record<string, string>>;
  /** How long calls fail at once after a refused login, and the most after sessions that never worked (rule S5). */
  loginCooldownMs: number;
  /** Aborts, with an `AbandonedLogin`, when the client is closed. */
  closing: AbortSignal;
}

/** Gets a session newer than `expired`, which another client may have made: then it is adopted. */
export type Renew = (expired: number, signal: AbortSignal) => Promise<{ shared: SharedSession; adopted: boolean }>;

/**
 * With a shared state, another client may do the login: if it gives up or closes, this client takes over. If the state
 * fails, this client uses its own login, and reports the outage once (rule G11).
 */
export function createRenew({ state, login, clock, emit }: SessionOptions): Renew {
  let isDown = false;
  const report = (error: unknown) => {
    if (!isDown) emit('error', { method: 'state', path: '', error });
    isDown = true;
  };
  return async (expired, signal) => {
    let own: Promise<Record<string, string>> | undefined;
    const logIn = () => {
      own = login(signal);
      return own;
    };
    for (;;) {
      try {
        const shared = await state.renew(expired, logIn, clock);
        if (!isNewer(shared, expired)) throw new TypeError(notNewer);
        isDown = false;
        return { shared, adopted: own === undefined };
      } catch (error) {
        if (own === undefined && isErrorOf(error, 'AbandonedLogin') && !signal.aborted) continue;
        const isAnswer = isOfLogin(error);
        if (isAnswer) isDown = false;
        if (own === undefined && isAnswer) throw reviveInitializeError(error);
        if (own === undefined && signal.aborted) throw new AbandonedLogin();
        const headers = await (own ?? logIn());
        if (!isAnswer) report(error);
        return { shared: { generation: expired + 1, headers }, adopted: false };
      }
    }
  };
}

const notNewer = '`state.renew` must resolve to a session newer than `expired`.';

/** A state may be an author's own. */
export function isNewer(session: SharedSession | undefined, than: number): session is SharedSession {
  return isObject(session) && session.generation > than && isObject(session.headers);
}

/** Whether it is how a login of another client ended, and not a failure of the state. */
function isOfLogin(error: unknown): boolean {
  // Of another process, it is known by its name.
  const isInitializeError = error instanceof Error && error.name === 'InitializeError';
  return isInitializeError || isConnectorError(error) || isRequestError(error);
}
