import type { Context, Handler, MiddlewareHandler } from 'hono';
import type * as z from 'zod';
import { UnauthorizedError } from '../../contract/index.js';
import { checkOptions } from '../../internal/index.js';
import { createErrorWriter } from '../errors/error-writer.js';
import { noRoute } from '../errors/to-connector-error.js';
import { checkPolicy, createAnnouncer } from '../request/announce.js';
import { checkLength, countBody } from '../request/body-limit.js';
import { stateOf } from '../request/request-state.js';
import { type Connector, type ConnectorOptions, connectorSchema } from './connector-options.js';
import { createErrorHandling } from './error-handling.js';
import { type Guard, guardHandler } from './guard-handler.js';
import { createGuardedApp } from './guarded-app.js';
import { GuardedHandlers, type HandlerKind, matchedRoutes } from './guarded-handlers.js';
import { type InitializeOptions, initializeHandler } from './initialize.js';
import { checkSession, type GuardedRequest, sessionReader, type VerifySession } from './session-guard.js';

/**
 * Creates a connector: a Hono app that serves the login at `POST /initialize`, requires a session on every other route but
 * `openPaths`, and turns every failure into the contract's error response (rules E1-E5, W1-W2, W8, S1-S2). Unknown routes are a
 * 404, with or without a session. Middleware added with `use` sees every request; routes see only requests with a session (rule
 * D6). You can put it below any path of another app, with `route`, `mount` or `basePath`.
 *
 * @throws TypeError naming the invalid option.
 * @example
 * const connector = createConnector({
 *   initialize: {
 *     parameters: z.object({ token: z.string() }),
 *     handler: ({ parameters }) => ({ 'x-token': parameters.token }),
 *   },
 *   session: z.object({ 'x-token': z.string() }),
 * })
 * connector.get('/issues/:id', (c) => {
 *   throw new NotFoundError(`No issue ${c.req.param('id')}`, { code: 'ISSUE_NOT_FOUND' })
 * })
 */
export function createConnector<Parameters extends z.core.$ZodType, Session extends z.core.$ZodObject>(
  options: ConnectorOptions<Parameters, Session>,
): Connector<Session> {
  const settings = checkOptions(connectorSchema, options);
  const { session, cleanup, onError, translate, exposeDetail, maxDetailBytes, maxBodyBytes } = settings;
  const { policy: _, ...rateLimit } = settings.rateLimit;
  const verify = settings.verify as VerifySession | undefined;
  const initializePath = settings.initialize.path;
  const sessionNames = checkSession(session);
  const openPaths = new Set<string | undefined>(settings.openPaths);
  const readSession = sessionReader(session);

  const handlers = new GuardedHandlers();
  const requests = new WeakMap<Context, GuardedRequest>();
  const announce = createAnnouncer(checkPolicy(options.rateLimit?.policy));
  const writeError = createErrorWriter({ rateLimit, exposeDetail, maxDetailBytes });
  const errors = createErrorHandling({ sessionNames, rateLimit, writeError, announce, requests, onError, translate });
  const notFound = (c: Context) => errors.respondAs(noRoute(c.req.method, c.req.path), c);

  const guard: Guard = {
    async enter(c) {
      const known = requests.get(c);
      if (known !== undefined) return known;
      errors.enter(c);
      const mayHaveBody = c.req.method !== 'GET' && c.req.method !== 'HEAD';
      const bodyLimit = mayHaveBody ? (handlers.bodyLimit(c) ?? maxBodyBytes) : Number.POSITIVE_INFINITY;
      if (mayHaveBody) countBody(c, bodyLimit);
      const request = { ...(await readSession(c)), bodyLimit };
      requests.set(c, request);
      return request;
    },
    async admit(c, request, hasResponse) {
      checkLength(c, request.bodyLimit);
      if (openPaths.size > 0 && openPaths.has(handlers.pathWithin(c))) {
        stateOf(c).isOpenPath = true;
        return undefined;
      }
      const { problem = 'The session is no longer valid.' } = request;
      if (request.problem === undefined) {
        request.isAccepted ??= verify === undefined || verify(request.session as Record<string, unknown>, c);
        if (await request.isAccepted) return undefined;
      }
      // Logging in again would not help where there is no route.
      if (!hasResponse && !handlers.hasRoute(c)) return notFound(c);
      throw new UnauthorizedError(problem, { cause: request.cause });
    },
    handlers,
    leave: errors.leave,
    respond: errors.respond,
  };
  const guarded = (kind: HandlerKind, handler: MiddlewareHandler | Handler, changes?: Partial<Guard>) =>
    handlers.add(kind, handler, (inner) => guardHandler(inner, kind, { ...guard, ...changes }));

  const logIn = guarded(
    'login',
    initializeHandler(options.initialize as unknown as InitializeOptions, session, errors),
    { admit: async () => undefined },
  );
  const logOut =
    cleanup &&
    guarded('logout', async (c) => {
      await cleanup.handler({ session: c.get('session'), signal: c.req.raw.signal, c });
      return c.body(null, 204);
    });
  const notFoundBelowPath: MiddlewareHandler = async (c, next) => {
    const isLast = matchedRoutes(c).length <= c.req.routeIndex + 1;
    return isLast ? notFound(c) : next();
  };

  const app = createGuardedApp({
    guardRoute(handler, path) {
      const route = handlers.find(handler) ? handler : guarded('route', handler);
      handlers.setPath(route, path);
      return route;
    },
    guardMiddleware: (handler) => guarded('middleware', handler),
    addLogin(base) {
      base.post(initializePath, logIn);
      if (cleanup && logOut) base.post(cleanup.path, logOut);
    },
    fallback: handlers.add('fallback', notFoundBelowPath, (handler) => (c, next) => handler(c, next)),
  });
  app.onError(errors.respond);
  app.notFound(notFound);
  return app as unknown as Connector<Session>;
}
