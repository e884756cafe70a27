import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { Actor, DirectoryUser } from '../../api-keys/index.js';
import type { OpenRequest } from './open-request.js';

/** What a tool gets besides its input. */
export interface McpToolCall {
  /** The caller; the tool decides what they may do. */
  readonly actor: Actor;
  readonly user: DirectoryUser;
  /** Aborts when the client cancels the call, or when its credentials stop being valid. */
  readonly signal: AbortSignal;
}

/** A tool at the MCP endpoint. */
export interface McpTool {
  /** Letters, digits, `_`, `-` and `.`; unique. */
  readonly name: string;
  readonly title?: string | undefined;
  /** For the model: what the tool does and when to use it. */
  readonly description: string;
  /**
   * A zod object (zod 4), or its shape, which checks the input; or a JSON Schema, which only describes it. What JSON cannot
   * say, such as `z.date()`, cannot be described: take text and transform it.
   * @default no input
   */
  readonly inputSchema?:
    | z.ZodObject
    | z.ZodRawShape
    | { readonly type: 'object'; readonly [key: string]: unknown }
    | undefined;
  /**
   * What the handler returns, which is then an object: as for `inputSchema`, zod checks it and leaves out other fields, and a
   * JSON Schema only describes it. Clients refuse a result that does not match.
   * @default not described
   */
  readonly outputSchema?: McpTool['inputSchema'];
  /** Whether the tool changes nothing. @default false */
  readonly readOnly?: boolean | undefined;
  /**
   * Returns text, a JSON value, or a whole tool result: `{ content: [...] }` with blocks of MCP, at least one. It answers once:
   * nothing is streamed. The client gets the message of a thrown `ApiKeyError`; any other error is reported to `onError` and
   * gets a general message.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the input is as inputSchema says, which is not known here
  handler(input: any, call: McpToolCall): unknown;
}

type Parsed = { readonly input: unknown } | { readonly problem: string };

/** A tool that can be called. `parse` or the handler checks the input. */
export interface BoundTool {
  readonly definition: Tool;
  /** What is wrong with the input, or the input for the handler. */
  parse?(input: unknown): Parsed | Promise<Parsed>;
  handle(input: Readonly<Record<string, unknown>>, call: McpToolCall, request: OpenRequest): unknown;
}

/**
 * Without `$schema`: clients whose validator knows another dialect would refuse it.
 *
 * @throws TypeError for a schema that no object fulfils: the tool could never be called
 */
export function toToolSchema(schema: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  if (rest.type !== undefined && rest.type !== 'object') throw new TypeError(`not of type ${rest.type}`);
  return { ...rest, type: 'object' } as Tool['inputSchema'];
}
