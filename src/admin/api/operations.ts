import type { z } from 'zod';
import type { Actor, AuditQuery, ListQuery } from '../../api-keys/index.js';
import type { Caller } from '../authentication/authenticate.js';
import type { AdminContext } from '../context.js';
import { createKey, updateKey } from '../key-operations.js';
import { auditQuerySchema, listQuerySchema } from '../wire-schemas.js';
import { describeCaller } from './me.js';

/** One authenticated request, with its parameters read. */
export interface OperationRequest {
  readonly context: AdminContext;
  readonly caller: Caller;
  readonly actor: Actor;
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface OperationResponse {
  readonly status: 200 | 201;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One operation of the Admin API. Routes and the OpenAPI document are both made from this table. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below `{basePath}/api/v1`, in OpenAPI notation. */
  readonly path: string;
  readonly tag: 'API keys' | 'Audit trail' | 'Caller';
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodObject;
  /** The name of the body's schema among the document's components. */
  readonly body?: 'NewApiKey' | 'ApiKeyChanges';
  readonly success: { readonly status: 200 | 201; readonly description: string; readonly schema: string };
  /** Besides 401, 429, 500 and 503, which every operation has. */
  readonly errors: Readonly<Partial<Record<400 | 403 | 404 | 409, string>>>;
  handle(request: OperationRequest): Promise<OperationResponse>;
}

const notFound = "No such key, or somebody else's that the caller may not see.";
const foreign = 'Keys of all users asked for without the right to see them.';
const wrongQuery = 'A parameter is wrong.';
const wrongEdition = 'The edition has no API keys, or the request came from another site.';
const otherSite = 'The request came from another site.';

export const operations: readonly Operation[] = [
  {
    operationId: 'createApiKey',
    method: 'POST',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'Create an API key',
    description: 'The owner is the caller. The answer holds the value of the key, this one time.',
    body: 'NewApiKey',
    success: { status: 201, description: 'Created; `Location` is where the key is found.', schema: 'CreatedApiKey' },
    errors: { 400: 'Name or expiry is wrong, or the body is no JSON object.', 403: wrongEdition },
    async handle({ context, actor, body }) {
      const { apiKey, key } = await createKey(context, actor, body);
      const location = `${context.basePath}${apiPath}/api-keys/${apiKey.id}`;
      return { status: 201, body: { ...apiKey, key }, headers: { location } };
    },
  },
  {
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description:
      'The keys of the caller; with `scope=all` those of all users, for who has the permission User Management – Write and for Super Admins.',
    query: listQuerySchema,
    success: { status: 200, description: 'One page.', schema: 'ApiKeyPage' },
    errors: { 400: wrongQuery, 403: foreign },
    handle: async ({ context, actor, query }) => ok(await context.apiKeys.list(actor, query as ListQuery)),
  },
  {
    operationId: 'getApiKey',
    method: 'GET',
    path: '/api-keys/{id}',
    tag: 'API keys',
    summary: 'Get one API key',
    description: 'A key that the caller may not see is answered like one that does not exist.',
    success: { status: 200, description: 'The key.', schema: 'ApiKey' },
    errors: { 404: notFound },
    handle: async ({ context, actor, id }) => ok(await context.apiKeys.get(actor, id)),
  },
  {
    operationId: 'updateApiKey',
    method: 'PATCH',
    path: '/api-keys/{id}',
    tag: 'API keys',
    summary: 'Change the name or the expiry of an Active API key',
    description: 'The same validations as on creation. `Expired` and `Revoked` are for good.',
    body: 'ApiKeyChanges',
    success: { status: 200, description: 'The key as it is now.', schema: 'ApiKey' },
    errors: {
      400: 'A field is wrong, nothing was given to change, or the body is no JSON object.',
      403: wrongEdition,
      404: notFound,
      409: 'The key is not Active, or has changed since the given version.',
    },
    handle: async ({ context, actor, id, body }) => ok(await updateKey(context, actor, id, body)),
  },
  {
    operationId: 'revokeApiKey',
    method: 'POST',
    path: '/api-keys/{id}/revoke',
    tag: 'API keys',
    summary: 'Revoke an Active API key, at once and for good',
    description:
      'The key stays in the list. Requests with it get 401 from now on, and streams that it opened are ended.',
    success: { status: 200, description: 'The key, now Revoked.', schema: 'ApiKey' },
    errors: { 403: otherSite, 404: notFound, 409: 'The key is not Active.' },
    handle: async ({ context, actor, id }) => ok(await context.apiKeys.revoke(actor, id)),
  },
  {
    operationId: 'listAudits',
    method: 'GET',
    path: '/audits',
    tag: 'Audit trail',
    summary: 'List what was done to API keys, newest first',
    description: 'Every creation, edit and revocation, with its author and the changed values.',
    query: auditQuerySchema,
    success: { status: 200, description: 'One page.', schema: 'AuditPage' },
    errors: { 400: wrongQuery, 403: foreign, 404: notFound },
    handle: async ({ context, actor, query }) => ok(await context.apiKeys.audits(actor, query as AuditQuery)),
  },
  {
    operationId: 'getMe',
    method: 'GET',
    path: '/me',
    tag: 'Caller',
    summary: 'Who the caller is and what they may do: a self-test for a key',
    description: 'With a key: its status and how long it still holds.',
    success: { status: 200, description: 'The caller.', schema: 'Me' },
    errors: {},
    handle: async ({ context, caller, actor }) => ok(await describeCaller(context, caller, actor)),
  },
];

/** Below the base path. */
export const apiPath = '/api/v1';

function ok(body: object): OperationResponse {
  return { status: 200, body };
}
