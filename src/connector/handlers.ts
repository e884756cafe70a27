import type { Context, Handler, Hono, Next } from 'hono';
import { COMPOSED_HANDLER } from 'hono/utils/constants';

/** What a connector does around the handlers of its author. */
export interface Surroundings {
  /**
   * Comes before the first handler of a request, and once: what it throws is answered as the error it is, and a response
   * is the answer in the handlers' place.
   */
  enter(c: Context): Response | undefined | Promise<Response | undefined>;
  /** Gets what each handler returned, and gives what counts instead. */
  leave(returned: unknown, c: Context): unknown;
  /** Answers what was thrown and is no Error: Hono hands only Errors to `onError`, and anything can be thrown. */
  answer(thrown: unknown, c: Context): Response;
}

const entered = Symbol('entered');

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

export function surround(handler: Handler, { enter, leave, answer }: Surroundings): Handler {
  const caught = (thrown: unknown, c: Context): Response => {
    if (thrown instanceof Error) throw thrown;
    return answer(thrown, c);
  };
  const run = (c: Context, next: Next): unknown => {
    let returned: unknown;
    try {
      returned = handler(c, next);
    } catch (thrown) {
      return caught(thrown, c);
    }
    if (!(returned instanceof Promise)) return leave(returned, c);
    return returned.then(
      (settled) => leave(settled, c),
      (thrown) => caught(thrown, c),
    );
  };
  const surrounded: Handler = (c, next) => {
    const context = c as Context & { [entered]?: true };
    if (context[entered]) return run(c, next) as Response;
    context[entered] = true;
    const refused = enter(c);
    if (refused instanceof Promise) return refused.then((response) => (response ?? run(c, next)) as Response);
    return refused ?? (run(c, next) as Response);
  };
  // Hono's own mark for a wrapped handler: it leads back to the author's.
  return Object.assign(surrounded, { [COMPOSED_HANDLER]: handler });
}
