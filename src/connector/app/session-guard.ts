import type { Context } from 'hono';
import type * as z from 'zod';
import { isConnectorError, sessionHeaderProblem } from '../../contract/index.js';
import { describeIssues } from '../../internal/index.js';
import { hideExpected } from '../request/read-json.js';

/** Whether the end system still accepts the session; `false` is a 401. `c.req.param()` has the path's parameters. */
export type VerifySession<Session extends z.core.$ZodObject = z.ZodObject> = (
  session: z.output<Session>,
  c: Context,
) => boolean | Promise<boolean>;

/** @throws TypeError naming the key of `session` that cannot be a header. */
export function checkSession(session: z.ZodObject): string[] {
  const names = Object.keys(session.shape);
  const seen = new Set<string>();
  for (const name of names) {
    const problem = sessionHeaderProblem(name, '');
    if (problem !== undefined) throw new TypeError(`\`session.${name}\` cannot be a request header: ${problem}.`);
    if (seen.has(name.toLowerCase()))
      throw new TypeError(`\`session.${name}\` appears twice (names are case-insensitive).`);
    seen.add(name.toLowerCase());
  }
  return names;
}

/** What a connector knows of a request that has reached it. */
export interface GuardedRequest {
  /** The session that the request brings; `undefined` where the schema accepts none. */
  readonly session: unknown;
  /** Why there is no session. */
  readonly problem?: string;
  /** What the schema threw. */
  readonly cause?: unknown;
  /** What `verify` says, asked once however often middleware goes on. */
  isAccepted?: boolean | Promise<boolean>;
  isAdmitted: boolean;
  /** The most bytes that its body may have. */
  readonly bodyLimit: number;
}

type ReadSession = Omit<GuardedRequest, 'bodyLimit'>;

/**
 * Reads the sessions of requests by a schema. Never synchronously: zod would leave behind the promise of an asynchronous
 * check, whose rejection ends the process.
 */
export function sessionReader(schema: z.ZodObject): (c: Context) => Promise<ReadSession> {
  const names = Object.keys(schema.shape);
  return (c) => {
    const sent = c.req.raw.headers;
    const headers: Record<string, string> = {};
    for (const name of names) {
      const value = sent.get(name);
      if (value !== null) headers[name] = value;
    }
    const toRequest = (result: ReturnType<typeof schema.safeParse>): ReadSession =>
      result.success
        ? { session: result.data, isAdmitted: false }
        : { session: undefined, problem: describeProblem(names, headers, result.error.issues), isAdmitted: false };
    return schema.safeParseAsync(headers).then(toRequest, refuse);
  };
}

/** For a transform that cannot read a foreign session. One that throws at each session fails the login, too. */
function refuse(cause: unknown): ReadSession {
  if (isConnectorError(cause)) throw cause;
  return { session: undefined, problem: 'The session is not valid.', cause, isAdmitted: false };
}

function describeProblem(
  names: string[],
  headers: Record<string, string>,
  issues: readonly z.core.$ZodIssue[],
): string {
  const faulty = new Set(issues.map((issue) => issue.path[0]));
  const missing = names.filter((name) => headers[name] === undefined && faulty.has(name));
  if (missing.length > 0) return `The session is missing: ${missing.join(', ')}.`;
  return `The session is not valid: ${describeIssues(issues.map((issue) => hideExpected(issue, headers)))}.`;
}
