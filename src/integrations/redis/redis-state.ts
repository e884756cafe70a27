import { randomUUID } from 'node:crypto';
import type { ConnectionState } from '../../client/index.js';
import { parseJson } from '../../internal/index.js';
import { takePermits } from './lease-script.js';
import { joinLink } from './link.js';
import { checkOptions, type RedisStateOptions } from './options.js';
import { type Left, namesOf } from './scripts.js';
import { sharedPauses } from './shared-pauses.js';
import { sharedSessions } from './shared-sessions.js';

/** State in Redis. `shared` and `onError` are the only signs of an outage. */
export interface RedisState extends ConnectionState, AsyncDisposable {
  /** Whether the session and pauses are shared right now; `false` while Redis is away. */
  readonly shared: boolean;
  onError(listener: (error: Error) => void): () => void;
  /** Closes the state's connections if no other state uses them; your `redis` stays open. Close the clients first. */
  close(): Promise<void>;
}

/**
 * Shares the session and the pauses of a connection between processes: one login and one pause serve them all.
 *
 * While Redis is down each process uses a session and pauses of its own, and its clients emit one `error` event. When Redis is
 * back, the processes exchange their pauses and share the next login again.
 *
 * @throws TypeError naming the option that is wrong, `encryptionKey` first of all.
 * @example
 * const state = redisState({ redis: new Redis(), connection: 'github-acme', encryptionKey: process.env.SESSION_KEY })
 * const client = createConnectorClient({ ...options, state })
 */
export function redisState(options: RedisStateOptions): RedisState {
  const settings = checkOptions(options);
  const names = namesOf(settings);
  const from = randomUUID();
  const closing = new AbortController();
  const { link, leave } = joinLink(settings, {
    channel: names.news,
    onMessage(text) {
      const message = parseJson(text) as { from: string; pause?: Left } | undefined;
      if (message === undefined || message.from === from) return;
      if (message.pause === undefined) sessions.wake();
      else void pauses.receive(message.pause);
    },
    onUp() {
      sessions.wake();
      void pauses.synchronize();
    },
  });
  const sessions = sharedSessions(link, names, settings, JSON.stringify({ from }), closing.signal);
  const pauses = sharedPauses(link, names, (pause) => JSON.stringify({ from, pause }));
  void pauses.synchronize();

  // Clients of this process share their gates; other processes share the pauses.
  const gates = new Map<string, object>();

  async function close(): Promise<void> {
    if (closing.signal.aborted) return;
    closing.abort();
    leave();
  }
  return {
    get shared() {
      return link.up;
    },
    renew: sessions.renew,
    newer: sessions.newer,
    pause: pauses.share,
    onPause: pauses.onPause,
    take: (scope, request) => link.run((redis, deadline) => takePermits(redis, names, { ...request, scope, deadline })),
    gate(key, create) {
      const gate = gates.get(key) ?? create();
      gates.set(key, gate);
      return gate as ReturnType<typeof create>;
    },
    onError: (listener) => link.onOutage(listener),
    close,
    [Symbol.asyncDispose]: close,
  };
}
