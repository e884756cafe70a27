import { z } from 'zod';
import { toToolSchema } from './tool-schema.js';
import type { BoundTool, JsonSchema, McpTool } from './tool-types.js';

/**
 * Checks one of the host's tools and makes it one that can be run.
 *
 * @throws TypeError naming what is wrong below `option`
 */
export function bindTool(option: string, tool: McpTool): BoundTool {
  if (typeof tool?.name !== 'string' || !/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name)) {
    throw new TypeError(`\`${option}.name\` must be 1 to 128 letters, digits, \`_\`, \`-\` and \`.\`.`);
  }
  if (typeof tool.description !== 'string' || tool.description === '') {
    throw new TypeError(`\`${option}.description\` must say what the tool does.`);
  }
  if (typeof tool.handler !== 'function') throw new TypeError(`\`${option}.handler\` must be a function.`);
  const { schema, parse } = readInputSchema(`${option}.inputSchema`, tool.inputSchema);
  return {
    definition: {
      name: tool.name,
      ...(tool.title !== undefined && { title: tool.title }),
      description: tool.description,
      inputSchema: schema,
      annotations: { readOnlyHint: tool.readOnly === true },
    },
    ...(parse !== undefined && { parse }),
    // A tool of the host's may run for long: its calls on API keys look rights up when they are made.
    handle: (input, { actor: { lookups: _, ...actor }, ...call }) => tool.handler(input, { actor, ...call }),
  };
}

function readInputSchema(
  option: string,
  inputSchema: McpTool['inputSchema'],
): { readonly schema: JsonSchema; readonly parse?: BoundTool['parse'] } {
  if (typeof inputSchema === 'object' && inputSchema !== null && inputSchema.type === 'object') {
    if (!('safeParse' in inputSchema)) return { schema: inputSchema as JsonSchema };
  }
  try {
    const zodSchema = (
      typeof inputSchema?.safeParse === 'function' ? inputSchema : z.object((inputSchema ?? {}) as z.ZodRawShape)
    ) as z.ZodObject;
    return {
      schema: toToolSchema(zodSchema, 'input'),
      parse(input) {
        const { success, data, error } = zodSchema.safeParse(input);
        return success ? { input: data } : { problem: `The input is not valid. ${z.prettifyError(error)}` };
      },
    };
  } catch (error) {
    throw new TypeError(`\`${option}\` must be an object schema of zod 4, or a JSON Schema.`, { cause: error });
  }
}
