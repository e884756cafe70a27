import * as z from 'zod';
import type { AdminContext } from '../context.js';
import { type Operation, operations } from '../operations.js';
import { apiKeyIdSchema, bodySchemas, responseSchemas } from '../wire-schemas.js';
import { type BoundTool, type ToolDefinition, toToolSchema } from './tool.js';

interface KeyTool extends Pick<ToolDefinition, 'name' | 'title' | 'description' | 'annotations'> {
  readonly operationId: string;
}

const reading = { readOnlyHint: true, openWorldHint: false };
const writing = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

const tools: readonly KeyTool[] = [
  {
    operationId: 'listApiKeys',
    name: 'list_api_keys',
    title: 'List API keys',
    description: 'Lists API keys, page by page, without their values.',
    annotations: reading,
  },
  {
    operationId: 'getApiKey',
    name: 'get_api_key',
    title: 'Get an API key',
    description: 'Gets one API key by its public id, without its value.',
    annotations: reading,
  },
  {
    operationId: 'createApiKey',
    name: 'create_api_key',
    title: 'Create an API key',
    description:
      'Creates an API key that the caller owns. The result contains its value, which is returned only once: pass it on immediately.',
    annotations: writing,
  },
  {
    operationId: 'updateApiKey',
    name: 'update_api_key',
    title: 'Change an API key',
    description: 'Changes the name, the description or the expiry of an Active API key.',
    annotations: { ...writing, idempotentHint: true },
  },
  {
    operationId: 'revokeApiKey',
    name: 'revoke_api_key',
    title: 'Revoke an API key',
    description: 'Revokes an Active API key immediately and irreversibly: whatever uses it stops working.',
    annotations: { ...writing, destructiveHint: true },
  },
  {
    operationId: 'listAudits',
    name: 'list_api_key_audits',
    title: 'List the audit trail of API keys',
    description: 'Lists who created, changed or revoked which API key and when, newest first, page by page.',
    annotations: reading,
  },
];

/** Operations of the Admin API as tools. */
export function keyTools(context: AdminContext): readonly BoundTool[] {
  return tools.map(({ operationId, ...definition }) => {
    const operation = operations.find((one) => one.operationId === operationId) as Operation;
    return {
      definition: { ...definition, ...toolSchemas(operation) },
      parse(input) {
        const lacksId = needsId(operation) && typeof (input as { id?: unknown }).id !== 'string';
        return lacksId ? { problem: 'The input is not valid: `id` must be the id of an API key.' } : { input };
      },
      async handle(input, { actor }, request) {
        const id = input.id as string;
        const revokesOwnKey = operationId === 'revokeApiKey' && id === actor.apiKeyId;
        if (revokesOwnKey) request.revokesOwnKey = true;
        try {
          return await operation.handle({ context, caller: request.caller, actor, id, query: input, body: input });
        } finally {
          if (revokesOwnKey) request.revokesOwnKey = false;
        }
      },
    };
  });
}

const needsId = ({ path }: Operation) => path.includes('{id}');

function toolSchemas(operation: Operation): Pick<ToolDefinition, 'inputSchema' | 'outputSchema'> {
  const { query, body, success } = operation;
  const fields = query ?? (body === undefined ? z.object({}) : bodySchemas[body]);
  const input = needsId(operation) ? z.object({ id: apiKeyIdSchema, ...fields.shape }) : fields;
  return {
    inputSchema: toToolSchema(input, 'input'),
    ...(success.schema !== undefined && { outputSchema: toToolSchema(responseSchemas[success.schema], 'output') }),
  };
}
