/**
 * Every client of the process in one place, without touching the code that makes them: a log line for each call, and one for
 * each pause. Run it: npx tsx examples/observability/diagnostics-channel.ts
 */
import { subscribe } from 'node:diagnostics_channel';
import { type ClientChannelMessage, createConnectorClient } from 'concordat/client';
import { initialize, startConnector } from './connector.js';

subscribe('concordat:client:result', (message) => {
  const { call, status, attempts, durationMs, error } = message as ClientChannelMessage<'result'>;
  const outcome = error === undefined ? status : String(error);
  console.log(`${call.method} ${call.path}: ${outcome}, ${attempts} requests, ${Math.round(durationMs)} ms`);
});
subscribe('concordat:client:pause', (message) => {
  const { baseUrl, waitMs } = message as ClientChannelMessage<'pause'>;
  console.log(`${new URL(baseUrl).hostname} is paused for ${waitMs} ms`);
});

await using connector = await startConnector();
await using reader = createConnectorClient({ baseUrl: connector.url, initialize });
await using writer = createConnectorClient({ baseUrl: connector.url, initialize });

await Promise.all([1, 2, 3].map((id) => reader.get(`/issues/${id}`)));
await Promise.all([4, 5, 6].map((id) => writer.get(`/issues/${id}`)));
await writer.get('/no-such-page').catch(() => {}); // in the log
