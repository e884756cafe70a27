// A process with one BullMQ worker, as docs/past-one-machine.md shows it.
import { Queue, Worker } from 'bullmq';
import { delayWhenLimited } from 'concordat/bullmq';
import { createConnectorClient } from 'concordat/client';
import { redisState } from 'concordat/redis';
import { Redis } from 'ioredis';
import { answerCommands } from '../worker.js';

export interface WorkerInput {
  redisUrl: string;
  connectorUrl: string;
  name: string;
  concurrency: number;
}

answerCommands({
  async start({ redisUrl, connectorUrl, name, concurrency }: WorkerInput) {
    const connection = { url: redisUrl, maxRetriesPerRequest: null };
    const redis = new Redis(redisUrl);
    redis.on('error', () => {}); // it is taken away on purpose
    const client = createConnectorClient({
      baseUrl: connectorUrl,
      initialize: async () => ({ 'x-session': 'bench' }),
      rateLimit: { format: 'milliseconds', onLimit: 'reject' },
      concurrency,
      state: redisState({ redis, connection: 'bench', storeSessionInPlainText: true }),
    });
    const queue = new Queue(name, { connection });
    const worker = new Worker(
      name,
      delayWhenLimited((job) => client.get(`/${job.data.number}`), { queue }),
      // Whoever is killed is missed soon, and may be killed again.
      { connection, concurrency, lockDuration: 5000, stalledInterval: 5000, maxStalledCount: 100 },
    );
    queue.on('error', () => {});
    worker.on('error', () => {});
    await worker.waitUntilReady();
  },
});
