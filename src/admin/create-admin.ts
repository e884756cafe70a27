import { checkOptions, duration } from '../internal/index.js';
import { apiRoutes } from './api/routes.js';
import { AdminHttpError } from './http/errors.js';
import { createProxyWarnings } from './http/proxy-warnings.js';
import { createPlacement, readAway } from './http/request.js';
import { errorResponse } from './http/responses.js';
import { createMcpEndpoint } from './mcp/endpoint.js';
import type { AdminOptions } from './options.js';
import { readOptions } from './read-options.js';
import { uiRoutes } from './ui/index.js';

const grace = duration({ endless: true }).default(9000);

/** The administration of API keys, ready to be mounted. */
export interface Admin {
  /**
   * A standard fetch handler: for `toNodeHandler`, Hono, Bun and Deno. `env` is what the adapter passes
   * beside the request; on Node it holds the client's address. Never rejects.
   */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /**
   * Refuses new MCP requests, ends open streams at once, lets tool calls that are running finish, and aborts those that are
   * left after `graceMs`. Close the API keys afterwards. Calling it again returns the same promise.
   *
   * @param options.graceMs milliseconds, or `Infinity`. @default 9000: a second before `gracefulClose` cuts connections
   * @throws TypeError if `graceMs` is something else
   */
  close(options?: { graceMs?: number | undefined }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The administration of API keys below one path: the Admin API at `{basePath}/api/v1`, the MCP endpoint at
 * `{basePath}/mcp`, and the pages, which begin at `{basePath}/`. All three do the same, with the rights of whoever asks
 * (rules K1 to K21). Any other path below `basePath` is a 404.
 *
 * The MCP endpoint needs the package `@modelcontextprotocol/sdk`.
 *
 * @throws TypeError naming a wrong option
 * @example
 * const admin = createAdmin({ apiKeys, users, edition: 'Professional', basePath: '/admin' })
 * createServer(toNodeHandler(admin)).listen(8080) // from concordat/connector/node
 */
export function createAdmin(options: AdminOptions): Admin {
  const context = readOptions(options);
  const api = apiRoutes(context);
  const mcp = createMcpEndpoint(context, options);
  const ui = uiRoutes(context);
  const place = createPlacement(context);
  const warn = createProxyWarnings(options, context.onError);
  const dispatch = async (arrived: Request, env: unknown): Promise<Response> => {
    warn(arrived);
    const { request, path } = place(arrived);
    try {
      return await route(request, path, env);
    } finally {
      if (request !== arrived) readAway(request);
    }
  };
  const route = async (request: Request, path: string, env: unknown): Promise<Response> => {
    if (path === '/api' || path.startsWith('/api/')) return await api.fetch(request, env as object);
    if (path === '/mcp' || path === '/mcp/') return await mcp.fetch(request, env);
    if (path.startsWith('/mcp/') || path.startsWith('/.well-known/')) {
      throw new AdminHttpError(404, 'There is no such resource.');
    }
    return await ui.fetch(request, env as object);
  };
  const close: Admin['close'] = (options) => mcp.close(checkOptions(grace, options?.graceMs, 'graceMs'));
  return {
    async fetch(request, env) {
      try {
        return await dispatch(request, env);
      } catch (error) {
        return errorResponse(context, error);
      }
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}
