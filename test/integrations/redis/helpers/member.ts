import { type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { type RedisStateOptions, redisState } from 'concordat/redis';
import { onTestFinished } from 'vitest';
import type { RedisServer } from './redis-server.js';

export const encryptionKey = 'a key that every process has, of 32 bytes or more';

type MemberOptions = { [Name in keyof RedisStateOptions]?: RedisStateOptions[Name] | undefined };

/** A client as if in a process of its own: with a state and connections of its own. Its times are out of reach of a busy machine. */
export function member(
  server: Pick<RedisServer, 'connect'>,
  baseUrl: string,
  options: MemberOptions = {},
  overrides: Partial<ConnectorClientOptions> = {},
) {
  const redis = options.redis ?? server.connect();
  const key = options.storeSessionInPlainText ? {} : { encryptionKey };
  const settings = { connection: 'c', timeoutMs: 5000, takeoverMs: 5000, ...key, ...options, redis };
  const state = redisState(settings as RedisStateOptions);
  const client = createConnectorClient({
    baseUrl,
    initialize: { parameters: { user: 'ada', password: 'correct horse' } },
    retry: { minTimeoutMs: 1, maxTimeoutMs: 2 },
    rateLimit: { format: 'milliseconds', jitterMs: 0 },
    ...overrides,
    state,
  });
  const errors: unknown[] = [];
  client.on('error', ({ method, error }) => method === 'state' && errors.push(error));
  onTestFinished(async () => {
    client.close().catch(() => {});
    await state.close();
  });
  return { client, state, errors, redis };
}
