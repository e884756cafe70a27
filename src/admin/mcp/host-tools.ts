import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { bool, functionOf, option, optionsOf, type ShapeOf, text } from '../../internal/index.js';
import { type BoundTool, type McpTool, toToolSchema } from './tool.js';

/** {@link bindTool} reads the input schemas. */
export const mcpToolsOption = z.array(
  optionsOf({
    name: option<string>(
      (value) => typeof value === 'string' && /^[A-Za-z0-9_.-]{1,128}$/.test(value),
      'must be 1 to 128 letters, digits, `_`, `-` and `.`',
      true,
    ),
    title: text.optional(),
    description: option<string>((value) => typeof value === 'string' && value !== '', 'must say what the tool does'),
    inputSchema: z.unknown().optional(),
    readOnly: bool.optional(),
    handler: functionOf<McpTool['handler']>(),
  } satisfies ShapeOf<McpTool>),
  { error: 'must be an array of tools' },
);

/** Prepares one of the host's tools to be called. @throws TypeError naming the `inputSchema` below `path` */
export function bindTool(path: string, tool: McpTool): BoundTool {
  const { schema, parse } = readInputSchema(`${path}.inputSchema`, tool.inputSchema);
  return {
    definition: {
      name: tool.name,
      ...(tool.title !== undefined && { title: tool.title }),
      description: tool.description,
      inputSchema: schema,
      annotations: { readOnlyHint: tool.readOnly === true },
    },
    ...(parse !== undefined && { parse }),
    // Without `lookups`: a host's tool may run for long, and its calls must look up the rights of that moment.
    handle: (input, { actor: { lookups: _, ...actor }, ...call }) => tool.handler(input, { actor, ...call }),
  };
}

function readInputSchema(
  path: string,
  inputSchema: McpTool['inputSchema'],
): { readonly schema: Tool['inputSchema']; readonly parse?: BoundTool['parse'] } {
  if (typeof inputSchema === 'object' && inputSchema !== null && inputSchema.type === 'object') {
    if (!('safeParse' in inputSchema)) return { schema: inputSchema as Tool['inputSchema'] };
  }
  try {
    if (Array.isArray(inputSchema)) throw new TypeError('not an array');
    const zodSchema = (
      typeof inputSchema?.safeParse === 'function' ? inputSchema : z.object((inputSchema ?? {}) as z.ZodRawShape)
    ) as z.ZodObject;
    return {
      schema: toToolSchema(zodSchema, 'input'),
      async parse(input) {
        const { success, data, error } = await zodSchema.safeParseAsync(input);
        return success ? { input: data } : { problem: `The input is not valid. ${z.prettifyError(error)}` };
      },
    };
  } catch (error) {
    const reason = error instanceof Error ? ` (${error.message})` : '';
    throw new TypeError(`\`${path}\` must be an object schema of zod 4, or a JSON Schema${reason}.`, { cause: error });
  }
}
