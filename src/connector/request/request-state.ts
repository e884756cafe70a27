import type { Context } from 'hono';
import type { WireError } from '../errors/error-writer.js';

/** What the connectors that handle one request share; each has a `GuardedRequest` of its own, too (rule D5). */
export interface RequestState {
  /** A handler of a connector is at work: the others are within it. */
  isEntered?: boolean;
  /** The last error response, whichever connector wrote it. */
  error?: WireError;
  /** The session headers of all connectors that the request has reached. */
  sessionHeaders?: readonly string[];
  /** The error for a body over its limit. It is the response, whatever a handler makes of it. */
  bodyTooLarge?: Error;
  /** The path needs no session, so the service does not interpret the response. */
  isOpenPath?: boolean;
  /** What `onError` has heard of: a stream that fails, its server and middleware that reads a copy all tell the same. */
  reported?: Set<unknown>;
  /** Tells the innermost connector's `onError` about a failure after the response has begun. */
  reportLate?: (thrown: unknown, c: Context) => void;
  /** The end system's quota, as headers for the response. */
  quota?: Readonly<Record<string, string>>;
}

const states = new WeakMap<Context, RequestState>();

/**
 * Of requests that have reached a connector: tells its `onError` about a body that failed while it was sent. By the response
 * of Node, or the request on other runtimes, because hosts and middleware may replace the request.
 */
export const lateReporters = new WeakMap<object, (thrown: unknown) => void>();

export function stateOf(c: Context): RequestState {
  let state = states.get(c);
  if (state === undefined) {
    state = {};
    states.set(c, state);
  }
  return state;
}
