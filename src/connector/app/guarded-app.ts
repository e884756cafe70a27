import { type Handler, Hono } from 'hono';
import type { Result, Router } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { RouterRoute } from 'hono/types';

type Target = [Handler, RouterRoute];

export interface Registration {
  /** Guards a handler of the author, as it is registered at a path. */
  guardRoute(handler: Handler, path: string): Handler;
  /** Guards middleware: what is given to `use` and takes `next`. */
  guardMiddleware(handler: Handler): Handler;
  addLogin(app: Hono): void;
  /** The last handler below a path of another app, where Hono's `notFound` handler does not apply. */
  fallback: Handler;
}

/**
 * Hono's default router, in front of which every handler is guarded: whatever method registers it, it passes `add`. Login
 * and logout come behind all middleware, so they are added with the first request.
 */
class GuardingRouter implements Router<Target> {
  readonly name = 'GuardingRouter';
  readonly routes: RouterRoute[] = [];
  readonly #router = new SmartRouter<Target>({ routers: [new RegExpRouter(), new TrieRouter()] });
  /** Each is the list of paths given to `basePath`, one after the other. */
  readonly bases: (readonly string[])[] = [];
  readonly #registration: Registration;
  #hasLogin = false;

  constructor(registration: Registration) {
    this.#registration = registration;
  }

  add(method: string, path: string, [handler, route]: Target): void {
    const guarded = { ...route, handler: this.#registration.guardRoute(handler, path) };
    this.routes.push(guarded);
    this.#router.add(method, path, [guarded.handler, guarded]);
  }

  match(method: string, path: string): Result<Target> {
    if (!this.#hasLogin) {
      for (const route of this.loginRoutes())
        this.#router.add(route.method, route.path, [route.handler as Handler, route]);
      this.#hasLogin = true;
    }
    return this.#router.match(method, path);
  }

  /** Login and logout, below each base path too, unless another connector has its own there (rule D7). */
  loginRoutes(): RouterRoute[] {
    const routes: RouterRoute[] = [];
    for (const paths of this.bases) {
      const app = new Hono();
      this.#registration.addLogin(paths.reduce((based, path) => based.basePath(path), app));
      for (const route of app.routes) {
        const isTaken = [...this.routes, ...routes].some(
          ({ method, path }) => method === 'POST' && path === route.path,
        );
        if (paths.length === 0 || !isTaken) routes.push(route);
      }
    }
    return routes;
  }
}

export function createGuardedApp(registration: Registration): Hono {
  const router = new GuardingRouter(registration);
  return guardApp(new Hono({ router }), [], router, registration);
}

/** Hono has no types for a method that replaces `use`, `route` or `basePath`. */
interface Methods {
  use(...handlers: unknown[]): unknown;
  route(path: string, app: unknown): unknown;
  basePath(path: string): Hono;
}

/** What Hono's `route` reads of the app it is given. */
interface Routed {
  readonly routes: unknown;
  readonly errorHandler: unknown;
}

const { errorHandler } = new Hono() as unknown as Routed;

/**
 * An app of another copy of Hono, such as one of another version, has the default error handler of that copy. Hono's `route`
 * knows only its own, and would let the other one respond to the contract's errors.
 */
function withOwnDefaults(app: Routed): Routed {
  if (app.errorHandler === errorHandler) return app;
  let base: { constructor: new () => Routed } | undefined;
  for (
    let next = Object.getPrototypeOf(app);
    next !== null && next !== Object.prototype;
    next = Object.getPrototypeOf(next)
  ) {
    base = next;
  }
  const isDefault = base !== undefined && app.errorHandler === new base.constructor().errorHandler;
  return isDefault ? { routes: app.routes, errorHandler } : app;
}

/** @param paths what led to this app by `basePath`: Hono makes a copy of the app for each, with the same router. */
function guardApp(app: Hono, paths: readonly string[], router: GuardingRouter, registration: Registration): Hono {
  router.bases.push(paths);
  const { guardMiddleware, fallback } = registration;
  const { use, route, basePath } = app as unknown as Methods;
  const methods: Methods = {
    use(...handlers) {
      const isMiddleware = (handler: unknown) => typeof handler === 'function' && handler.length > 1;
      use(...handlers.map((handler) => (isMiddleware(handler) ? guardMiddleware(handler as Handler) : handler)));
      return app;
    },
    route(path, other) {
      // Hono's `route` calls `this.basePath`: on a plain copy that adds no base path.
      route.call(basePath.call(app, '/'), path, withOwnDefaults(other as Routed));
      return app;
    },
    basePath: (path) => guardApp(basePath.call(app, path), [...paths, path], router, registration),
  };
  Object.assign(app, methods);
  // What another app reads when the connector is routed into it.
  Object.defineProperty(app, 'routes', {
    get: (): RouterRoute[] => [
      ...router.routes,
      ...router.loginRoutes(),
      { basePath: '/', path: '/*', method: 'ALL', handler: fallback },
    ],
  });
  return app;
}
