import { type Clock, systemClock } from '../../internal/index.js';
import { InitializeError, refusedEarlier } from '../errors.js';
import type { Lease, LeaseRequest } from '../rate-limit/quota/lease.js';

/** A session as clients share it. */
export interface SharedSession {
  /** Counts the sessions of the connection; a higher generation replaces a lower one. */
  readonly generation: number;
  /** The headers that every request carries, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * How long ago its login was, in milliseconds, whoever made it (rule S4).
   * @default 0 for a login of this client; for one of another client the age is unknown and counts as old
   */
  readonly ageMs?: number | undefined;
}

/** A pause as clients share it. `scope` is `''` if the connection has only one. */
export interface SharedPause {
  readonly scope: string;
  readonly resumeAt: Date;
  /** Of the response that asked to wait: 403, 429 or 503 (rule W7). @default 403 */
  readonly status?: number | undefined;
}

/**
 * Where the session and the pauses of one connection live: in memory by default. Give one object to several clients of
 * the same connection and they share one login and one pause.
 */
export interface ConnectionState {
  /**
   * Returns a session newer than `expired`: the existing one, or the one that `login` makes. However many clients ask
   * at once, one `login` runs at a time.
   *
   * @param clock the client's, for a state that measures ages with it.
   */
  renew: (expired: number, login: () => Promise<Record<string, string>>, clock?: Clock) => Promise<SharedSession>;
  /**
   * Returns the existing session if it is newer than the given one; never logs in.
   *
   * @param clock as for {@link renew}.
   * @default a client learns of another's session only when its own has ended
   */
  newer?: ((than: number, clock?: Clock) => SharedSession | undefined | Promise<SharedSession | undefined>) | undefined;
  /** Tells the other clients of a pause. */
  pause: (pause: SharedPause) => void | Promise<void>;
  /** Calls back for each pause of another client, and at once for pauses still in effect. */
  onPause: (listener: (pause: SharedPause) => void) => () => void;
  /**
   * Shares an object such as the gate among the clients of one process: returns the one stored under this key, or
   * stores what `create` returns (rule G10).
   *
   * @default none: each client has a gate of its own
   */
  gate?: (<Shared extends object>(key: string, create: () => Shared) => Shared) | undefined;
  /**
   * Leases permits of the quota of a scope (rule G10), in one step for all processes. `undefined`, or a rejection, if
   * the state is away: the process then keeps to a quota of its own.
   *
   * @default each process learns a quota of its own
   */
  take?: ((scope: string, request: LeaseRequest) => Promise<Lease | undefined>) | undefined;
  /** Calls back once per outage, when the state can no longer be shared. Clients report it as an `error` event. */
  onError?: ((listener: (error: Error) => void) => () => void) | undefined;
}

/** The `baseUrl` of the clients of each state. */
const owners = new WeakMap<ConnectionState, string>();

/** @throws TypeError if the state is that of another connector, which must not get the session. */
export function belongTo(state: ConnectionState, baseUrl: string): void {
  const owner = owners.get(state) ?? baseUrl;
  if (owner !== baseUrl) {
    throw new TypeError(
      `\`state\` already belongs to the connection to ${owner}: its session must not go to ${baseUrl}. ` +
        'Create a state for each connection.',
    );
  }
  owners.set(state, owner);
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
  /** `since` is on the clock of the client that logged in; another clock may count from another moment. */
  let session: (SharedSession & { readonly clock: Clock; readonly since: number }) | undefined;
  let login: Promise<SharedSession> | undefined;
  /** The last login, if it was refused, and until when nobody tries another (rule S5). */
  let refusal: { readonly error: InitializeError; readonly clock: Clock; readonly until: number } | undefined;
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
      const existing = newer(expired, clock);
      if (existing !== undefined) return Promise.resolve(existing);
      const refused = refusal?.clock === clock ? refusedEarlier(refusal.error, clock, refusal.until) : undefined;
      if (refused !== undefined) return Promise.reject(refused);
      login ??= run()
        .then((headers) => {
          refusal = undefined;
          // A client that had to log in alone counts on by itself.
          const generation = Math.max(session?.generation ?? 0, expired) + 1;
          session = { generation, headers, clock, since: clock.monotonic() };
          return { generation, headers, ageMs: 0 };
        })
        .catch((error: unknown) => {
          if (error instanceof InitializeError && error.refused && error.retryAt !== undefined) {
            refusal = { error, clock, until: clock.monotonic() + error.retryAt.getTime() - clock.now() };
          }
          throw error;
        })
        .finally(() => {
          login = undefined;
        });
      return login;
    },
    pause(pause) {
      const current = pauses.get(pause.scope);
      if (current !== undefined && current.resumeAt >= pause.resumeAt) return;
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
