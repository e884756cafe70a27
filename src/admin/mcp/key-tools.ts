import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { isOmitted } from '../api/read-request.js';
import type { AdminContext } from '../context.js';
import { type Operation, operations } from '../operations.js';
import { apiKeyIdSchema, bodySchemas, responseSchemas } from '../wire-schemas.js';
import { type BoundTool, toToolSchema } from './tool.js';

/** The operation that each tool calls. */
const operationOfTool = {
  list_api_keys: 'listApiKeys',
  get_api_key: 'getApiKey',
  create_api_key: 'createApiKey',
  update_api_key: 'updateApiKey',
  revoke_api_key: 'revokeApiKey',
  list_api_key_audits: 'listAudits',
};

/** Operations of the Admin API as tools. */
export function keyTools(context: AdminContext): readonly BoundTool[] {
  return Object.entries(operationOfTool).map(([name, operationId]) => {
    const operation = operations.find((one) => one.operationId === operationId) as Operation;
    return {
      definition: describeTool(name, operation),
      parse(input) {
        const lacksId = needsId(operation) && typeof (input as { id?: unknown }).id !== 'string';
        return lacksId ? { problem: 'The input is not valid: `id` must be the id of an API key.' } : { input };
      },
      async handle(sent, { actor }, request) {
        const input = withoutNulls(sent, fieldsOf(operation));
        const id = input.id as string;
        const revokesOwnKey = operationId === 'revokeApiKey' && id === actor.apiKeyId;
        if (revokesOwnKey) request.revokesOwnKey = true;
        try {
          const query = onlyKnown(input, operation.query);
          return await operation.handle({ context, caller: request.caller, actor, id, query, body: input });
        } finally {
          if (revokesOwnKey) request.revokesOwnKey = false;
        }
      },
    };
  });
}

const needsId = ({ path }: Operation) => path.includes('{id}');

const fieldsOf = ({ query, body }: Operation) => query ?? (body === undefined ? z.object({}) : bodySchemas[body]);

/** Models in strict mode send every parameter: `null` is one that they leave out, except where it has a meaning. */
function withoutNulls(input: Readonly<Record<string, unknown>>, { shape }: z.ZodObject) {
  const fields = Object.entries(shape).filter(([, field]) => field.safeParse(null).success);
  const meant = fields.map(([name]) => name);
  return Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== null || meant.includes(name)));
}

/** Other fields are ignored, as in the Admin API. */
function onlyKnown(input: Readonly<Record<string, unknown>>, query: z.ZodObject | undefined) {
  const known = Object.keys(query?.shape ?? {});
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => known.includes(name) && !isOmitted(name, value)),
  );
}

function describeTool(name: string, operation: Operation): Tool {
  const { operationId, method, summary, description, success } = operation;
  const fields = fieldsOf(operation);
  const input = needsId(operation) ? z.object({ id: apiKeyIdSchema, ...fields.shape }) : fields;
  return {
    name,
    title: summary,
    description: `${summary}. ${description}`,
    inputSchema: toToolSchema(input, 'input'),
    ...(success.schema !== undefined && { outputSchema: toToolSchema(responseSchemas[success.schema], 'output') }),
    annotations: {
      readOnlyHint: method === 'GET',
      destructiveHint: operationId === 'revokeApiKey',
      idempotentHint: method === 'PATCH',
      openWorldHint: false,
    },
  };
}
