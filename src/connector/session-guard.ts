import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler, isMiddleware } from 'hono/utils/handler';
import type { z } from 'zod';
import { sessionHeaderProblem, UnauthorizedError } from '../contract/index.js';
import { checkOptions } from '../internal/index.js';
import { zodObject } from './options.js';
import { describeIssues } from './read-json.js';

/** Whether the end system still accepts the session; `false` is answered with 401. */
export type VerifySession<Session extends z.ZodObject = z.ZodObject> = (
  session: z.output<Session>,
) => boolean | Promise<boolean>;

/** @throws TypeError naming `session`, or the key of it that cannot be a header. */
export function checkSession(session: z.ZodObject): string[] {
  checkOptions(zodObject, session, 'session');
  const names = Object.keys(session.shape);
  const seen = new Set<string>();
  for (const name of names) {
    const problem = sessionHeaderProblem(name, '');
    if (problem !== undefined) throw new TypeError(`\`session.${name}\` cannot be a request header: ${problem}.`);
    if (seen.has(name.toLowerCase())) throw new TypeError(`\`session.${name}\` is there twice but for its case.`);
    seen.add(name.toLowerCase());
  }
  return names;
}

/**
 * Lets a request pass only with a session, which it puts at `c.get('session')`; a missing or refused one is a 401, so the
 * service logs in again. A path that has no route is a 404 with or without a session: logging in would not help.
 *
 * @param own this package's own handlers, which do not make a path a route of the author's.
 * @returns what to ask before the handlers: `undefined` lets them run, a response is the answer. Asynchronous only where
 * the schema or `verify` is.
 */
export function sessionGuard(
  schema: z.ZodObject,
  verify: VerifySession | undefined,
  own: ReadonlySet<unknown>,
): (c: Context) => Response | undefined | Promise<Response | undefined> {
  const names = Object.keys(schema.shape);
  const parse = createParse(schema);
  const refuse = (c: Context, problem: string) => {
    if (!hasRoute(c, own)) return c.notFound();
    throw new UnauthorizedError(problem);
  };
  const admit = (c: Context, session: Record<string, unknown>) => {
    c.set('session', session);
    return undefined;
  };
  const judge = (c: Context, headers: Record<string, string>, result: ReturnType<typeof schema.safeParse>) => {
    if (!result.success) return refuse(c, describeProblem(names, headers, result.error.issues));
    const session = result.data as Record<string, unknown>;
    const accepted = verify === undefined || verify(session);
    const decide = (isAccepted: boolean) =>
      isAccepted ? admit(c, session) : refuse(c, 'The session is no longer valid.');
    return typeof accepted === 'boolean' ? decide(accepted) : Promise.resolve(accepted).then(decide);
  };
  return (c) => {
    const sent = c.req.raw.headers;
    const headers: Record<string, string> = {};
    for (const name of names) {
      const value = sent.get(name);
      if (value !== null) headers[name] = value;
    }
    const result = parse(headers);
    return result instanceof Promise ? result.then((settled) => judge(c, headers, settled)) : judge(c, headers, result);
  };
}

/** Parses at once for as long as the schema can: only one with asynchronous checks in it costs a promise. */
function createParse(schema: z.ZodObject) {
  let atOnce = true;
  return (headers: Record<string, string>) => {
    if (atOnce) {
      try {
        return schema.safeParse(headers);
      } catch {
        atOnce = false; // zod throws when it meets a promise
      }
    }
    return schema.safeParseAsync(headers);
  };
}

function describeProblem(
  names: string[],
  headers: Record<string, string>,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
): string {
  const faulty = new Set(issues.map((issue) => issue.path[0]));
  const missing = names.filter((name) => headers[name] === undefined && faulty.has(name));
  if (missing.length > 0) return `The session is missing: ${missing.join(', ')}.`;
  return `The session is not valid: ${describeIssues(issues)}.`;
}

/**
 * Whether the author has a route for this request. Middleware for all paths is none; where it cannot be told apart from a
 * route it counts as one, and the request is answered with 401.
 */
function hasRoute(c: Context, own: ReadonlySet<unknown>): boolean {
  return matchedRoutes(c).some(({ handler, method, path }) => {
    const target = findTargetHandler(handler);
    const forAllPaths = method === 'ALL' && (path === '/*' || path === '*') && isMiddleware(target);
    return !own.has(target) && !forAllPaths;
  });
}
