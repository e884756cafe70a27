import { type AdminOptions, readOptions } from './options.js';
import { uiRoutes } from './ui/index.js';

export interface Admin {
  /** A standard fetch handler: for `toNodeHandler`, hono's `mount`, Bun, Deno. `env` is what the adapter hands over. */
  fetch(request: Request, env?: unknown): Promise<Response>;
}

/**
 * The administration of API keys: Admin API, MCP endpoint and UI under one path.
 *
 * @throws TypeError naming a wrong option
 */
export function createAdmin(options: AdminOptions): Admin {
  const context = readOptions(options);
  const ui = uiRoutes(context);
  return {
    fetch: async (request, env) => await ui.fetch(request, env as object),
  };
}
