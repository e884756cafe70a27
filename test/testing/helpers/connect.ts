import { type ConnectorClient, type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { type SimulateConnectorOptions, simulateConnector, virtualClock } from 'concordat/testing';
import { onTestFinished } from 'vitest';

export const baseUrl = 'http://connector.test';

type Overrides = Partial<ConnectorClientOptions>;

/** The real client, closed when the test ends: no jitter, and otherwise the defaults. */
export function connect(overrides: Overrides): ConnectorClient {
  const client = createConnectorClient({
    baseUrl,
    initialize: { parameters: { user: 'ada', password: 'correct horse' } },
    ...overrides,
    rateLimit: { jitterMs: 0, ...overrides.rateLimit },
  });
  // Not awaited: a test that failed half-way may have left requests that never end.
  onTestFinished(() => {
    client.close().catch(() => {});
  });
  return client;
}

/** A simulator and the real client on one virtual clock, in process. */
export function simulateInProcess(options: SimulateConnectorOptions = {}, overrides: Overrides = {}) {
  const clock = virtualClock();
  const connector = simulateConnector({ clock, ...options });
  return { clock, connector, client: connect({ fetch: connector.fetch, clock, ...overrides }) };
}

/** The same over a socket of this machine, with the client's own transport. */
export async function simulateOnPort(options: SimulateConnectorOptions = {}, overrides: Overrides = {}) {
  const clock = virtualClock();
  const connector = simulateConnector({ clock, ...options });
  const { url, close } = await connector.listen();
  onTestFinished(close);
  return { clock, connector, url, client: connect({ baseUrl: url, clock, ...overrides }) };
}
