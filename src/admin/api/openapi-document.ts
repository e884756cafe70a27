import * as z from 'zod';
import { type Operation, operations } from '../operations.js';
import { apiKeyIdSchema, bodySchemas, responseSchemas } from '../wire-schemas.js';
import { apiExamples } from './examples.js';

type JsonObject = Readonly<Record<string, unknown>>;

const sharedErrors = {
  401: { description: 'No valid credentials.', header: ['WWW-Authenticate', 'Always `ApiKey`.', 'ApiKey'] },
  429: {
    description: 'A failed attempt after too many others from this source. A valid key never gets this.',
    header: ['Retry-After', 'Seconds to wait.', '8'],
  },
  500: { description: 'The service failed.' },
  503: {
    description: 'Too many passwords are being checked, or the directory of users or the edition cannot be asked.',
    header: ['Retry-After', 'Seconds to wait.', '5'],
  },
} as const;

/** The OpenAPI 3.1 document of the Admin API: operations from their table, schemas from zod. */
export function createOpenApiDocument(serverUrl: string, productName = 'Concordat'): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const shared = operation.path.includes('{id}') ? { parameters: [idParameter()] } : {};
    paths[operation.path] = {
      ...shared,
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${productName} Admin API`,
      version: '1.0.0',
      summary: 'API keys: create, list, edit, revoke, audit.',
      description:
        'Send a key as `x-api-key: <key>` or `Authorization: ApiKey <key>`. It has exactly the permissions of the user who created it. Basic authentication works, too. Parameters and fields that are not described here are ignored.',
      contact: { name: productName },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKeyHeader: [] }, { apiKeyAuthorization: [] }, { basic: [] }],
    tags: [
      { name: 'API keys', description: 'Credentials for programmatic access.' },
      { name: 'Audit trail', description: 'Every change of every key. Entries are never changed or deleted.' },
      { name: 'Caller', description: 'The user or key behind the request.' },
    ],
    paths,
    components: {
      securitySchemes: {
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The value of an API key.' },
        apiKeyAuthorization: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`ApiKey`, a space, and the value of an API key.',
        },
        basic: { type: 'http', scheme: 'basic' },
      },
      schemas: { ...toComponents(responseSchemas, 'output'), ...toComponents(bodySchemas, 'input') },
    },
  };
}

function describeOperation(operation: Operation): JsonObject {
  const { operationId, tag, summary, description, query, body, success, errors } = operation;
  const responses: Record<string, unknown> = { [success.status]: describeSuccess(operation) };
  for (const [status, text] of Object.entries(errors)) responses[status] = describeError(Number(status), text);
  for (const [status, shared] of Object.entries(sharedErrors)) {
    const header = 'header' in shared ? shared.header : undefined;
    responses[status] = describeError(Number(status), shared.description, header);
  }
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(query !== undefined && { parameters: queryParameters(query) }),
    ...(body !== undefined && {
      requestBody: { required: true, content: jsonContent(body, apiExamples.bodies[body]) },
    }),
    responses,
  };
}

function describeSuccess({ operationId, success }: Operation): JsonObject {
  return {
    description: success.description,
    headers: {
      ...noStoreHeader,
      ...(success.status === 201 &&
        describeHeader('Location', 'The address of the key.', '/api/v1/api-keys/4fK0aZ81bQxT')),
    },
    content:
      success.schema === undefined
        ? Object.fromEntries((success.files ?? []).map((type) => [type, { schema: { type: 'string' } }]))
        : jsonContent(success.schema, apiExamples.responses[operationId]),
  };
}

function describeError(status: number, description: string, header?: readonly [string, string, string]): JsonObject {
  return {
    description,
    headers: { ...noStoreHeader, ...(header !== undefined && describeHeader(...header)) },
    content: jsonContent('Error', apiExamples.errors[status]),
  };
}

function describeHeader(name: string, description: string, example: string): JsonObject {
  return { [name]: { description, required: true, schema: { type: 'string' }, example } };
}

const noStoreHeader = describeHeader('Cache-Control', 'Responses are never stored.', 'no-store');

function jsonContent(schema: string, example: unknown): JsonObject {
  return { 'application/json': { schema: { $ref: reference(schema) }, example } };
}

function idParameter(): JsonObject {
  const { description, ...schema } = toJsonSchema(apiKeyIdSchema, 'input');
  return { name: 'id', in: 'path', required: true, description, schema };
}

function queryParameters(query: z.ZodObject): JsonObject[] {
  return Object.entries(query.shape).map(([name, field]) => {
    const { description, ...schema } = toJsonSchema(field as z.ZodType, 'input');
    const required = !(field as z.ZodType).safeParse(undefined).success;
    return {
      name,
      in: 'query',
      ...(required && { required }),
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

function toComponents(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const components: Record<string, unknown> = {};
  for (const [id, schema] of Object.entries(z.toJSONSchema(registry, { uri: reference, io, override: open }).schemas)) {
    components[id] = bare(schema);
  }
  return components;
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  return bare(z.toJSONSchema(schema, { io, override: open }));
}

/** Later versions may add members. */
function open({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

/** Without the fields of a standalone schema. */
function bare(schema: object): Record<string, unknown> {
  const { $schema: _dialect, $id: _id, ...rest } = schema as Record<string, unknown>;
  return rest;
}

function reference(id: string): string {
  return `#/components/schemas/${id}`;
}
