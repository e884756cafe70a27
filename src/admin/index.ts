/** The administration to mount in your service: Admin API, MCP endpoint, pages. */

// For hosts: mounting the administration.
export type { AdminBranding } from './branding.js';
export type { AdminAccess, AuthenticationFailure, AuthenticationFailureReason } from './context.js';
export { type Admin, createAdmin } from './create-admin.js';
export type { AdminErrorBody } from './http/errors.js';
export type { McpTool, McpToolCall } from './mcp/tool.js';
export type { AdminOptions } from './options.js';
export type { AdminHtml, AdminPageOptions, AdminSection, AdminSectionContext } from './sections.js';
export { englishTexts } from './ui/texts/english.js';
export type { AdminTexts } from './ui/texts/texts-option.js';
export type { ManagedUserDirectory } from './users.js';
