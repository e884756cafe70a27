import { type Clock, systemClock } from '../../internal/index.js';

/** A session as clients share it. */
export interface SharedSession {
  /** Counts the sessions of the connection; a higher one replaces a lower one. */
  readonly generation: number;
  /** The headers that every request carries, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * How long ago its login was, in milliseconds, whoever made it (rule S4).
   * @default of the caller's own login 0; of another client's unknown, which counts as old
   */
  readonly ageMs?: number | undefined;
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
   *
   * @param clock the asking client's, for a state that measures ages by it.
   */
  renew(expired: number, login: () => Promise<Record<string, string>>, clock?: Clock): Promise<SharedSession>;
  /**
   * The session that there is, where it is newer than the one given; nobody logs in for it.
   *
   * @param clock as for {@link renew}.
   * @default a client hears of another's session only when its own has ended
   */
  newer?(than: number, clock?: Clock): SharedSession | undefined | Promise<SharedSession | undefined>;
  /** Makes a pause known to the other clients. */
  pause(pause: SharedPause): void | Promise<void>;
  /** Calls back for each pause that another client made known, and at once for one that is still on. */
  onPause(listener: (pause: SharedPause) => void): () => void;
  /**
   * What clients of one process have in common beside the state itself, such as their gate: the one that is kept under this key, or
   * the one that `create` makes (rule G10).
   *
   * @default none: each client has a gate of its own
   */
  gate?<Shared extends object>(key: string, create: () => Shared): Shared;
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
  /** With the clock of the client that logged in: the clock of another may count from another moment. */
  let session: (SharedSession & { readonly clock: Clock; readonly since: number }) | undefined;
  let login: Promise<SharedSession> | undefined;
  const pauses = new Map<string, SharedPause>();
  const listeners = new Set<(pause: SharedPause) => void>();
  const gates = new Map<string, object>();
  const newer = (than: number, clock: Clock = systemClock): SharedSession | undefined => {
    if (session === undefined || session.generation <= than) return undefined;
    const { generation, headers, since } = session;
    return { generation, headers, ageMs: session.clock === clock ? clock.monotonic() - since : undefined };
  };
  return {
    newer,
    renew(expired, run, clock = systemClock) {
      const known = newer(expired, clock);
      if (known !== undefined) return Promise.resolve(known);
      login ??= run()
        .then((headers) => {
          const generation = (session?.generation ?? 0) + 1;
          session = { generation, headers, clock, since: clock.monotonic() };
          return { generation, headers, ageMs: 0 };
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
    gate(key, create) {
      const gate = gates.get(key) ?? create();
      gates.set(key, gate);
      return gate as ReturnType<typeof create>;
    },
  };
}
