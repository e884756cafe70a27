// One process of the fleet: fifty callers that call without a break.
import { createConnectorClient } from 'concordat/client';
import { redisState } from 'concordat/redis';
import { Redis } from 'ioredis';
import { answerCommands } from '../worker.js';

export interface MemberInput {
  readonly redisUrl: string;
  readonly connectorUrl: string;
  /** What a login does while Redis is away. */
  readonly whenAway: 'alone' | 'wait';
}

const failed: string[] = [];

answerCommands({
  start({ redisUrl, connectorUrl, whenAway }: MemberInput) {
    const redis = new Redis(redisUrl, { retryStrategy: () => 50 });
    redis.on('error', () => {}); // it is taken away on purpose
    const client = createConnectorClient({
      baseUrl: connectorUrl,
      initialize: { parameters: { user: 'ada' } },
      rateLimit: { format: 'milliseconds' },
      state: redisState({ redis, connection: 'bench', storeSessionInPlainText: true, whenAway }),
    });
    const call = async () => {
      for (;;) {
        try {
          await client.get('/issues/7');
        } catch (error) {
          failed.push(String(error));
        }
      }
    };
    for (let caller = 0; caller < 50; caller++) void call();
  },
  failures: () => failed,
});
