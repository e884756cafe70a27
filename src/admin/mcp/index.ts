export { allowedHostsOption } from './allowed-hosts.js';
export { createMcpEndpoint } from './endpoint.js';
export { mcpToolsOption } from './host-tools.js';
export type { McpTool, McpToolCall } from './tool.js';
