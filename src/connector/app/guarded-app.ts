import type { Context, Handler, Hono } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { RouterRoute } from 'hono/types';
import { COMPOSED_HANDLER } from 'hono/utils/constants';
import { findTargetHandler, isMiddleware } from 'hono/utils/handler';
import { mergePath } from 'hono/utils/url';
import type { HandlerKind } from './guard-handler.js';

interface OwnRoute {
  readonly path: string;
  readonly handler: Handler;
}

export interface OwnRoutes {
  /** Routes that come after all middleware of the author and before all routes: `POST` initialize and cleanup. */
  readonly last: readonly OwnRoute[];
  /** Answers what nobody else answers below the path at which the connector is routed into another app. */
  readonly fallback: Handler;
  /** Surrounds a handler of the author's. Middleware is what was given to `use` and takes `next`. */
  surround(handler: Handler, path: string, isMiddleware: boolean): Handler;
}

/** What a connector knows of a handler that it has surrounded. */
export interface OwnHandler {
  readonly kind: HandlerKind;
  /** Where the connector has it; its own routes have none here. */
  readonly path?: string;
  /** Of a `limitBody`. */
  readonly bytes?: number | undefined;
}

/** Finds one in what a route leads to, and nothing in what belongs to somebody else. */
export type OwnOf = (handler: unknown) => OwnHandler | undefined;

/** What is taken over of an app, in types that do not grow with each route. */
interface Copy {
  readonly _basePath: string;
  use(...handlers: unknown[]): unknown;
  route(path: string, other: unknown): unknown;
  basePath(path: string): Copy;
}

/**
 * Has each handler that is added to an app surrounded, and gives the connector's own routes their place behind the
 * author's middleware: they are added when the first request comes, or when another app asks for the routes.
 */
export function takeOverRoutes(app: Hono, { last, fallback, surround }: OwnRoutes): void {
  const { router } = app;
  const add = router.add.bind(router);
  const match = router.match;
  const added: RouterRoute[] = [];
  const bases = new Set<string>();
  let adding: 'use' | 'route' | undefined;
  router.add = (method, path, [handler, route]) => {
    const isUsed = adding === 'use' && isMiddleware(findTargetHandler(handler as Handler));
    const surrounded = surround(handler as Handler, path, isUsed);
    route.handler = surrounded;
    added.push(route);
    add(method, path, [surrounded as typeof handler, route]);
  };
  const ownRoutes = (): RouterRoute[] =>
    [...bases].flatMap((basePath) =>
      last
        .map(({ path, handler }) => ({ basePath, path: mergePath(basePath, path), method: 'POST', handler }))
        // A base path is a place for the login too, unless another connector has its own there.
        .filter(
          ({ path }) => basePath === '/' || !added.some((route) => route.method === 'POST' && route.path === path),
        ),
    );
  router.match = (method, path) => {
    router.match = match;
    for (const route of ownRoutes()) add(route.method, route.path, [route.handler as never, route]);
    return router.match(method, path);
  };
  /** Copies of the app, as `basePath` makes them, add to the same router. */
  const adopt = (copy: Copy) => {
    const { use, route, basePath } = copy;
    bases.add(copy._basePath);
    copy.use = (...handlers) => {
      adding = 'use';
      try {
        return use(...handlers);
      } finally {
        adding = undefined;
      }
    };
    copy.route = (path, other) => {
      adding = 'route';
      try {
        return route.call(copy, path, other);
      } finally {
        adding = undefined;
      }
    };
    copy.basePath = (path) => {
      const based = basePath.call(copy, path);
      // `route` makes a copy of its own, only to add with it.
      if (adding !== 'route') adopt(based);
      return based;
    };
    Object.defineProperty(copy, 'routes', {
      get: () => [...added, ...ownRoutes(), { basePath: '/', path: '/*', method: 'ALL', handler: fallback }],
    });
  };
  adopt(app as unknown as Copy);
}

/** The handlers that answer what nobody answers, of all connectors: they make no path a route. */
export const fallbacks = new WeakSet<object>();

/** A handler, and what it was wrapped around, down to the author's. */
export function* wrapped(handler: unknown): Generator<object> {
  for (let inner = handler; typeof inner === 'function'; inner = (inner as never)[COMPOSED_HANDLER]) yield inner;
}

/**
 * The path of a request without that at which the connector was routed into another app: as its own routes have it.
 *
 * @returns `undefined` where a pattern stands in its place: that may be any number of the path's parts.
 */
export function pathWithin(c: Context, ownOf: OwnOf): string | undefined {
  const route = matchedRoutes(c)[c.req.routeIndex];
  const own = ownOf(route?.handler)?.path;
  if (own === undefined || route === undefined) return c.req.path;
  // Each part of the prefix is one part of the path, be it a parameter.
  const prefix = own === '/' ? route.path.replace(/\/$/, '') : route.path.slice(0, -own.length);
  if (prefix.includes('{')) return undefined;
  const parts = prefix.split('/').length - 1;
  return `/${c.req.path
    .split('/')
    .slice(1 + parts)
    .join('/')}`;
}
