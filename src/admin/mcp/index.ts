export { createMcpEndpoint, type McpEndpoint } from './endpoint.js';
export type { McpTool, McpToolCall } from './tool-types.js';
