import { channel } from 'node:diagnostics_channel';
import { isConnectorError, type RequestLine } from '../contract/index.js';
import { quiet } from '../internal/index.js';

/** A quota, learned by hitting its limit or announced by the connector (rule W8). */
export interface Quota {
  /** How many requests a window allows. */
  readonly limit: number;
  readonly windowMs: number;
}

/** A call as events name it: the same object in all events of the call. The path has no query (rule S7). */
export interface ClientCall {
  readonly method: string;
  readonly path: string;
}

/** What came of one request. After `failed` and `aborted` there was no usable response. */
export type AttemptOutcome = 'success' | 'limit' | 'unauthorized' | 'error' | 'failed' | 'aborted';

/**
 * What a client reports (rule G6). `scope` is set if `rateLimit.scope` names one. No event has session values (rule
 * S7).
 */
export interface ClientEvents {
  /** A rate limit has paused the client: one event per limit, however many requests hit it. */
  pause: { reason: 'rate-limit'; waitMs: number; resumeAt: Date; source: 'header' | 'fallback'; scope?: string };
  /** The pause is over. */
  resume: { pausedMs: number; scope?: string };
  /** The pause goes on: every 10 seconds, and whenever it grows by more than a second. */
  heartbeat: { reason: 'rate-limit'; resumeAt: Date; remainingMs: number; pausedMs: number; scope?: string };
  /** The known quota is new or has changed; `undefined` once the last limit was so long ago that it is forgotten. */
  quota: { quota: Quota | undefined; scope?: string };
  /** A login succeeded. `generation` counts the sessions of the `state` from 1, those of other clients included. */
  initialize: { generation: number; reason: 'first' | 'expired'; durationMs: number };
  /**
   * A transient failure is retried after `delayMs`, or the rest of a stream that broke off is requested. `attempt` counts
   * the retries of the request from 1, or the requests for the rest.
   */
  retry: { method: string; path: string; attempt: number; delayMs: number; error: Error };
  /**
   * A call or a login was turned away by a rate limit, because the options do not let it wait: nothing failed. The work
   * can be done at `resumeAt` (rule W7).
   */
  parked: { method: string; path: string; resumeAt: Date; error: Error };
  /** A call, a login or a clean-up failed for good. */
  error: { method: string; path: string; error: unknown };
  /** The client has closed, and its last call is over: nothing follows. */
  close: Record<string, never>;
}

/**
 * What tracers see of single calls, only on the `diagnostics_channel`s `concordat:client:<event>`. Without a
 * subscriber, calls are not observed at all.
 */
export interface ClientCallEvents {
  /**
   * A call begins. A tracer may run it inside a function such as `context.with`, and may add a header unless the caller
   * or the session sets one of that name.
   */
  call: { call: ClientCall; runIn: (wrapper: CallWrapper) => void; setHeader: (name: string, value: string) => void };
  /** A request has ended. `number` counts from 1 within the call, or within the login if there is no `call`. */
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
  /**
   * A call is over, of a stream with its body: the last `status`, the `error` that the caller gets, and how many `attempts`
   * it took.
   */
  result: { call: ClientCall; status?: number; error?: unknown; durationMs: number; attempts: number };
}

/** Runs a function and returns its result. */
export type CallWrapper = <T>(run: () => T) => T;

export type ClientEventName = keyof ClientEvents;
/** What it returns is ignored; one that throws or rejects does no harm (rule G6). */
export type ClientEventListener<Name extends ClientEventName> = (event: ClientEvents[Name]) => unknown;
export type Emit = <Name extends ClientEventName>(name: Name, event: ClientEvents[Name]) => void;
export type Publish = <Name extends keyof ClientCallEvents>(name: Name, event: ClientCallEvents[Name]) => void;

export type ClientChannelEvents = ClientEvents & ClientCallEvents;

const names: readonly ClientEventName[] = [
  'pause',
  'resume',
  'heartbeat',
  'quota',
  'initialize',
  'retry',
  'parked',
  'error',
  'close',
];
const callNames: readonly (keyof ClientCallEvents)[] = ['call', 'attempt', 'wait', 'result'];
const channels = Object.fromEntries(
  [...names, ...callNames].map((name) => [name, channel(`concordat:client:${name}`)]),
) as Record<keyof ClientChannelEvents, ReturnType<typeof channel>>;

/**
 * The listeners of one client. The same events go to the `diagnostics_channel`s `concordat:client:<event>`, where each
 * message also has the connector's `baseUrl` and the `client`.
 */
export class EventHub {
  readonly #listeners = new Map<ClientEventName, Set<(event: never) => void>>();
  readonly #sender: object;

  /** @param sender added to each message on a channel. */
  constructor(sender: object) {
    this.#sender = sender;
  }

  /** Whether a tracer listens to single calls. */
  get watchesCalls(): boolean {
    const { call, attempt, wait, result } = channels;
    return call.hasSubscribers || attempt.hasSubscribers || wait.hasSubscribers || result.hasSubscribers;
  }

  /** @returns a function that removes the listener. */
  on<Name extends ClientEventName>(name: Name, listener: ClientEventListener<Name>): () => void {
    if (!names.includes(name)) {
      throw new TypeError(`\`event\` must be one of ${names.join(', ')}, got ${JSON.stringify(name)}.`);
    }
    if (typeof listener !== 'function') throw new TypeError('`listener` must be a function.');
    const listeners = this.#listeners.get(name) ?? new Set();
    // Of one function that listens twice, each removal ends one.
    const registered: ClientEventListener<Name> = (event) => listener(event);
    this.#listeners.set(name, listeners.add(registered));
    return () => {
      listeners.delete(registered);
    };
  }

  readonly emit: Emit = (name, event) => {
    if (channels[name].hasSubscribers) channels[name].publish({ ...event, ...this.#sender });
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      // A listener that fails must not fail the call, and must not go unnoticed either.
      const onFailure = (error: unknown) => {
        if (name !== 'error') this.emit('error', { method: 'on', path: name, error });
      };
      quiet(listener as ClientEventListener<typeof name>, onFailure)(event);
    }
  };

  /** Reports what ended a call or a login: a limit that it may not wait for only parks it (rule W7). */
  failed({ method, path }: RequestLine, error: unknown): void {
    if (isConnectorError(error, 'rate-limit')) this.emit('parked', { method, path, resumeAt: error.resumeAt, error });
    else this.emit('error', { method, path, error });
  }

  /** Publishes an event of a single call. */
  readonly publish: Publish = (name, event) => {
    if (channels[name].hasSubscribers) channels[name].publish({ ...event, ...this.#sender });
  };
}
