import { context, type Span, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';

/** The real SDK of OpenTelemetry, keeping in memory what would be exported; taken down when the test ends. */
export function telemetry() {
  const spanExporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const contextManager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contextManager);
  onTestFinished(async () => {
    context.disable();
    await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
  });

  async function metrics() {
    await reader.forceFlush();
    return (
      metricExporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
    );
  }

  return {
    tracerProvider,
    meterProvider,
    /** What `instrument` takes. */
    providers: { tracerProvider, meterProvider },
    /** Spans that have ended, in that order. */
    get spans() {
      return spanExporter.getFinishedSpans();
    },
    metrics,
    /** The data points of one metric. */
    async points(name: string): Promise<DataPoint<number>[]> {
      const metric = (await metrics()).find(({ descriptor }) => descriptor.name === name);
      return (metric?.dataPoints ?? []) as DataPoint<number>[];
    },
    async histogram(name: string): Promise<DataPoint<Histogram>[]> {
      const metric = (await metrics()).find(({ descriptor }) => descriptor.name === name);
      return (metric?.dataPoints ?? []) as DataPoint<Histogram>[];
    },
    /** The sum of a counter over all its attributes. */
    async total(name: string): Promise<number> {
      return (await this.points(name)).reduce((sum, { value }) => sum + value, 0);
    },
    /** Runs something inside a span of the caller's own. */
    inside<T>(name: string, run: (span: Span) => Promise<T>): Promise<T> {
      return tracerProvider.getTracer('caller').startActiveSpan(name, async (span) => {
        try {
          return await run(span);
        } finally {
          span.end();
        }
      });
    },
    activeSpan: () => trace.getActiveSpan(),
  };
}
