/** A session as clients share it. */
export interface SharedSession {
  /** Counts the sessions of the connection; a higher one replaces a lower one. */
  readonly generation: number;
  /** The headers that every request carries, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A pause as clients share it. `scope` is `''` where the connection has only one. */
export interface SharedPause {
  readonly scope: string;
  readonly resumeAt: Date;
}

/**
 * Where the session and the pause of one connection live. In memory by default; one object given to several clients of
 * the same connection lets them share one login and one pause.
 */
export interface ConnectionState {
  /**
   * Answers with a session newer than `expired`: the one there is, or the one that `login` brings. However many ask at
   * once, `login` runs one at a time.
   */
  renew(expired: number, login: () => Promise<Record<string, string>>): Promise<SharedSession>;
  /** Makes a pause known to the other clients. */
  pause(pause: SharedPause): void | Promise<void>;
  /** Calls back for each pause that another client made known, and at once for one that is still on. */
  onPause(listener: (pause: SharedPause) => void): () => void;
  /** Calls back when the state can no longer be shared, once an outage; clients tell it as an `error` event. */
  onError?(listener: (error: Error) => void): () => void;
}

/**
 * State in this process's memory.
 *
 * @example
 * const state = memoryState()
 * const reader = createConnectorClient({ ...options, state })
 * const writer = createConnectorClient({ ...options, state })
 */
export function memoryState(): ConnectionState {
  let session: SharedSession | undefined;
  let login: Promise<SharedSession> | undefined;
  const pauses = new Map<string, SharedPause>();
  const listeners = new Set<(pause: SharedPause) => void>();
  return {
    renew(expired, run) {
      if (session !== undefined && session.generation > expired) return Promise.resolve(session);
      login ??= run()
        .then((headers) => {
          session = { generation: (session?.generation ?? 0) + 1, headers };
          return session;
        })
        .finally(() => {
          login = undefined;
        });
      return login;
    },
    pause(pause) {
      const known = pauses.get(pause.scope);
      if (known !== undefined && known.resumeAt >= pause.resumeAt) return;
      pauses.set(pause.scope, pause);
      for (const listener of listeners) listener(pause);
    },
    onPause(listener) {
      listeners.add(listener);
      for (const pause of pauses.values()) listener(pause);
      return () => listeners.delete(listener);
    },
  };
}
