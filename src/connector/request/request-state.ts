import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler } from 'hono/utils/handler';
import type { ErrorAnswer } from '../errors/error-writer.js';

/**
 * What the connectors that a request leads through share (rule D5). On the context itself, because a WeakMap costs more
 * than the rest of an answer.
 */
export interface Shared {
  /** The last error answer, whichever connector wrote it. */
  [errorAnswer]?: ErrorAnswer;
  /** The session headers of all connectors so far. */
  [askedHeaders]?: readonly string[];
  /** The refusal of a body that was too large: whatever a handler makes of it, it is the answer. */
  [bodyRefusal]?: Error;
  /** Nobody asks for a session on this path, so its answers are not the service's to read. */
  [openPath]?: boolean;
  /** Tells the `onError` of the innermost connector of a failure that comes too late for an answer. */
  [reportLate]?: (thrown: unknown, c: Context) => void;
}

export const errorAnswer = Symbol('errorAnswer');
export const askedHeaders = Symbol('askedHeaders');
export const bodyRefusal = Symbol('bodyRefusal');
export const openPath = Symbol('openPath');
export const reportLate = Symbol('reportLate');

/** The author's handlers behind the routes that match a request, in their order. */
export function matchedHandlers(c: Context): unknown[] {
  return matchedRoutes(c).map(({ handler }) => findTargetHandler(handler));
}

/** Not `instanceof`: a response may come from another copy of fetch. */
export function isResponse(value: unknown): value is Response {
  const response = value as Partial<Response> | undefined | null;
  return typeof response?.status === 'number' && typeof response.headers?.get === 'function';
}
