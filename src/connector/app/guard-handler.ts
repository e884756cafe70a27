import type { Context, Handler, Next } from 'hono';
import { cancelBody, isResponse } from '../../internal/index.js';
import { internalErrorCode, toConnectorError } from '../errors/to-connector-error.js';
import { toBodyError } from '../request/read-json.js';
import { stateOf } from '../request/request-state.js';
import type { GuardedHandlers, HandlerKind } from './guarded-handlers.js';
import type { GuardedRequest } from './session-guard.js';

/** What a connector does before and after each of its handlers. */
export interface Guard {
  /** Comes before each of its handlers; reads the session before the first. */
  enter(c: Context): GuardedRequest | Promise<GuardedRequest>;
  /**
   * Comes before the connector's first route, and checks the session and the length of the body.
   *
   * @param hasResponse whether middleware has a response already, so that the path cannot be unknown.
   * @returns the response for a request that is refused.
   * @throws ConnectorError, likewise.
   */
  admit(c: Context, request: GuardedRequest, hasResponse: boolean): Promise<Response | undefined>;
  readonly handlers: GuardedHandlers;
  /** Turns what a handler returned into what counts, such as the contract's body for an error response. */
  leave(returned: unknown, c: Context): Promise<unknown>;
  /** The response for something thrown that is no Error: Hono hands only those to `onError`. */
  respond(thrown: unknown, c: Context): Response;
}

export function guardHandler(handler: Handler, kind: HandlerKind, guard: Guard): Handler {
  const run = async (c: Context, next: Next): Promise<unknown> => {
    try {
      return await handler(c, next);
    } catch (thrown) {
      throw await toBodyError(thrown, c);
    }
  };
  return async (c, next) => {
    if (kind === 'route' && guard.handlers.isLogin(c)) return next();
    const outerSession: unknown = c.get('session');
    const state = stateOf(c);
    const isOutermost = !state.isEntered;
    state.isEntered = true;
    try {
      const request = await guard.enter(c);
      c.set('session', request.session);
      let returned: unknown;
      if (kind === 'middleware' && !request.isAdmitted) {
        returned = await runBeforeAdmission(run, c, next, request, guard);
      } else {
        const refusal = kind === 'middleware' ? undefined : await admit(c, request, guard);
        if (refusal !== undefined) return refusal;
        returned = await run(c, next);
      }
      // Hono would make an empty success of this, or a 500 that `onError` does not hear of.
      if (!isResponse(returned) && !c.finalized) throw noResponse(returned);
      const left = await guard.leave(returned, c);
      return (isOutermost && c.req.method === 'HEAD' ? withoutBody(left, c) : left) as Response;
    } catch (thrown) {
      if (thrown instanceof Error) throw thrown;
      return guard.respond(thrown, c);
    } finally {
      // Where no connector is around this one the session stays: a stream may still ask for it.
      if (outerSession !== undefined) c.set('session', outerSession);
    }
  };
}

function noResponse(returned: unknown): Error {
  if (returned === undefined) return new Error('A handler returned no response and did not await `next()`.');
  const instead = (what: string, write: string) =>
    `A handler returned ${what} instead of a Response: write \`${write}\`.`;
  if (returned instanceof Error) return new Error(instead('an Error', 'throw error'), { cause: returned });
  if (typeof returned === 'string') return new Error(instead('a string', 'return c.text(…)'));
  const type = typeof returned === 'object' ? 'an object' : `a ${typeof returned}`;
  const what = Array.isArray(returned) ? 'an array' : returned === null ? 'null' : type;
  return new Error(instead(what, 'return c.json(…)'));
}

/** Hono drops the body of a response to HEAD without cancelling it. */
function withoutBody(returned: unknown, c: Context): unknown {
  // Hono may send either of the two.
  if (c.finalized) {
    const empty = emptied(c.res);
    c.res = undefined;
    c.res = empty;
  }
  return isResponse(returned) ? emptied(returned) : returned;
}

function emptied(response: Response): Response {
  cancelBody(response);
  return new Response(null, response);
}

async function admit(
  c: Context,
  request: GuardedRequest,
  guard: Guard,
  hasResponse = false,
): Promise<Response | undefined> {
  if (request.isAdmitted) return undefined;
  const refusal = await guard.admit(c, request, hasResponse);
  request.isAdmitted = refusal === undefined;
  return refusal;
}

/**
 * Runs middleware before the request is admitted (rule D6). It may go on, refuse the request or answer a preflight; any
 * other response, however it came about, requires admission, and so do handlers of another app behind it.
 */
async function runBeforeAdmission(
  run: (c: Context, next: Next) => Promise<unknown>,
  c: Context,
  next: Next,
  request: GuardedRequest,
  guard: Guard,
): Promise<unknown> {
  const index = c.req.routeIndex;
  let hasGoneOn = false;
  const goOn: Next = async () => {
    hasGoneOn = true;
    let refusal: Response | undefined;
    try {
      refusal = guard.handlers.endsAt(c, index) ? await admit(c, request, guard) : undefined;
    } catch (error) {
      // As in Hono: `next()` does not throw, the middleware finds the error response in `c.res`.
      c.error = error as Error;
      refusal = guard.respond(error, c);
    }
    if (refusal === undefined) await next();
    else c.res = refusal;
  };
  let returned: unknown;
  try {
    returned = await run(c, goOn);
  } catch (thrown) {
    // It may have failed because there is no session.
    const isUnforeseen = toConnectorError(thrown).code === internalErrorCode;
    const refusal = isUnforeseen && !hasGoneOn && !guard.handlers.isLogin(c) && (await admit(c, request, guard));
    if (refusal) return refusal;
    throw thrown;
  }
  if (request.isAdmitted || c.req.method === 'OPTIONS' || guard.handlers.isLogin(c)) return returned;
  // Hono may send either of the two.
  const responses = [returned, c.finalized ? c.res : undefined].filter(isResponse);
  if (responses.length > 0 && responses.every(({ status }) => status >= 400)) return returned;
  return (await admit(c, request, guard, true)) ?? returned;
}
