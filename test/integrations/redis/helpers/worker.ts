// A process of a fleet: makes the calls that it is told to, and tells what happened.
import { createConnectorClient } from 'concordat/client';
import { redisState } from 'concordat/redis';
import { Redis } from 'ioredis';

const [redisUrl = '', baseUrl = '', password = ''] = process.argv.slice(2);
const send = (message: object) => process.send?.(message);

const redis = new Redis(redisUrl, { lazyConnect: true });
const state = redisState({
  redis,
  connection: 'fleet',
  encryptionKey: 'k'.repeat(32),
  // Out of reach of a busy machine, and short enough for a test that waits for one of them to pass.
  timeoutMs: 3000,
  takeoverMs: 3000,
});
const client = createConnectorClient({
  baseUrl,
  initialize: { parameters: { user: 'ada', password } },
  rateLimit: { format: 'milliseconds', jitterMs: 0 },
  retry: { minTimeoutMs: 5, maxTimeoutMs: 10 },
  state,
});
client.on('pause', () => send({ event: 'pause' }));
client.on('error', ({ method, error }) => send({ event: 'error', method, message: String(error) }));

process.on('message', async ({ id, paths }: { id: number; paths: string[] }) => {
  const results = await Promise.all(
    paths.map((path) =>
      client.get(path).then(
        () => 'ok',
        (error: Error) => error.name,
      ),
    ),
  );
  send({ id, results, shared: state.shared });
});
process.on('disconnect', () => process.exit());
send({ event: 'ready' });
