import type { Context, Handler, Hono, Next } from 'hono';
import { COMPOSED_HANDLER } from 'hono/utils/constants';

/** What a connector does around the handlers of its author, and around those that are mounted below it. */
export interface Surroundings {
  /** The connector's own: where it keeps in the context what its guard has let in. */
  readonly mark: symbol;
  /**
   * Comes before the connector's first handler of a request, and once: what it throws is answered as the error it is, and
   * a response is the answer in the handlers' place.
   */
  enter(c: Context): Response | undefined | Promise<Response | undefined>;
  /** Gets what each handler returned, and gives what counts instead. */
  leave(returned: unknown, c: Context): unknown;
  /** Answers what was thrown and is no Error: Hono hands only Errors to `onError`, and anything can be thrown. */
  answer(thrown: unknown, c: Context): Response;
}

/** A context in which the guards of some connectors have found a session, each its own (rule D5). */
type Entered = Context & { [mark: symbol]: { readonly session: unknown } | undefined };

/** Puts a connector's own session at `c.get('session')`, and gives what was there before. */
export function takeSession(c: Context, mark: symbol): unknown {
  const outer: unknown = c.get('session');
  const entered = (c as Entered)[mark];
  if (entered) c.set('session', entered.session);
  return outer;
}

/** Back to the connector around this one. Where there is none the session stays: a stream may still ask for it. */
export function putBackSession(c: Context, outer: unknown): void {
  if (outer !== undefined) c.set('session', outer);
}

/**
 * Puts the surroundings around every handler that is added afterwards. Middleware of its own would cost each request two
 * more rounds of promises, and the short cut that Hono has for a path with one handler.
 */
export function surroundHandlers(app: Hono, surroundings: Surroundings): void {
  const { router } = app;
  const add = router.add.bind(router);
  router.add = (method, path, [handler, route]) => {
    const surrounded = surround(handler as Handler, surroundings) as typeof handler;
    route.handler = surrounded;
    add(method, path, [surrounded, route]);
  };
}

export function surround(handler: Handler, { mark, enter, leave, answer }: Surroundings): Handler {
  const finish = (returned: unknown, c: Context, outer: unknown): unknown => {
    const result = leave(returned, c);
    putBackSession(c, outer);
    return result;
  };
  const fail = (thrown: unknown, c: Context, outer: unknown): Response => {
    putBackSession(c, outer);
    if (thrown instanceof Error) throw thrown;
    return answer(thrown, c);
  };
  const run = (c: Context, next: Next, outer: unknown): unknown => {
    let returned: unknown;
    try {
      returned = handler(c, next);
    } catch (thrown) {
      return fail(thrown, c, outer);
    }
    if (!(returned instanceof Promise)) return finish(returned, c, outer);
    return returned.then(
      (settled) => finish(settled, c, outer),
      (thrown) => fail(thrown, c, outer),
    );
  };
  const surrounded: Handler = (c, next) => {
    const context = c as Entered;
    const outer = takeSession(c, mark);
    if (context[mark]) return run(c, next, outer) as Response;
    const admit = (refused: Response | undefined) => {
      if (refused) return refused;
      context[mark] = { session: c.get('session') };
      return run(c, next, outer) as Response;
    };
    const refused = enter(c);
    return refused instanceof Promise ? refused.then(admit) : admit(refused);
  };
  // Hono's own mark for a wrapped handler: it leads back to the author's.
  return Object.assign(surrounded, { [COMPOSED_HANDLER]: handler });
}
