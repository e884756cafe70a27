import { Hono } from 'hono';
import { isSafeMethod } from '../../internal/index.js';
import { actorOf, authenticate, authenticateAgain, type Caller } from '../authentication/authenticate.js';
import type { AdminContext } from '../context.js';
import { AdminHttpError } from '../http/errors.js';
import { isCrossSite } from '../http/request.js';
import { errorResponse, json } from '../http/responses.js';
import { type Operation, operations } from '../operations.js';
import { withoutSecret } from '../ui/addresses/pasted-key.js';
import { createOpenApiDocument } from './openapi-document.js';
import { readJsonObject, readQuery } from './read-request.js';

type ApiEnvironment = { Variables: { caller: Caller } };

/**
 * The Admin API under `{basePath}/api`. Every request is authenticated first, so that nothing can be learned without
 * credentials; only the OpenAPI document, which says nothing about the installation, is public.
 */
export function apiRoutes(context: AdminContext): Hono<ApiEnvironment> {
  const api = new Hono<ApiEnvironment>();
  const prefix = `${context.basePath}/api/v1`;
  const document = JSON.stringify(createOpenApiDocument(prefix, context.branding.name));

  api.get(`${prefix}/openapi.json`, () => json(200, document));
  api.use('*', async (c, next) => {
    const caller = await authenticate(context, c.req.raw, c.env);
    c.set('caller', caller);
    await next();
    const { status } = c.res;
    // Credentials that ended while the body arrived are reported as a failure.
    if (status === 401) return;
    context.accessed(caller, { method: c.req.method, path: withoutSecrets(context.basePath, c.req.url), status });
  });
  api.use('*', async (c, next) => {
    const caller = c.get('caller');
    const changes = !isSafeMethod(c.req.method);
    if (changes && caller.authenticatedBy === 'basic' && isCrossSite(c.req.raw, context.publicUrl)) {
      throw new AdminHttpError(403, 'Requests from other sites are refused.');
    }
    await next();
  });

  for (const operation of operations) {
    api.on(operation.method, prefix + operation.path.replace('{id}', ':id'), async (c) => {
      let caller = c.get('caller');
      const query = readQuery(c.req.url, Object.keys(operation.query?.shape ?? {}));
      const body = operation.body === undefined ? {} : await readJsonObject(c.req.raw);
      if (operation.body !== undefined) caller = await authenticateAgain(context, caller);
      const actor = actorOf(caller, 'API');
      const result = await operation.handle({ context, caller, actor, id: c.req.param('id') ?? '', query, body });
      if (result instanceof Response) return result;
      const { status } = operation.success;
      const location = `${prefix}${operation.path}/${(result as { id?: string }).id}`;
      return json(status, JSON.stringify(result), status === 201 ? { location } : {});
    });
  }
  for (const [path, methods] of methodsByPath(operations)) {
    api.all(prefix + path.replace('{id}', ':id'), () => {
      const allow = [...methods].join(', ');
      throw new AdminHttpError(405, `This resource supports only ${allow}.`, { headers: { allow } });
    });
  }
  api.notFound(() => errorResponse(context, new AdminHttpError(404, 'There is no such resource.')));
  api.onError((error) => errorResponse(context, error));
  return api;
}

/** The path of an address. Somebody may have put a key in place of its id. */
function withoutSecrets(basePath: string, url: string): string {
  const below = new URL(url).pathname.slice(basePath.length);
  return basePath + below.split('/').map(withoutSecret).join('/');
}

function methodsByPath(table: readonly Operation[]): Map<string, Set<string>> {
  const byPath = new Map<string, Set<string>>([['/openapi.json', new Set(['GET', 'HEAD'])]]);
  for (const { path, method } of table) {
    const methods = byPath.get(path) ?? new Set();
    byPath.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
  }
  return byPath;
}
