import { channel } from 'node:diagnostics_channel';

/** What the client tells while it works (rule G6). `scope` is there when `rateLimit.scope` names one. No event ever carries a session value (rule S7). */
export interface ClientEvents {
  /** A rate limit closed the gate: one event per limit, however many requests met it. */
  pause: { reason: 'rate-limit'; waitMs: number; resumeAt: Date; source: 'header' | 'fallback'; scope?: string };
  /** The gate is open again. */
  resume: { pausedMs: number; scope?: string };
  /** Still waiting: every 10 seconds of a pause, and when a pause grows by more than a second. */
  heartbeat: { reason: 'rate-limit'; resumeAt: Date; remainingMs: number; pausedMs: number; scope?: string };
  /** A login succeeded. `generation` counts the sessions of this client from 1. */
  initialize: { generation: number; reason: 'first' | 'expired'; durationMs: number };
  /** A transient failure is tried again after `delayMs`. `attempt` counts the retries of the call from 1. */
  retry: { method: string; path: string; attempt: number; delayMs: number; error: Error };
  /** A call, a login or a clean-up failed for good. */
  error: { method: string; path: string; error: unknown };
}

export type ClientEventName = keyof ClientEvents;
export type ClientEventListener<Name extends ClientEventName> = (event: ClientEvents[Name]) => void;
export type Emit = <Name extends ClientEventName>(name: Name, event: ClientEvents[Name]) => void;

const names: readonly ClientEventName[] = ['pause', 'resume', 'heartbeat', 'initialize', 'retry', 'error'];
const channels = Object.fromEntries(names.map((name) => [name, channel(`concordat:client:${name}`)])) as Record<
  ClientEventName,
  ReturnType<typeof channel>
>;

/**
 * Listeners of one client; the same events go to the `diagnostics_channel`s `concordat:client:<event>`, where each
 * message also names the connector's `baseUrl`.
 */
export class EventHub {
  readonly #listeners = new Map<ClientEventName, Set<(event: never) => void>>();
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
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
    if (channels[name].hasSubscribers) channels[name].publish({ ...event, baseUrl: this.#baseUrl });
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        (listener as ClientEventListener<typeof name>)(event);
      } catch (error) {
        // A listener's defect must not harm the synchronisation, and must not go unseen either.
        if (name !== 'error') this.emit('error', { method: 'on', path: name, error });
      }
    }
  };
}
