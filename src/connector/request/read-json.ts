import type { Context, HonoRequest } from 'hono';
import type * as z from 'zod';
import { BadRequestError } from '../../contract/index.js';
import { checkSchema, type DataSchema, describeIssues, type Issue, validate } from '../../internal/index.js';
import { invalidJsonMessage } from '../errors/to-connector-error.js';

/**
 * Reads a request's JSON body and validates it with a schema: zod's, or any Standard Schema (valibot, ArkType, …). A body
 * that does not match the schema is a 400 that names the fields. A `ZodError` from anywhere else in a connector is the
 * connector's own mistake and stays a 500.
 *
 * @throws BadRequestError when the body is not JSON, or does not match `schema`.
 * @example
 * connector.post('/issues', async (c) => {
 *   const issue = await readJson(c, z.object({ title: z.string().min(1) }))
 *   return c.json(await create(issue), 201)
 * })
 */
export async function readJson<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>>;
/** The same with a schema of another library, such as valibot or ArkType. */
export async function readJson<Output>(c: Context, schema: DataSchema<Output>): Promise<Output>;
export async function readJson<Output>(c: Context, schema: DataSchema<Output>): Promise<Output> {
  checkSchema(schema);
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
export async function readQuery<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>>;
/** The same with a schema of another library, such as valibot or ArkType. */
export async function readQuery<Output>(c: Context, schema: DataSchema<Output>): Promise<Output>;
export async function readQuery<Output>(c: Context, schema: DataSchema<Output>): Promise<Output> {
  checkSchema(schema);
  const query: Record<string, string | string[] | undefined> = Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
  const result = await validate(schema, query);
  if (result.issues === undefined) return result.value;
  for (const issue of result.issues) {
    const { path = [] } = issue;
    const [first] = path;
    const name = String(typeof first === 'object' ? first.key : first);
    const given = query[name];
    if (path.length === 1 && wantsArray(issue) && typeof given === 'string') query[name] = [given];
  }
  return checkInput(query, schema, 'The query is not valid');
}

/** As zod (`array`), valibot (`Array`) and ArkType (`an array`) say it. */
function wantsArray(issue: object): boolean {
  const { expected } = issue as { expected?: unknown };
  return typeof expected === 'string' && /^(an )?array$/i.test(expected);
}

/** @throws BadRequestError instead of a SyntaxError, which could be one of the author's own code. */
export async function parseBody(request: HonoRequest): Promise<unknown> {
  const text = await readText(request);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidJson(text, request, cause);
  }
}

function invalidJson(text: string, request: HonoRequest, cause: unknown): BadRequestError {
  if (text.trim() === '') return new BadRequestError('The request body is empty; it must be JSON.', { cause });
  const [, form] = formType.exec(request.header('content-type') ?? '') ?? [];
  const message = form && `The request body is not valid JSON; its content type is ${form}.`;
  return unreadable(message ?? invalidJsonMessage, request, cause);
}

const formType = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

function unreadable(message: string, request: HonoRequest, cause: unknown): BadRequestError {
  const isEncoded = !['', 'identity'].includes((request.header('content-encoding') ?? '').toLowerCase());
  const actual = isEncoded ? 'The content-encoding of the request body is not supported.' : message;
  return new BadRequestError(actual, { cause });
}

/** @throws BadRequestError for bytes that are not UTF-8: replaced, they would be stored as another text (rule D1). */
async function readText(request: HonoRequest): Promise<string> {
  const bytes = await request.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable('The request body is not valid UTF-8.', request, cause);
  }
}

/**
 * Hono's `c.req.json()` throws a SyntaxError for a broken body. It is the caller's mistake, while a SyntaxError of the
 * author's own code is not: the body, parsed again, fails in the same way. A broken form is a TypeError, which Hono keeps.
 *
 * @returns the BadRequestError for the body, or what was thrown.
 */
export async function toBodyError(thrown: unknown, { req }: Context): Promise<unknown> {
  if (thrown instanceof TypeError && /form.?data/i.test(thrown.message)) {
    const failure = await Promise.resolve(req.bodyCache.formData).then(
      () => undefined,
      (error: unknown) => error,
    );
    return failure === thrown
      ? new BadRequestError('The request body is not a valid form.', { cause: thrown })
      : thrown;
  }
  if (!(thrown instanceof SyntaxError) || Object.keys(req.bodyCache).length === 0) return thrown;
  const text = await req.text().catch(() => '{}');
  try {
    JSON.parse(text);
  } catch (error) {
    if ((error as Error).message === thrown.message) return invalidJson(text, req, thrown);
  }
  return thrown;
}

/**
 * @param hides whether the message of an issue may quote a secret that is expected there.
 * @throws BadRequestError naming the invalid fields.
 */
export async function checkInput<Output>(
  value: unknown,
  schema: DataSchema<Output>,
  what: string,
  hides?: (issue: z.core.$ZodIssue) => boolean,
): Promise<Output> {
  const result = await validate(schema, value);
  if (result.issues === undefined) return result.value;
  const issues = (result.issues as z.core.$ZodIssue[]).map((issue) =>
    hides?.(issue) ? hideExpected(issue, value as Record<PropertyKey, unknown>) : issue,
  );
  throw new BadRequestError(`${what}: ${describeIssues(issues)}`, { cause: result.cause });
}

/** The message of a literal or an enum quotes the values that would be right, which may be secrets (rule E5). */
export function hideExpected(
  { code, path, message }: z.core.$ZodIssue,
  given: Readonly<Record<PropertyKey, unknown>>,
): Issue {
  if (code !== 'invalid_value') return { path, message };
  return { path, message: path[0] !== undefined && given[path[0]] === undefined ? 'is missing' : 'is not valid' };
}
