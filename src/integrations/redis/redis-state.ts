import { randomUUID } from 'node:crypto';
import type { ConnectionState } from '../../client/index.js';
import { parseJson } from '../../internal/index.js';
import { Link } from './link.js';
import { checkOptions, type RedisStateOptions } from './options.js';
import { namesOf } from './scripts.js';
import { SharedPauses } from './shared-pauses.js';
import { SharedSessions } from './shared-sessions.js';

export type { RedisStateOptions };

/** State in redis. It is an outage's only sign of life, too: see {@link RedisState.shared} and `onError`. */
export interface RedisState extends ConnectionState, AsyncDisposable {
  /** Whether session and pauses are shared right now; `false` while redis is away. */
  readonly shared: boolean;
  onError(listener: (error: Error) => void): () => void;
  /** Ends the connection for messages; the one given as `redis` stays open. Close the clients first. */
  close(): Promise<void>;
}

/**
 * Shares the session and the pauses of a connection between processes: one login and one pause serve them all.
 *
 * While redis is away each process goes on with a session and pauses of its own; its clients say so by an `error` event, once. When
 * redis is back, pauses are exchanged, and the next login is shared again.
 *
 * @throws TypeError naming the option that is wrong, `encryptionKey` first of all.
 * @example
 * const state = redisState({ redis: new Redis(), connection: 'github-acme', encryptionKey: process.env.SESSION_KEY })
 * const client = createConnectorClient({ ...options, state })
 */
export function redisState(options: RedisStateOptions): RedisState {
  const settings = checkOptions(options);
  const { redis, prefix, connection, timeoutMs } = settings;
  const names = namesOf(prefix, connection);
  const from = randomUUID();
  const closing = new AbortController();
  const link = new Link(redis, timeoutMs);
  const sessions = new SharedSessions(link, names, settings, JSON.stringify({ from }), closing.signal);
  const pauses = new SharedPauses(link, names, (pause) => JSON.stringify({ from, pause }));

  // A connection that listens to messages can do nothing else.
  const listening = redis.duplicate({ lazyConnect: false, autoResubscribe: false });
  listening.on('error', () => {}); // the commands tell
  listening.on('message', (_channel, text: string) => {
    const message = parseJson(text) as { from: string; pause?: { scope: string; remainingMs: number } } | undefined;
    if (message === undefined || message.from === from) return;
    if (message.pause === undefined) sessions.wake();
    else pauses.receive(message.pause);
  });
  const synchronise = () => {
    link.revive();
    void pauses.synchronise();
  };
  listening.on('ready', () => {
    // What is told from here on is heard; what was told before is read. The other way round something is lost in between.
    listening.subscribe(names.news).then(synchronise, () => {}); // lost again: the next connection subscribes
  });
  redis.on('ready', synchronise);
  void pauses.synchronise();

  // Clients of this process share their gates; other processes share the pauses.
  const gates = new Map<string, object>();

  let closed: Promise<void> | undefined;
  async function end(): Promise<void> {
    closing.abort();
    redis.off('ready', synchronise);
    link.close();
    listening.disconnect();
  }
  const close = () => {
    closed ??= end();
    return closed;
  };
  return {
    get shared() {
      return link.up;
    },
    renew: (expired, login) => sessions.renew(expired, login),
    newer: (than) => sessions.newer(than),
    pause: (pause) => pauses.tell(pause),
    onPause: (listener) => pauses.onPause(listener),
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
