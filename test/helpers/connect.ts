import { type ConnectorClient, type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { onTestFinished } from 'vitest';
import { type VirtualClock, virtualClock } from './virtual-clock.js';

type Overrides = Partial<ConnectorClientOptions>;

/** The password that every test logs in with: it must turn up in the login's body and nowhere else. */
export const password = 'canary-p4ssw0rd';

/**
 * A client for a scripted connector, closed when the test ends: retries after a millisecond, no jitter, and otherwise the
 * defaults.
 */
export function connect(connector: { url: string }, overrides: Overrides = {}): ConnectorClient {
  const client = createConnectorClient({
    baseUrl: connector.url,
    initialize: {
      parameters: [
        { key: 'user', value: 'alice', sensitive: false },
        { key: 'password', value: password, sensitive: true },
      ],
    },
    ...overrides,
    rateLimit: { jitterMs: 0, ...overrides.rateLimit },
    retry: { minTimeoutMs: 1, maxTimeoutMs: 2, ...overrides.retry },
  });
  // Not awaited: a test that failed half-way may have left requests that never end.
  onTestFinished(() => {
    client.close().catch(() => {});
  });
  return client;
}

/** The same with a clock that only the test moves. */
export function connectVirtually(
  connector: { url: string },
  overrides: Overrides = {},
): { client: ConnectorClient; clock: VirtualClock } {
  const clock = virtualClock();
  return { client: connect(connector, { clock, ...overrides }), clock };
}
