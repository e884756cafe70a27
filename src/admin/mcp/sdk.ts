import type { AdminContext } from '../context.js';
import { AdminHttpError } from '../http/errors.js';

export type McpSdk = Awaited<ReturnType<typeof loadSdk>>;

/** The MCP SDK, an optional peer, loaded at the first request. @throws AdminHttpError 501 that says what to install */
export async function loadSdk(context: AdminContext) {
  try {
    // Bundlers take an import for optional if it is awaited in a `try`.
    const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
    const transports = await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js');
    const types = await import('@modelcontextprotocol/sdk/types.js');
    const { WebStandardStreamableHTTPServerTransport } = transports;
    return { ...types, McpServer, WebStandardStreamableHTTPServerTransport };
  } catch (error) {
    const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
    const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (!missing || !String(message).includes('@modelcontextprotocol')) throw error;
    const text =
      'The MCP endpoint needs the package `@modelcontextprotocol/sdk` 1.26 or newer: npm install @modelcontextprotocol/sdk';
    context.onError(new Error(text, { cause: error }));
    throw new AdminHttpError(501, text);
  }
}
