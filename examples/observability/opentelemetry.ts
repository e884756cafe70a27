/**
 * Calls as spans, pauses and logins as metrics. Run it: npx tsx examples/observability/opentelemetry.ts
 *
 * A service has `@opentelemetry/sdk-node` and an exporter to its collector instead of the two that keep all in memory here.
 */
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createConnectorClient } from 'concordat/client';
import { instrumentAll } from 'concordat/opentelemetry';
import { initialize, startConnector } from './connector.js';

const spanExporter = new InMemorySpanExporter();
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] }));
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

// The one line that Concordat needs.
instrumentAll({ urlTemplate: ({ path }) => path.replace(/\/\d+/g, '/{id}') });

await using connector = await startConnector();
await using client = createConnectorClient({ baseUrl: connector.url, initialize, retry: { minTimeoutMs: 50 } });

await trace.getTracer('my-service').startActiveSpan('synchronize issues', async (span) => {
  for (let id = 1; id <= 6; id++) await client.get(`/issues/${id}`);
  span.end();
});

console.log('spans');
for (const { name, parentSpanContext, attributes, events } of spanExporter.getFinishedSpans()) {
  const child = parentSpanContext === undefined ? '' : '  ';
  const told = events.map((event) => event.name.replace('concordat.', '')).join(', ');
  console.log(`  ${child}${name} ${attributes['http.response.status_code'] ?? ''} ${told}`.trimEnd());
}

console.log('metrics');
await reader.forceFlush();
for (const { descriptor, dataPoints } of metricExporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? []) {
  const total = dataPoints.reduce((sum, { value }) => sum + (typeof value === 'number' ? value : value.count), 0);
  console.log(`  ${descriptor.name} ${Number(total.toFixed(1))}`);
}
await reader.shutdown();
