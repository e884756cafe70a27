import { AccountingError } from './faults/plan.js';
import { type Arrival, fromFetch, fromRequest } from './http/arrival.js';
import { listen } from './http/listen.js';
import { mswHandlers } from './http/msw-handlers.js';
import { toResponse } from './http/to-response.js';
import { checkOptions } from './options.js';
import { Simulation } from './simulation.js';
import type { SimulateConnectorOptions, SimulatedConnector } from './types.js';

/**
 * A connector for tests of what calls connectors: it keeps the contract, has a quota and sessions that end, and fails in
 * every way that a test asks for. It answers as a fetch, as handlers for msw, and on a port, and remembers every request.
 *
 * Without options it hands out sessions that never end, asks for them, and answers every request 200.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const connector = simulateConnector({ rateLimit: { limit: 100, windowMs: 60_000 }, session: { ttlMs: 30_000 } })
 * const client = createConnectorClient({ baseUrl: 'http://connector.test', initialize, fetch: connector.fetch })
 */
export function simulateConnector(options: SimulateConnectorOptions = {}): SimulatedConnector {
  const settings = checkOptions(options);
  const simulation = new Simulation(settings);
  const { clock, basePath } = settings;
  const answer = async (arrival: Arrival, base: string) =>
    toResponse(await simulation.reply(arrival, base), clock, arrival.signal);

  return {
    fetch: async (input, init) => {
      const arrival = await fromFetch(input, init);
      arrival.signal?.throwIfAborted();
      return answer(arrival, basePath);
    },
    handlers: (baseUrl) => mswHandlers(baseUrl, async (request, base) => answer(await fromRequest(request), base)),
    listen: (port = 0) => listen((arrival) => simulation.reply(arrival, basePath), { port, basePath, clock }),
    journal: simulation.journal.entries,
    script: (steps) => simulation.plan.add(steps),
    assertAllConsumed() {
      const differences = simulation.plan.differences();
      if (differences.length === 0) return;
      throw new AccountingError(`What was planned and what happened differ:\n\n  ${differences.join('\n  ')}\n`);
    },
    expireSessions: () => simulation.sessions.endAll(),
    useUpQuota() {
      if (simulation.quota === undefined) throw new Error('There is no quota to use up: give `rateLimit`.');
      simulation.quota.useUp();
    },
    resource(name) {
      const resource = simulation.routes.resources.get(name);
      if (resource === undefined) throw new Error(`\`resources\` has no "${name}".`);
      return resource;
    },
  };
}
