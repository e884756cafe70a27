import { channel } from 'node:diagnostics_channel';

/** A quota that has been learned by meeting its limit, or that the connector announces (rule W8). */
export interface Quota {
  /** How many requests a window allows. */
  readonly limit: number;
  readonly windowMs: number;
}

/** One call as events name it: the same object in all events of the call. The path is without its query (rule S7). */
export interface ClientCall {
  readonly method: string;
  readonly path: string;
}

/** What came of one request: `limit`, `unauthorized` and `error` are answers; after `failed` and `aborted` there was none that counts. */
export type AttemptOutcome = 'success' | 'limit' | 'unauthorized' | 'error' | 'failed' | 'aborted';

/** What the client tells while it works (rule G6). `scope` is there when `rateLimit.scope` names one. No event ever carries a session value (rule S7). */
export interface ClientEvents {
  /** A rate limit closed the gate: one event per limit, however many requests met it. */
  pause: { reason: 'rate-limit'; waitMs: number; resumeAt: Date; source: 'header' | 'fallback'; scope?: string };
  /** The gate is open again. */
  resume: { pausedMs: number; scope?: string };
  /** Still waiting: every 10 seconds of a pause, and when a pause grows by more than a second. */
  heartbeat: { reason: 'rate-limit'; resumeAt: Date; remainingMs: number; pausedMs: number; scope?: string };
  /**
   * What the client has learned of a limit by meeting it, when that is new or has changed; `undefined` when it was so long ago
   * that it is forgotten.
   */
  quota: { quota: Quota | undefined; scope?: string };
  /** A login succeeded. `generation` counts the sessions of this client from 1. */
  initialize: { generation: number; reason: 'first' | 'expired'; durationMs: number };
  /** A transient failure is tried again after `delayMs`. `attempt` counts the retries of the call from 1. */
  retry: { method: string; path: string; attempt: number; delayMs: number; error: Error };
  /** A call, a login or a clean-up failed for good. */
  error: { method: string; path: string; error: unknown };
}

/**
 * What tracers are told of single calls, on the `diagnostics_channel`s `concordat:client:<event>` and only there: observing calls
 * is work that is not done unless somebody subscribes.
 */
export interface ClientCallEvents {
  /**
   * A call begins. A tracer may have it run inside a function of its own, as `context.with` is, and may add a header where
   * neither the caller nor the session has one of that name.
   */
  call: { call: ClientCall; runIn(wrapper: CallWrapper): void; setHeader(name: string, value: string): void };
  /** A request came to its end. `number` counts the requests of the call, or of the login where there is no `call`, from 1. */
  attempt: {
    call?: ClientCall;
    method: string;
    path: string;
    number: number;
    outcome: AttemptOutcome;
    status?: number;
    error?: unknown;
    durationMs: number;
  };
  /** A call has waited: for a rate limit, a login, the delay before a retry, or for its turn. */
  wait: { call: ClientCall; reason: 'rate-limit' | 'login' | 'retry' | 'queue'; waitedMs: number };
  /** A call is over. `status` is that of the last answer, `error` what it was rejected with, `attempts` how many requests it took. */
  result: { call: ClientCall; status?: number; error?: unknown; durationMs: number; attempts: number };
}

/** Runs a function and gives back what it gives back. */
export type CallWrapper = <T>(run: () => T) => T;

export type ClientEventName = keyof ClientEvents;
export type ClientEventListener<Name extends ClientEventName> = (event: ClientEvents[Name]) => void;
export type Emit = <Name extends ClientEventName>(name: Name, event: ClientEvents[Name]) => void;
export type Publish = <Name extends keyof ClientCallEvents>(name: Name, event: ClientCallEvents[Name]) => void;

export type ClientChannelEvents = ClientEvents & ClientCallEvents;

const names: readonly ClientEventName[] = ['pause', 'resume', 'heartbeat', 'quota', 'initialize', 'retry', 'error'];
const callNames: readonly (keyof ClientCallEvents)[] = ['call', 'attempt', 'wait', 'result'];
const channels = Object.fromEntries(
  [...names, ...callNames].map((name) => [name, channel(`concordat:client:${name}`)]),
) as Record<keyof ClientChannelEvents, ReturnType<typeof channel>>;

/**
 * Listeners of one client; the same events go to the `diagnostics_channel`s `concordat:client:<event>`, where each
 * message also names the connector's `baseUrl` and the `client`.
 */
export class EventHub {
  readonly #listeners = new Map<ClientEventName, Set<(event: never) => void>>();
  readonly #sender: object;

  /** @param sender what channels are told beside each event. */
  constructor(sender: object) {
    this.#sender = sender;
  }

  /** Whether anybody wants to know of single calls. */
  get watchesCalls(): boolean {
    const { call, attempt, wait, result } = channels;
    return call.hasSubscribers || attempt.hasSubscribers || wait.hasSubscribers || result.hasSubscribers;
  }

  /** @returns a function that takes the listener away again. */
  on<Name extends ClientEventName>(name: Name, listener: ClientEventListener<Name>): () => void {
    if (!names.includes(name)) {
      throw new TypeError(`\`event\` must be one of ${names.join(', ')}, got ${JSON.stringify(name)}.`);
    }
    if (typeof listener !== 'function') throw new TypeError('`listener` must be a function.');
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  readonly emit: Emit = (name, event) => {
    if (channels[name].hasSubscribers) channels[name].publish({ ...event, ...this.#sender });
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        (listener as ClientEventListener<typeof name>)(event);
      } catch (error) {
        // A listener's defect must not harm the synchronisation, and must not go unseen either.
        if (name !== 'error') this.emit('error', { method: 'on', path: name, error });
      }
    }
  };

  /** Tells tracers of a single call. */
  readonly publish: Publish = (name, event) => {
    if (channels[name].hasSubscribers) channels[name].publish({ ...event, ...this.#sender });
  };
}
