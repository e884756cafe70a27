import { abortable } from '../internal/index.js';
import { AccountingError } from './faults/plan.js';
import { type Arrival, fromFetch, fromRequest } from './http/arrival.js';
import { listen } from './http/listen.js';
import { mswHandlers } from './http/msw-handlers.js';
import { toResponse } from './http/to-response.js';
import { checkOptions } from './options.js';
import { Simulation } from './simulation.js';
import type { SimulateConnectorOptions, SimulatedConnector, SimulatedResource } from './types.js';

/**
 * A connector to test your client against: it keeps the contract, has a rate limit and sessions that expire, and fails the
 * way your test asks it to. Use it as a `fetch`, as msw handlers, or on a port; it records every request.
 *
 * Without options its sessions never end, and every request that carries one gets a 200.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const connector = simulateConnector({ rateLimit: { limit: 100, windowMs: 60_000 }, session: { ttlMs: 30_000 } })
 * const client = createConnectorClient({ baseUrl: 'http://connector.test', initialize, fetch: connector.fetch })
 */
export function simulateConnector(options: SimulateConnectorOptions = {}): SimulatedConnector {
  const settings = checkOptions(options);
  let simulation = new Simulation(settings);
  const { basePath } = settings;
  const respond = (arrival: Arrival, base: string) => {
    const response = simulation.reply(arrival, base).then((reply) => toResponse(reply, arrival));
    return abortable(response, arrival.signal);
  };

  return {
    fetch: async (input, init) => {
      const arrival = await fromFetch(input, init);
      return respond(arrival, basePath);
    },
    handlers: (baseUrl) =>
      mswHandlers(baseUrl, basePath, async (request, base) => respond(await fromRequest(request), base)),
    listen: (port = 0) => listen((arrival) => simulation.reply(arrival, basePath), { port, basePath }),
    get journal() {
      return simulation.journal;
    },
    script: (steps) => simulation.plan.add(steps),
    assertAllConsumed() {
      const differences = simulation.plan.differences();
      if (differences.length === 0) return;
      throw new AccountingError(`What was planned and what happened differ:\n\n  ${differences.join('\n  ')}\n`);
    },
    expireSessions: () => simulation.sessions.endAll(),
    useUpQuota: () => simulation.quotas.useUp(),
    reset() {
      simulation = new Simulation(settings);
    },
    resource(name) {
      const { resources } = simulation.routes;
      if (!resources.has(name)) {
        const known = [...resources.keys()].map((key) => `"${key}"`).join(', ') || 'none';
        throw new Error(`\`resources\` has no "${name}": there are ${known}.`);
      }
      const now = () => simulation.routes.resources.get(name) as SimulatedResource; // also after `reset()`
      return {
        all: () => now().all(),
        get: (id) => now().get(id),
        set: (item) => now().set(item),
        delete: (id) => now().delete(id),
      };
    },
  };
}
