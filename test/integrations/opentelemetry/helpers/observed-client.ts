import { type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { type InstrumentOptions, instrument } from 'concordat/opentelemetry';
import { type SimulateConnectorOptions, simulateConnector } from 'concordat/testing';
import { onTestFinished } from 'vitest';
import { telemetry } from './telemetry.js';

/** A simulated connector on a port of this machine: limits are written in milliseconds, so that waits are short. */
export async function listeningConnector(options: SimulateConnectorOptions = {}) {
  const connector = simulateConnector({
    rateLimit: { limit: 1_000_000, windowMs: 1000, format: 'milliseconds' },
    ...options,
  });
  const { url, port, close } = await connector.listen();
  onTestFinished(close);
  return { connector, url, port };
}

/** A client that goes with {@link listeningConnector}, closed when the test ends. */
export function connectTo(url: string, overrides: Partial<ConnectorClientOptions> = {}) {
  const client = createConnectorClient({
    baseUrl: url,
    initialize: { parameters: { user: 'ada', password: 'correct horse' } },
    rateLimit: { format: 'milliseconds', jitterMs: 0, ...overrides.rateLimit },
    retry: { minTimeoutMs: 1, maxTimeoutMs: 2, ...overrides.retry },
    ...(overrides.timeoutMs === undefined ? {} : { timeoutMs: overrides.timeoutMs }),
    ...(overrides.clock === undefined ? {} : { clock: overrides.clock }),
    ...(overrides.state === undefined ? {} : { state: overrides.state }),
  });
  onTestFinished(() => {
    client.close().catch(() => {});
  });
  return client;
}

/** A connector, an instrumented client of it, and what OpenTelemetry was told. */
export async function observedClient(
  simulate: SimulateConnectorOptions = {},
  {
    client: overrides = {},
    options = {},
  }: { client?: Partial<ConnectorClientOptions>; options?: InstrumentOptions } = {},
) {
  const seen = telemetry();
  const { connector, url, port } = await listeningConnector(simulate);
  const client = connectTo(url, overrides);
  const { tracerProvider, meterProvider } = seen;
  const uninstrument = instrument(client, { tracerProvider, meterProvider, ...options });
  onTestFinished(uninstrument);
  return { seen, connector, url, port, client, uninstrument };
}
