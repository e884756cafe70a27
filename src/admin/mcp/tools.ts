import type { CallToolRequest, CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { isApiKeyError } from '../../api-keys/index.js';
import { isObject, parseJson } from '../../internal/index.js';
import { actorOf } from '../authentication/authenticate.js';
import type { AdminContext } from '../context.js';
import { bindTool } from './host-tools.js';
import { keyTools } from './key-tools.js';
import type { OpenRequest } from './open-request.js';
import type { McpSdk } from './sdk.js';
import type { BoundTool, McpTool } from './tool.js';

export type ToolBox = ReturnType<typeof createToolBox>;

/** @throws TypeError naming a wrong entry of `mcpTools` */
export function createToolBox(context: AdminContext, mcpTools: readonly McpTool[] = []) {
  const offered = keyTools(context).filter(({ definition }) => isOffered(definition, context.mcpKeyTools));
  const tools = new Map(offered.map((tool) => [tool.definition.name, tool]));
  for (const [index, tool] of mcpTools.entries()) {
    const bound = bindTool(`mcpTools[${index}]`, tool);
    if (tools.has(tool.name)) throw new TypeError(`\`mcpTools[${index}].name\` is taken: ${tool.name}.`);
    tools.set(tool.name, bound);
  }
  return {
    definitions: [...tools.values()].map(({ definition }) => definition),
    has: (name: string) => tools.has(name),
    async call(
      sdk: McpSdk,
      { name, arguments: input = {} }: CallToolRequest['params'],
      request: OpenRequest,
      cancelled: AbortSignal,
    ): Promise<CallToolResult> {
      const signal = AbortSignal.any([cancelled, request.signal]);
      try {
        const tool = tools.get(name) as BoundTool;
        const parsed = (await tool.parse?.(input)) ?? { input };
        if ('problem' in parsed) return failed(parsed.problem);
        const actor = actorOf(request.caller, 'MCP');
        const call = { actor, user: request.caller.user, signal };
        return toResult(sdk, await tool.handle(parsed.input as Record<string, unknown>, call, request));
      } catch (error) {
        const isKnown = isApiKeyError(error);
        if (isCancelled(error, signal)) return failed('The call was cancelled.');
        if (!isKnown || error.kind === 'unavailable') context.onError(error);
        return failed(isKnown ? error.message : 'The tool failed unexpectedly.');
      }
    },
  };
}

/** Whether a tool has stopped because its call was cancelled or has ended early. */
function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error as Error | undefined)?.name === 'AbortError');
}

function isOffered({ annotations }: Tool, which: AdminContext['mcpKeyTools']): boolean {
  return which === 'all' || (which === 'read-only' && annotations?.readOnlyHint === true);
}

function toResult(sdk: McpSdk, value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value) {
    throw new TypeError('The tool returned a generator or a stream: a tool answers once, with text or JSON.');
  }
  const text = JSON.stringify(value) ?? '';
  const json = parseJson(text);
  // Many an API names its own lists `content`, too.
  const { data: result } = sdk.CallToolResultSchema.safeParse(json);
  if (result !== undefined && result.content.length > 0) return result;
  // As text as well: many clients show only that.
  return { content: [{ type: 'text', text }], ...(isObject(json) && { structuredContent: json }) };
}

function failed(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}
