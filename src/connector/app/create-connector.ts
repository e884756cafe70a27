import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler } from 'hono/utils/handler';
import type { z } from 'zod';
import { NotFoundError } from '../../contract/index.js';
import { checkOptions } from '../../internal/index.js';
import { createErrorWriter } from '../errors/error-writer.js';
import { checkPolicy, createAnnouncer } from '../request/announce-policy.js';
import { createBodyLimit, limitOf, passOn } from '../request/body-limit.js';
import { parseBody } from '../request/read-json.js';
import { matchedHandlers, openPath, type Shared } from '../request/request-state.js';
import {
  type Connector,
  type ConnectorEnv,
  type ConnectorOptions,
  connectorSchema,
  readCleanup,
} from './connector-options.js';
import { createAnswers } from './error-handling.js';
import { type HandlerKind, type Surroundings, surround } from './guard-handler.js';
import { fallbacks, type OwnHandler, type OwnOf, pathWithin, takeOverRoutes, wrapped } from './guarded-app.js';
import { type InitializeOptions, initializeHandler } from './initialize.js';
import { checkSession, hasRoute, sessionGuard, type VerifySession } from './session-guard.js';

/**
 * Makes a connector: a Hono app that logs in at `POST /initialize`, asks every other route for a session, and answers all
 * that goes wrong as the contract says (rules E1-E5, W1-W2, W8, S1-S2). Unknown routes are a 404, with or without a session.
 * Middleware added with `use` sees every request, the routes only those with a session (rule D6). It may be put below any
 * path of another app, by `route`, `mount` or `basePath`.
 *
 * @throws TypeError naming the option that is wrong.
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
export function createConnector<Parameters extends z.ZodType, Session extends z.ZodObject>(
  options: ConnectorOptions<Parameters, Session>,
): Connector<Session> {
  const settings = checkOptions(connectorSchema, options);
  const { verify, onError, translate, exposeDetail, maxDetailBytes, maxBodyBytes } = settings;
  const { policy: _, ...rateLimit } = settings.rateLimit;
  const initialize = options.initialize as unknown as InitializeOptions;
  const initializePath = settings.initialize.path;
  const sessionNames = checkSession(options.session);
  const cleanup = readCleanup(settings.cleanup, initializePath);
  const openPaths = new Set(settings.openPaths);
  const mark = Symbol('entered');
  const announce = createAnnouncer(checkPolicy(options.rateLimit?.policy));
  const writeError = createErrorWriter({ rateLimit, exposeDetail, maxDetailBytes });
  const answers = createAnswers({ mark, sessionNames, rateLimit, writeError, announce, onError, translate });
  const notFound = (c: Context) =>
    answers.fail(new NotFoundError(`There is no route for ${c.req.method} ${shorten(c.req.path)}.`), c);

  const logIn = initializeHandler(initialize, options.session, answers);
  const logOut =
    cleanup &&
    (async (c: Context) => {
      await cleanup.handler({ session: c.get('session'), signal: c.req.raw.signal, c });
      return c.body(null, 204);
    });
  const own = new Set<unknown>([logIn, logOut]);
  const mine = new WeakMap<object, OwnHandler>();
  const ownOf: OwnOf = (handler) => {
    for (const inner of wrapped(handler)) if (mine.has(inner)) return mine.get(inner);
    return undefined;
  };
  const guard = sessionGuard(options.session, verify as VerifySession | undefined, {
    isRoute: (c) =>
      hasRoute(c, (handler) => {
        const target = findTargetHandler(handler);
        return target === logIn || fallbacks.has(target) || ownOf(handler)?.kind === 'middleware';
      }),
    notFound,
  });
  const isOwn = (c: Context) => c.req.method === 'POST' && matchedHandlers(c).some((handler) => own.has(handler));
  const limit = createBodyLimit(maxBodyBytes, { ownOf, isOwn });
  const isOpen = (c: Context) => openPaths.size > 0 && openPaths.has(pathWithin(c, ownOf) ?? '');
  const surroundings: Surroundings = {
    mark,
    enter(c) {
      answers.ask(c);
      // A plain `c.req.json()` of broken JSON is the caller's mistake too.
      c.req.json = () => parseBody(c.req) as Promise<never>;
      limit.count(c);
      return guard.read(c);
    },
    admit(c, session, hasAnswer) {
      limit.check(c);
      if (!isOpen(c)) return guard.admit(c, session, hasAnswer);
      (c as Shared)[openPath] = true;
      return undefined;
    },
    isOwn,
    endsAt(c, index) {
      const behind = matchedRoutes(c).slice(index + 1);
      const next = behind.find(({ handler }) => !fallbacks.has(findTargetHandler(handler)));
      return next !== undefined && ownOf(next.handler) === undefined;
    },
    ...answers,
  };
  const surroundOwn = (handler: Handler, kind: HandlerKind, changes: Partial<Surroundings> = {}) => {
    const surrounded = surround(handler, { ...surroundings, ...changes }, kind);
    mine.set(surrounded, { kind });
    return surrounded;
  };
  const fallback: MiddlewareHandler = async (c, next) => {
    const isLast = matchedRoutes(c).length <= c.req.routeIndex + 1;
    return isLast ? notFound(c) : next();
  };
  fallbacks.add(fallback);
  mine.set(fallback, { kind: 'own' });

  const app = new Hono<ConnectorEnv<Session>>();
  app.onError(answers.answer);
  app.notFound(notFound);
  takeOverRoutes(app as unknown as Hono, {
    last: [
      { path: initializePath, handler: surroundOwn(logIn, 'own', { admit: limit.check }) },
      ...(cleanup && logOut ? [{ path: cleanup.path, handler: surroundOwn(logOut, 'own') }] : []),
    ],
    fallback,
    surround(handler, path, isMiddleware) {
      const kind = isMiddleware ? 'middleware' : 'route';
      const bytes = limitOf(handler);
      const surrounded = surroundOwn(bytes === undefined ? handler : passOn, kind);
      mine.set(surrounded, { kind, path, bytes });
      return surrounded;
    },
  });
  return app;
}

function shorten(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200)}…`;
}
