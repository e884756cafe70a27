import { z } from 'zod';
import type { Actor, DirectoryUser } from '../../api-keys/index.js';
import type { OpenRequest } from './open-request.js';

/** What a tool gets beside its input. */
export interface McpToolCall {
  /** Who calls; the tool itself decides what they may do. */
  readonly actor: Actor;
  readonly user: DirectoryUser;
  /** Aborts when the client cancels the call, or its credentials stop being good. */
  readonly signal: AbortSignal;
}

/** A tool at the MCP endpoint. */
export interface McpTool {
  /** Letters, digits, `_`, `-` and `.`; unique. */
  readonly name: string;
  readonly title?: string | undefined;
  /** For the model: what the tool does and when to use it. */
  readonly description: string;
  /** A zod object (or its shape), by which the input is checked; or a JSON Schema, which only describes it. @default no input */
  readonly inputSchema?:
    | z.ZodObject
    | z.ZodRawShape
    | { readonly type: 'object'; readonly [key: string]: unknown }
    | undefined;
  /** The tool changes nothing. @default false */
  readonly readOnly?: boolean | undefined;
  /**
   * Text, a JSON value, or a whole tool result (`{ content: [...] }`). A thrown `ApiKeyError` is answered with its message,
   * anything else with none, and reported by `onError`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the input is as inputSchema says, which is not known here
  handler(input: any, call: McpToolCall): unknown;
}

/** A tool as it is run: the input is checked by the handler, or by `parse`. */
export interface BoundTool {
  readonly definition: ToolDefinition;
  /** What is wrong with the input, in words, or the input as the handler takes it. */
  parse?(input: unknown): { readonly input: unknown } | { readonly problem: string };
  handle(input: Readonly<Record<string, unknown>>, call: McpToolCall, request: OpenRequest): unknown;
}

/** A JSON Schema as MCP takes it: of an object, without `$schema`. */
export interface JsonSchema {
  type: 'object';
  [key: string]: unknown;
}

/** Without `$schema`: validators of clients that know another dialect would refuse it. */
export function toToolSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return { ...rest, type: 'object' };
}

export interface ToolDefinition {
  name: string;
  title?: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: {
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
}
