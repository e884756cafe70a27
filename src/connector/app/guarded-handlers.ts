import type { Context, Handler } from 'hono';
import type { RouterRoute } from 'hono/types';
import { findTargetHandler } from 'hono/utils/handler';
import { bodyLimitOf, passOn } from '../request/body-limit.js';

/**
 * Middleware sees every request, a route only requests with a session. Login and logout are the connector's own routes, and
 * the fallback is its 404 below a path of another app.
 */
export type HandlerKind = 'middleware' | 'route' | 'login' | 'logout' | 'fallback';

export interface GuardedHandler {
  readonly connector: object;
  readonly kind: HandlerKind;
  /** What the guard runs: the author's handler. */
  readonly handler: Handler;
  /** Whether it may go on to the next handler. */
  readonly takesNext: boolean;
  readonly bodyLimit: number | undefined;
  /** The path in the connector's own routes, without that of an app around it. */
  path?: string;
}

const guardedHandlers = new WeakMap<Handler, GuardedHandler>();

/**
 * `app.route()` of Hono wraps each handler of an app that has its own error handler. Hono does not document how to find the
 * handler inside; test/connector/hono-internals.test.ts fails when that changes.
 */
const unwrap = (handler: Handler): Handler => findTargetHandler(handler) as Handler;

/**
 * The handlers that a request matches, in their order. `matchedRoutes` of hono/route reads only requests of its own copy of
 * Hono, and an app around the connector may have another one.
 */
export const matchedRoutes = (c: Context) => c.req.matchedRoutes;

/** The guards around a handler, from the outside in: connectors can be nested. */
function guardsAround(handler: unknown): GuardedHandler[] {
  const guards: GuardedHandler[] = [];
  const find = (inner: Handler) => guardedHandlers.get(unwrap(inner));
  for (let guard = find(handler as Handler); guard !== undefined; guard = find(guard.handler)) guards.push(guard);
  return guards;
}

/** The handlers of one connector, and what they tell about a request: which of them it matches, in their order. */
export class GuardedHandlers {
  /** Registers what `guard` makes of a handler. */
  add(kind: HandlerKind, handler: Handler, guard: (handler: Handler) => Handler): Handler {
    const target = unwrap(guardsAround(handler).at(-1)?.handler ?? handler);
    const bodyLimit = bodyLimitOf(target);
    // The connector applies its own limits, before anything reads the body.
    const run = bodyLimit === undefined ? handler : passOn;
    const guarded = guard(run);
    const takesNext = target.length > 1;
    // What describes an app tells routes from middleware by the length, and marks handlers with symbols (hono-openapi).
    Object.defineProperty(guarded, 'length', { value: target.length });
    for (const mark of Object.getOwnPropertySymbols(handler)) {
      Object.defineProperty(guarded, mark, Object.getOwnPropertyDescriptor(handler, mark) as PropertyDescriptor);
    }
    guardedHandlers.set(guarded, { connector: this, kind, handler: run, takesNext, bodyLimit });
    return guarded;
  }

  setPath(guarded: Handler, path: string): void {
    const guard = guardedHandlers.get(guarded);
    if (guard) guard.path = path;
  }

  /** This connector's guard around a handler; `undefined` for the handlers of others. */
  find(handler: unknown): GuardedHandler | undefined {
    return guardsAround(handler).find(({ connector }) => connector === this);
  }

  /** Whether the request is for initialize or cleanup: they take precedence over the author's routes. */
  isLogin(c: Context): boolean {
    if (c.req.method !== 'POST') return false;
    return matchedRoutes(c).some(({ handler }) => {
      const kind = this.find(handler)?.kind;
      return kind === 'login' || kind === 'logout';
    });
  }

  /** Whether a route may still handle the request. What cannot be told apart from a route counts as one (rule D6). */
  hasRoute(c: Context): boolean {
    const behind = matchedRoutes(c).slice(c.req.routeIndex);
    return behind.some(({ handler }) => {
      const kind = this.find(handler)?.kind;
      return kind !== 'middleware' && kind !== 'login' && !isFallback(handler);
    });
  }

  /** Whether the next handler after this one belongs to another app. */
  endsAt(c: Context, index: number): boolean {
    const behind = matchedRoutes(c).slice(index + 1);
    const next = behind.find(({ handler }) => !isFallback(handler));
    return next !== undefined && this.find(next.handler) === undefined;
  }

  /** The limit of the last `limitBody` before the route that handles the request (rule D5). */
  bodyLimit(c: Context): number | undefined {
    const isLogin = this.isLogin(c);
    let limit: number | undefined;
    for (const { handler } of matchedRoutes(c)) {
      const guard = this.find(handler);
      if (guard === undefined || (isLogin && guard.kind !== 'middleware')) continue;
      if (guard.bodyLimit !== undefined) limit = guard.bodyLimit;
      else if (!guard.takesNext) break;
    }
    return limit;
  }

  /**
   * The path of a request as the connector's own routes see it, without the path of an app around it (rule D7).
   *
   * @returns `undefined` below a path with a pattern, which may match any number of segments.
   */
  pathWithin(c: Context): string | undefined {
    const route = matchedRoutes(c)[c.req.routeIndex] as RouterRoute;
    // Middleware has no such path: then it is that of the request.
    const path = this.find(route.handler)?.path ?? route.path;
    const prefix = path === '/' ? route.path.replace(/\/$/, '') : route.path.slice(0, -path.length);
    if (prefix.includes('{')) return undefined;
    // A parameter in the prefix is one segment, like any other.
    const segments = prefix.split('/').length;
    return `/${c.req.path.split('/').slice(segments).join('/')}`;
  }
}

function isFallback(handler: unknown): boolean {
  return guardsAround(handler).at(-1)?.kind === 'fallback';
}
