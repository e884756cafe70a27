/**
 * What a client tells of itself while it works. Run it: npx tsx examples/observability/events.ts
 */
import { createConnectorClient } from 'concordat/client';
import { initialize, startConnector } from './connector.js';

await using connector = await startConnector();
await using client = createConnectorClient({ baseUrl: connector.url, initialize, retry: { minTimeoutMs: 50 } });

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

client.on('initialize', ({ generation, reason }) => console.log(`initialize  session ${generation}, ${reason}`));
client.on('pause', ({ waitMs, source }) => console.log(`pause       ${seconds(waitMs)}, says the ${source}`));
client.on('heartbeat', ({ remainingMs }) => console.log(`heartbeat   ${seconds(remainingMs)} to go`));
client.on('resume', ({ pausedMs }) => console.log(`resume      after ${seconds(pausedMs)}`));
client.on('retry', ({ method, path, attempt, error }) =>
  console.log(`retry       ${method} ${path}, number ${attempt}: ${error.message}`),
);
client.on('error', ({ method, path, error }) => console.log(`error       ${method} ${path}: ${String(error)}`));

for (let id = 1; id <= 8; id++) await client.get(`/issues/${id}`);
await client.get('/no-such-page').catch(() => {}); // told of by `error`
console.log('counters   ', client.status.counters);
