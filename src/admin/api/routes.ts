import { Hono } from 'hono';
import { actorOf, authenticate, type Principal, requireStillGood } from '../authentication/authenticate.js';
import type { AdminContext } from '../context.js';
import { isCrossSite } from '../http/cross-site.js';
import { AdminHttpError } from '../http/errors.js';
import { errorResponse, json } from '../http/responses.js';
import { createOpenApiDocument } from './openapi-document.js';
import { apiPath, type Operation, operations } from './operations.js';
import { readJsonObject, readQuery } from './read-request.js';

type ApiEnvironment = { Variables: { principal: Principal } };

/**
 * The Admin API under `{basePath}/api`. Every request is authenticated first, so that without credentials nothing can be
 * told of what exists; only the OpenAPI document, which says nothing of the installation, is open to all.
 */
export function apiRoutes(context: AdminContext): Hono<ApiEnvironment> {
  const api = new Hono<ApiEnvironment>();
  const prefix = `${context.basePath}${apiPath}`;
  const document = JSON.stringify(createOpenApiDocument(prefix));

  api.get(`${prefix}/openapi.json`, () => json(200, document));
  api.use('*', async (c, next) => {
    const principal = await authenticate(context, c.req.raw, c.env);
    const changes = !['GET', 'HEAD', 'OPTIONS'].includes(c.req.method);
    if (changes && principal.authenticatedBy === 'basic' && isCrossSite(c.req.raw)) {
      throw new AdminHttpError(403, 'Requests from other sites are refused.');
    }
    c.set('principal', principal);
    await next();
  });

  for (const operation of operations) {
    api.on(operation.method, prefix + operation.path.replace('{id}', ':id'), async (c) => {
      const principal = c.get('principal');
      const query = readQuery(c.req.url, Object.keys(operation.query?.shape ?? {}));
      const body = operation.body === undefined ? {} : await readJsonObject(c.req.raw);
      if (operation.body !== undefined) await requireStillGood(context, principal);
      const actor = actorOf(principal, 'API');
      const answer = await operation.handle({ context, principal, actor, id: c.req.param('id') ?? '', query, body });
      return json(answer.status, JSON.stringify(answer.body), answer.headers);
    });
  }
  for (const [path, methods] of methodsByPath(operations)) {
    api.all(prefix + path.replace('{id}', ':id'), () => {
      const allow = [...methods].join(', ');
      throw new AdminHttpError(405, `This resource has ${allow} only.`, { headers: { allow } });
    });
  }
  api.notFound(() => errorResponse(context, new AdminHttpError(404, 'There is no such resource.')));
  api.onError((error) => errorResponse(context, error));
  return api;
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
