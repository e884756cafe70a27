export { allowedHostsOption } from './allowed-hosts.js';
export { createMcpEndpoint, type McpEndpoint } from './endpoint.js';
export { mcpToolsOption } from './host-tools.js';
export type { McpTool, McpToolCall } from './tool.js';
