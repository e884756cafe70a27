import type { Context, Handler, Next } from 'hono';
import { COMPOSED_HANDLER } from 'hono/utils/constants';
import { internalErrorCode, toConnectorError } from '../errors/to-connector-error.js';
import { isResponse } from '../request/request-state.js';

/** What a connector does around the handlers of its author, and around those that are mounted below it. */
export interface Surroundings {
  /** The connector's own: where it keeps in the context what it knows of a request. */
  readonly mark: symbol;
  /** Comes before the connector's first handler of a request, and once: puts the session that it brings, if it brings one. */
  enter(c: Context): undefined | Promise<undefined>;
  /**
   * Comes before its first route, and once: what it throws is answered as the error it is, and a response is the answer in
   * the route's place.
   *
   * @param hasAnswer whether there is an answer, so that the path cannot be an unknown one.
   */
  admit(c: Context, session: unknown, hasAnswer?: boolean): Response | undefined | Promise<Response | undefined>;
  /** Whether the request is for initialize or cleanup, which no route of the author's takes. */
  isOwn(c: Context): boolean;
  /** Whether what comes behind this place of a request's handlers is not the connector's. */
  endsAt(c: Context, index: number): boolean;
  /** Gets what each handler returned, and gives what counts instead. */
  leave(returned: unknown, c: Context): unknown;
  /** Answers what was thrown and is no Error: Hono hands only Errors to `onError`, and anything can be thrown. */
  answer(thrown: unknown, c: Context): Response;
}

/** Middleware sees every request, a route only those that are admitted; `own` are the connector's own routes. */
export type HandlerKind = 'middleware' | 'route' | 'own';

interface Entry {
  readonly session: unknown;
  isAdmitted: boolean;
}

/** A context that some connectors know, each for itself (rule D5). */
type Entered = Context & { [mark: symbol]: Entry | undefined };

/** Puts a connector's own session at `c.get('session')`, and gives what was there before. */
export function takeSession(c: Context, mark: symbol): unknown {
  const outer: unknown = c.get('session');
  const entry = (c as Entered)[mark];
  if (entry) c.set('session', entry.session);
  return outer;
}

/** Back to the connector around this one. Where there is none the session stays: a stream may still ask for it. */
export function putBackSession(c: Context, outer: unknown): void {
  if (outer !== undefined) c.set('session', outer);
}

export function surround(handler: Handler, surroundings: Surroundings, kind: HandlerKind): Handler {
  const { mark, enter, admit, isOwn, leave, answer } = surroundings;
  const finish = (returned: unknown, c: Context, outer: unknown): unknown => {
    let result: unknown;
    try {
      // Hono makes an empty success of that where the connector is routed into another app.
      if (!returned && !c.finalized) throw new Error(deadEnd);
      result = leave(returned, c);
    } catch (thrown) {
      return fail(thrown, c, outer);
    }
    if (!(result instanceof Promise)) {
      putBackSession(c, outer);
      return result;
    }
    return result.finally(() => putBackSession(c, outer));
  };
  const fail = (thrown: unknown, c: Context, outer: unknown): Response => {
    putBackSession(c, outer);
    if (thrown instanceof Error) throw thrown;
    return answer(thrown, c);
  };
  /** Goes on at once where it can: a promise costs each request a turn. */
  const attempt = (step: () => unknown, then: (value: unknown) => unknown, c: Context, outer: unknown): unknown => {
    let value: unknown;
    try {
      value = step();
    } catch (thrown) {
      return fail(thrown, c, outer);
    }
    return value instanceof Promise ? value.then(then, (thrown) => fail(thrown, c, outer)) : then(value);
  };
  const run = (c: Context, next: Next, outer: unknown, entry: Entry): unknown => {
    if (kind !== 'middleware' || entry.isAdmitted) {
      return attempt(
        () => handler(c, next),
        (returned) => finish(returned, c, outer),
        c,
        outer,
      );
    }
    return runUnadmitted(handler, c, next, entry, surroundings).then(
      (returned) => finish(returned, c, outer) as Response,
      (thrown) => fail(thrown, c, outer),
    );
  };
  const pass = (c: Context, next: Next, outer: unknown): unknown => {
    const entry = (c as Entered)[mark] as Entry;
    if (kind === 'middleware' || entry.isAdmitted) return run(c, next, outer, entry);
    const admitted = (refused: unknown) => {
      if (refused) {
        putBackSession(c, outer);
        return refused;
      }
      entry.isAdmitted = true;
      return run(c, next, outer, entry);
    };
    return attempt(() => admit(c, entry.session), admitted, c, outer);
  };
  const surrounded: Handler = (c, next) => {
    if (kind === 'route' && isOwn(c)) return next() as never;
    const outer = takeSession(c, mark);
    if ((c as Entered)[mark]) return pass(c, next, outer) as Response;
    const entered = () => {
      (c as Entered)[mark] = { session: c.get('session'), isAdmitted: false };
      return pass(c, next, outer);
    };
    return attempt(() => enter(c), entered, c, outer) as Response;
  };
  // Hono's own mark for a wrapped handler: it leads back to the author's.
  return Object.assign(surrounded, { [COMPOSED_HANDLER]: handler });
}

const deadEnd = 'A handler has neither answered nor waited for `next()`.';

/**
 * Middleware of a request that is not admitted yet: it may prepare the answer, refuse the request or answer a preflight.
 * What it leaves behind is otherwise for admitted requests, whatever way it came, and so are handlers behind it that are not
 * the connector's.
 */
async function runUnadmitted(handler: Handler, c: Context, next: Next, entry: Entry, surroundings: Surroundings) {
  const { admit, isOwn, endsAt, answer } = surroundings;
  const index = c.req.routeIndex;
  let hasGoneOn = false;
  const admitted = async (hasAnswer = false) => {
    const refused = await admit(c, entry.session, hasAnswer);
    entry.isAdmitted = refused === undefined;
    return refused;
  };
  const goOn: Next = async () => {
    hasGoneOn = true;
    let refused: Response | undefined;
    try {
      refused = endsAt(c, index) && !entry.isAdmitted ? await admitted() : undefined;
    } catch (refusal) {
      // As Hono does it: what comes behind a middleware fails with an answer, and not with an error.
      c.error = refusal as Error;
      refused = answer(refusal, c);
    }
    if (refused === undefined) await next();
    else c.res = refused;
  };
  let returned: unknown;
  try {
    returned = await handler(c, goOn);
  } catch (thrown) {
    // Without a session it may have failed for want of it.
    const isUnforeseen = toConnectorError(thrown).code === internalErrorCode;
    const refused = isUnforeseen && !hasGoneOn && !isOwn(c) && (await admitted());
    if (refused) return refused;
    throw thrown;
  }
  if (entry.isAdmitted || c.req.method === 'OPTIONS' || isOwn(c)) return returned;
  // Of the two, Hono takes now the one and now the other.
  const responses = [returned, c.finalized ? c.res : undefined].filter(isResponse);
  if (responses.length > 0 && responses.every(({ status }) => status >= 400)) return returned;
  return (await admitted(true)) ?? returned;
}
