import type { Context, HonoRequest } from 'hono';
import type * as z from 'zod';
import { BadRequestError } from '../../contract/index.js';
import { describeIssues, type Issue } from '../../internal/index.js';
import { invalidJsonMessage } from '../errors/to-connector-error.js';

/**
 * Reads a request's JSON body and validates it. A body that does not match the schema is a 400 that names the fields. A
 * `ZodError` from anywhere else in a connector is the connector's own mistake and stays a 500.
 *
 * @throws BadRequestError when the body is not JSON, or does not match `schema`.
 * @example
 * connector.post('/issues', async (c) => {
 *   const issue = await readJson(c, z.object({ title: z.string().min(1) }))
 *   return c.json(await create(issue), 201)
 * })
 */
export async function readJson<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> {
  return checkInput(await parseBody(c.req), schema, 'The request body is not valid');
}

/**
 * Reads a request's query and validates it, as {@link readJson} does for bodies. A name that appears several times is an
 * array, and so is one that appears once if the schema wants an array. All values are strings: use `z.coerce.number()` and
 * the like.
 *
 * @throws BadRequestError when the query does not match `schema`.
 * @example
 * const { page } = await readQuery(c, z.object({ page: z.coerce.number().int().min(1).default(1) }))
 */
export async function readQuery<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> {
  const query: Record<string, string | string[] | undefined> = Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
  const result = await schema.safeParseAsync(query);
  if (result.success) return result.data;
  for (const { code, path, ...issue } of result.error.issues) {
    const [name] = path as string[];
    const wantsArray = code === 'invalid_type' && (issue as { expected?: unknown }).expected === 'array';
    const given = name === undefined ? undefined : query[name];
    if (wantsArray && path.length === 1 && typeof given === 'string') query[name as string] = [given];
  }
  return checkInput(query, schema, 'The query is not valid');
}

/** @throws BadRequestError instead of a SyntaxError, which could be one of the author's own code. */
export async function parseBody(request: HonoRequest): Promise<unknown> {
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BadRequestError(text.trim() === '' ? 'The request body is empty; it must be JSON.' : invalidJsonMessage, {
      cause,
    });
  }
}

/** @throws BadRequestError for bytes that are not UTF-8: replaced, they would be stored as another text (rule D1). */
async function readText(request: HonoRequest): Promise<string> {
  const bytes = await request.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BadRequestError('The request body is not valid UTF-8.', { cause });
  }
}

/**
 * Hono's `c.req.json()` throws a SyntaxError for a broken body. It is the caller's mistake, while a SyntaxError of the
 * author's own code is not: the body, parsed again, fails in the same way.
 *
 * @returns the BadRequestError for the body, or what was thrown.
 */
export async function toBodyError(thrown: unknown, { req }: Context): Promise<unknown> {
  if (!(thrown instanceof SyntaxError) || Object.keys(req.bodyCache).length === 0) return thrown;
  try {
    await parseBody(req);
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (cause instanceof SyntaxError && cause.message === thrown.message) return error;
  }
  return thrown;
}

/**
 * @param hides whether the message of an issue may quote a secret that is expected there.
 * @throws BadRequestError naming the invalid fields.
 */
export async function checkInput<S extends z.ZodType>(
  value: unknown,
  schema: S,
  what: string,
  hides: (issue: z.core.$ZodIssue) => boolean = () => false,
): Promise<z.output<S>> {
  const result = await schema.safeParseAsync(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) =>
    hides(issue) ? hideExpected(issue, value as Record<PropertyKey, unknown>) : issue,
  );
  throw new BadRequestError(`${what}: ${describeIssues(issues)}`, { cause: result.error });
}

/** The message of a literal or an enum quotes the values that would be right, which may be secrets (rule E5). */
export function hideExpected(
  { code, path, message }: z.core.$ZodIssue,
  given: Readonly<Record<PropertyKey, unknown>>,
): Issue {
  if (code !== 'invalid_value') return { path, message };
  return { path, message: path[0] !== undefined && given[path[0]] === undefined ? 'is missing' : 'is not valid' };
}
