import type { Context, Handler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { z } from 'zod';
import { sessionHeaderProblem, UnauthorizedError } from '../../contract/index.js';
import { checkOptions } from '../../internal/index.js';
import { zodObject } from '../errors/options.js';
import { describeIssues } from '../request/read-json.js';

/**
 * Whether the end system still accepts the session; `false` is answered with 401. `c` is the context of the request, with
 * the parameters of its path.
 */
export type VerifySession<Session extends z.ZodObject = z.ZodObject> = (
  session: z.output<Session>,
  c: Context,
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

export interface SessionGuard {
  /** Puts the session that a request brings at `c.get('session')`, and `undefined` where it brings none. */
  read(c: Context): undefined | Promise<undefined>;
  /**
   * Lets a request pass only with a session; a missing or refused one is a 401, so the service logs in again. A path that
   * has no route is a 404 with or without a session: logging in would not help. A response is the answer; asynchronous only
   * where `verify` is.
   */
  admit(c: Context, session: unknown, hasAnswer?: boolean): Response | undefined | Promise<Response | undefined>;
}

/** @param isRoute whether anything but middleware may answer a request. */
export function sessionGuard(
  schema: z.ZodObject,
  verify: VerifySession | undefined,
  { isRoute, notFound }: { isRoute(c: Context): boolean; notFound(c: Context): Response },
): SessionGuard {
  const names = Object.keys(schema.shape);
  const parse = createParse(schema);
  const problem = Symbol('problem');
  const verdict = Symbol('verdict');
  type Judged = Context & { [problem]?: string; [verdict]?: boolean | Promise<boolean> };
  const refuse = (c: Context, reason: string, hasAnswer: boolean) => {
    if (!hasAnswer && !isRoute(c)) return notFound(c);
    throw new UnauthorizedError(reason);
  };
  const judge = (c: Context, headers: Record<string, string>, result: ReturnType<typeof schema.safeParse>) => {
    if (!result.success) (c as Judged)[problem] = describeProblem(names, headers, result.error.issues);
    c.set('session', result.success ? result.data : undefined);
    return undefined;
  };
  return {
    read(c) {
      const sent = c.req.raw.headers;
      const headers: Record<string, string> = {};
      for (const name of names) {
        const value = sent.get(name);
        if (value !== null) headers[name] = value;
      }
      const result = parse(headers);
      return result instanceof Promise
        ? result.then((settled) => judge(c, headers, settled))
        : judge(c, headers, result);
    },
    admit(c, session, hasAnswer = false) {
      const reason = (c as Judged)[problem];
      if (reason !== undefined) return refuse(c, reason, hasAnswer);
      // Once a request, however often a middleware goes on or has its answer judged.
      const accepted =
        (c as Judged)[verdict] ?? (verify === undefined || verify(session as Record<string, unknown>, c));
      (c as Judged)[verdict] = accepted;
      const decide = (isAccepted: boolean) =>
        isAccepted ? undefined : refuse(c, 'The session is no longer valid.', hasAnswer);
      return typeof accepted === 'boolean' ? decide(accepted) : Promise.resolve(accepted).then(decide);
    },
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
 * Whether anything may answer this request, from the handler on that is at work: what was before has let it pass. What
 * cannot be told apart from a route counts as one, and the request is answered with 401.
 *
 * @param isOther says of handlers that they are none: what was given to `use` of this connector, and its login.
 */
export function hasRoute(c: Context, isOther: (handler: Handler) => boolean): boolean {
  return matchedRoutes(c)
    .slice(c.req.routeIndex)
    .some(({ handler }) => !isOther(handler as Handler));
}
