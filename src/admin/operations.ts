import type * as z from 'zod';
import type { Actor, AuditQuery, ListQuery } from '../api-keys/index.js';
import { describeCaller } from './api/me.js';
import { exportAudits } from './audit-export.js';
import { actorOf, authenticateAgain, type Caller } from './authentication/authenticate.js';
import type { AdminContext } from './context.js';
import { createKey, updateKey } from './key-operations.js';
import {
  auditExportQuerySchema,
  auditQuerySchema,
  type bodySchemas,
  listQuerySchema,
  type responseSchemas,
} from './wire-schemas.js';

/** One authenticated request, with its parameters read. */
export interface OperationRequest {
  readonly context: AdminContext;
  readonly caller: Caller;
  readonly actor: Actor;
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One operation of the Admin API. Its routes, the OpenAPI document and the MCP tools are all made from this table. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below `{basePath}/api/v1`, in OpenAPI notation. */
  readonly path: string;
  readonly tag: 'API keys' | 'Audit trail' | 'Caller';
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodObject;
  readonly body?: keyof typeof bodySchemas;
  readonly success: {
    /** 201 has a `Location`, by the `id` of what was created. */
    readonly status: 200 | 201;
    readonly description: string;
    /** Without one it is a file of these media types. */
    readonly schema?: keyof typeof responseSchemas;
    readonly files?: readonly string[];
  };
  /** Besides 401, 429, 500 and 503, which every operation has. */
  readonly errors: Readonly<Partial<Record<400 | 403 | 404 | 409, string>>>;
  /** Returns the body of the success, or a file. The input is passed on as it came: `apiKeys` checks every field and right. */
  handle(request: OperationRequest): Promise<object>;
}

const notFound = 'There is no such key, or the caller may not see it.';
const foreign = 'The caller may not see the keys of all users.';
const wrongQuery = 'A parameter is invalid.';
const wrongEdition = 'The edition has no API keys, or the request came from another site.';
const otherSite = 'The request came from another site.';

export const operations: readonly Operation[] = [
  {
    operationId: 'createApiKey',
    method: 'POST',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'Create an API key',
    description: 'The caller owns the key. The response contains its value, which is returned only once.',
    body: 'NewApiKey',
    success: { status: 201, description: 'Created. `Location` is the address of the key.', schema: 'CreatedApiKey' },
    errors: { 400: 'The name or the expiry is invalid, or the body is not a JSON object.', 403: wrongEdition },
    async handle({ context, actor, body }) {
      const { apiKey, key } = await createKey(context, actor, body);
      return { ...apiKey, key };
    },
  },
  {
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description:
      "The caller's keys; with `scope=all` all users' keys, which requires Super Admin or the permission User Management – Write.",
    query: listQuerySchema,
    success: { status: 200, description: 'One page.', schema: 'ApiKeyPage' },
    errors: { 400: wrongQuery, 403: foreign },
    handle: ({ context, actor, query }) => context.apiKeys.list(actor, query as ListQuery),
  },
  {
    operationId: 'getApiKey',
    method: 'GET',
    path: '/api-keys/{id}',
    tag: 'API keys',
    summary: 'Get one API key',
    description: 'The response for a key that the caller may not see is the same as for one that does not exist.',
    success: { status: 200, description: 'The key.', schema: 'ApiKey' },
    errors: { 404: notFound },
    handle: ({ context, actor, id }) => context.apiKeys.get(actor, id),
  },
  {
    operationId: 'updateApiKey',
    method: 'PATCH',
    path: '/api-keys/{id}',
    tag: 'API keys',
    summary: 'Change the name, the description or the expiry of an Active API key',
    description: 'Validated as on creation. `Expired` and `Revoked` are final.',
    body: 'ApiKeyChanges',
    success: { status: 200, description: 'The changed key.', schema: 'ApiKey' },
    errors: {
      400: 'A field is invalid, there is nothing to change, or the body is not a JSON object.',
      403: wrongEdition,
      404: notFound,
      409: 'The key is not Active, or it has changed since the given version.',
    },
    handle: ({ context, actor, id, body }) => updateKey(context, actor, id, body),
  },
  {
    operationId: 'revokeApiKey',
    method: 'POST',
    path: '/api-keys/{id}/revoke',
    tag: 'API keys',
    summary: 'Revoke an Active API key immediately and irreversibly',
    description: 'The key stays in the list. Later requests with it get 401, and streams that it opened are closed.',
    success: { status: 200, description: 'The key, now Revoked.', schema: 'ApiKey' },
    errors: { 403: otherSite, 404: notFound, 409: 'The key is not Active.' },
    handle: ({ context, actor, id }) => context.apiKeys.revoke(actor, id),
  },
  {
    operationId: 'listAudits',
    method: 'GET',
    path: '/audits',
    tag: 'Audit trail',
    summary: 'List the audit trail of API keys, newest first',
    description: 'Every creation, edit and revocation, with its author and the changed values.',
    query: auditQuerySchema,
    success: { status: 200, description: 'One page.', schema: 'AuditPage' },
    errors: { 400: wrongQuery, 403: foreign, 404: notFound },
    handle: ({ context, actor, query }) => context.apiKeys.audits(actor, query as AuditQuery),
  },
  {
    operationId: 'exportAudits',
    method: 'GET',
    path: '/audits/export',
    tag: 'Audit trail',
    summary: 'Export the audit trail as CSV or NDJSON',
    description:
      'Everything that matches, newest first, as a stream. In CSV, values that a spreadsheet would calculate begin with an apostrophe.',
    query: auditExportQuerySchema,
    success: { status: 200, description: 'The file.', files: ['text/csv', 'application/x-ndjson'] },
    errors: { 400: wrongQuery, 403: foreign, 404: notFound },
    handle: ({ context, caller, query }) =>
      exportAudits(
        async (page) => await context.apiKeys.audits(actorOf(await authenticateAgain(context, caller), 'API'), page),
        query,
        context.onError,
      ),
  },
  {
    operationId: 'getMe',
    method: 'GET',
    path: '/me',
    tag: 'Caller',
    summary: 'Show the caller and their rights: a self-test for a key',
    description: 'For a key also its status, and the days until it expires.',
    success: { status: 200, description: 'The caller.', schema: 'Me' },
    errors: {},
    handle: ({ context, caller, actor }) => describeCaller(context, caller, actor),
  },
];
