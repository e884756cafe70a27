import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { bool, functionOf, isObject, option, optionsOf, parseJson, type ShapeOf, text } from '../../internal/index.js';
import { type BoundTool, type McpTool, toToolSchema } from './tool.js';

/** {@link bindTool} reads the schemas. */
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
    outputSchema: z.unknown().optional(),
    readOnly: bool.optional(),
    handler: functionOf<McpTool['handler']>(),
  } satisfies ShapeOf<McpTool>),
  { error: 'must be an array of tools' },
);

/** Prepares one of the host's tools to be called. @throws TypeError naming the wrong schema below `path` */
export function bindTool(path: string, tool: McpTool): BoundTool {
  const { name, title, description, readOnly, inputSchema, outputSchema } = tool;
  const input = readSchema(`${path}.inputSchema`, inputSchema, 'input');
  const output = outputSchema && readSchema(`${path}.outputSchema`, outputSchema, 'output');
  const { check } = input;
  return {
    definition: {
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema: input.schema,
      ...(output !== undefined && { outputSchema: output.schema }),
      annotations: { readOnlyHint: readOnly === true },
    },
    ...(check !== undefined && {
      async parse(sent) {
        const { success, data, error } = await check(sent);
        return success ? { input: data } : { problem: `The input is not valid. ${z.prettifyError(error)}` };
      },
    }),
    // Without `lookups`: a host's tool may run for long, and its calls must look up the rights of that moment.
    async handle(sent, { actor: { lookups: _, ...actor }, ...call }) {
      const result = await tool.handler(sent, { actor, ...call });
      return output === undefined ? result : await toStructured(name, output, result);
    },
  };
}

interface ReadSchema {
  readonly schema: Tool['inputSchema'];
  /** `undefined` for a JSON Schema, which only describes. */
  readonly check?: (value: unknown) => Promise<z.ZodSafeParseResult<unknown>>;
}

/** A whole tool result, so that fields of the host are not taken for one. @throws TypeError for what is not as described */
async function toStructured(name: string, { check }: ReadSchema, result: unknown) {
  const checked = await check?.(result);
  const text = JSON.stringify(checked === undefined ? result : checked.data) ?? '';
  const structuredContent = parseJson(text);
  if (checked?.success === false || !isObject(structuredContent)) {
    const reason = checked?.error === undefined ? 'It is not an object.' : z.prettifyError(checked.error);
    throw new TypeError(`The tool \`${name}\` did not return what its \`outputSchema\` says. ${reason}`);
  }
  return { content: [{ type: 'text', text }], structuredContent };
}

function readSchema(path: string, given: McpTool['inputSchema'], io: 'input' | 'output'): ReadSchema {
  if (typeof given === 'object' && given !== null && given.type === 'object') {
    if (!('safeParse' in given)) return { schema: given as Tool['inputSchema'] };
  }
  try {
    if (Array.isArray(given)) throw new TypeError('not an array');
    const zodSchema = (
      typeof given?.safeParse === 'function' ? given : z.object((given ?? {}) as z.ZodRawShape)
    ) as z.ZodObject;
    return { schema: toToolSchema(zodSchema, io), check: (value) => zodSchema.safeParseAsync(value) };
  } catch (error) {
    const reason = error instanceof Error ? ` (${error.message})` : '';
    throw new TypeError(`\`${path}\` must be an object schema of zod 4, or a JSON Schema${reason}.`, { cause: error });
  }
}
