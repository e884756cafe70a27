import * as z from 'zod';
import type { AuditQuery, ListQuery } from '../../api-keys/index.js';
import type { AdminContext } from '../context.js';
import { createKey, updateKey } from '../key-operations.js';
import * as schemas from '../wire-schemas.js';
import type { BoundTool } from './tool.js';
import { toToolSchema } from './tool.js';

const id = schemas.apiKeyIdSchema;
const reading = { readOnlyHint: true, openWorldHint: false };
const writing = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

/**
 * The operations of the Admin API as tools. The input is passed on as it came: `apiKeys` checks every field and every
 * right, with the messages of the specification.
 */
export function keyTools(context: AdminContext): readonly BoundTool[] {
  const { apiKeys } = context;
  return [
    {
      definition: {
        name: 'list_api_keys',
        title: 'List API keys',
        description: 'Lists API keys, page by page, without their values.',
        inputSchema: toToolSchema(schemas.listQuerySchema, 'input'),
        outputSchema: toToolSchema(schemas.apiKeyPageSchema, 'output'),
        annotations: reading,
      },
      handle: (input, { actor }) => apiKeys.list(actor, input as ListQuery),
    },
    {
      definition: {
        name: 'get_api_key',
        title: 'Get an API key',
        description: 'Gets one API key by its public id, without its value.',
        inputSchema: toToolSchema(z.object({ id }), 'input'),
        outputSchema: toToolSchema(schemas.apiKeySchema, 'output'),
        annotations: reading,
      },
      handle: (input, { actor }) => apiKeys.get(actor, input.id as string),
    },
    {
      definition: {
        name: 'create_api_key',
        title: 'Create an API key',
        description:
          'Creates an API key that the caller owns. The result contains its value, which is returned only once: pass it on immediately.',
        inputSchema: toToolSchema(schemas.newApiKeySchema, 'input'),
        outputSchema: toToolSchema(schemas.createdApiKeySchema, 'output'),
        annotations: writing,
      },
      async handle(input, { actor }) {
        const { apiKey, key } = await createKey(context, actor, input);
        return { ...apiKey, key };
      },
    },
    {
      definition: {
        name: 'update_api_key',
        title: 'Change an API key',
        description: 'Changes the name, the description or the expiry of an Active API key.',
        inputSchema: toToolSchema(z.object({ id, ...schemas.apiKeyChangesSchema.shape }), 'input'),
        outputSchema: toToolSchema(schemas.apiKeySchema, 'output'),
        annotations: { ...writing, idempotentHint: true },
      },
      handle: (input, { actor }) => updateKey(context, actor, input.id, input),
    },
    {
      definition: {
        name: 'revoke_api_key',
        title: 'Revoke an API key',
        description: 'Revokes an Active API key immediately and irreversibly: whatever uses it stops working.',
        inputSchema: toToolSchema(z.object({ id }), 'input'),
        outputSchema: toToolSchema(schemas.apiKeySchema, 'output'),
        annotations: { ...writing, destructiveHint: true },
      },
      async handle(input, { actor }, request) {
        request.revokesOwnKey = input.id === actor.apiKeyId;
        try {
          return await apiKeys.revoke(actor, input.id as string);
        } finally {
          request.revokesOwnKey = false;
        }
      },
    },
    {
      definition: {
        name: 'list_api_key_audits',
        title: 'List the audit trail of API keys',
        description: 'Lists who created, changed or revoked which API key and when, newest first, page by page.',
        inputSchema: toToolSchema(schemas.auditQuerySchema, 'input'),
        outputSchema: toToolSchema(schemas.auditPageSchema, 'output'),
        annotations: reading,
      },
      handle: (input, { actor }) => apiKeys.audits(actor, input as AuditQuery),
    },
  ];
}
