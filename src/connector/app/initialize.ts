import type { Context, Handler } from 'hono';
import * as z from 'zod';
import {
  BadRequestError,
  losesWhitespace,
  type SessionParameter,
  sessionParameterSchema,
  sessionProblems,
} from '../../contract/index.js';
import {
  describeIssues,
  functionOf,
  isObject,
  isSecret,
  mostSecrets,
  optionsOf,
  routePath,
  type ShapeOf,
} from '../../internal/index.js';
import { objectSchema } from '../errors/options.js';
import { checkInput, parseBody } from '../request/read-json.js';

/** The session: header names with their values. Entries of a plain object count as sensitive. */
export type SessionHeaders = Record<string, string> | readonly SessionParameter[];

export interface InitializeOptions<Parameters extends z.core.$ZodType = z.ZodType> {
  /** May have parameters, such as `'/:tenant/initialize'`: `c.req.param('tenant')`. @default '/initialize' */
  path?: string | undefined;
  /**
   * What the service must send: `z.object({ … })`, a union of objects (`z.discriminatedUnion('auth', […])`), or a transform
   * of one. All values arrive as strings, and a field that the user leaves empty as `''`. Use `z.coerce.number()` for numbers
   * (`''` becomes 0), `z.stringbool()` for switches (`z.coerce.boolean()` makes `'false'` true), and
   * `z.literal('').transform(() => undefined).or(…)` for optional fields.
   */
  parameters: Parameters;
  /**
   * Logs in at the end system. The service sends what it returns as headers of every later request. Throw an
   * `UnauthorizedError` for wrong credentials, a `BadRequestError` for a bad parameter.
   */
  handler(context: {
    parameters: z.output<Parameters>;
    /** Aborts when the service disconnects. */
    signal: AbortSignal;
    /** The request itself: the parameters of its path, and for `announceQuota(c, …)`. */
    c: Context;
  }): SessionHeaders | Promise<SessionHeaders>;
}

export const initializeSchema = optionsOf({
  path: routePath.default('/initialize'),
  parameters: objectSchema,
  handler: functionOf<InitializeOptions['handler']>(),
} satisfies ShapeOf<InitializeOptions>);

/** Handles `POST /initialize` (rule S1). */
export function initializeHandler(
  options: InitializeOptions,
  session: z.ZodObject,
  /** Called with the parameters, before anything can fail, and with the session. */
  secrets: { keepSecret(c: Context, body: unknown): void; handedOut(session: readonly SessionParameter[]): void },
): Handler {
  return async (c) => {
    const body = await parseBody(c.req).catch(withoutCause);
    secrets.keepSecret(c, body);
    const parameters = await checkInput(
      toRecord(body),
      options.parameters,
      'The parameters of initialize are not valid',
      mayQuoteSecret,
    );
    const headers = await options.handler({ parameters, signal: c.req.raw.signal, c });
    const handedOut = toSession(headers);
    await checkAgainstSchema(handedOut, session);
    secrets.handedOut(handedOut);
    return c.json(handedOut, 200, { 'cache-control': 'no-store' });
  };
}

/** What JSON.parse throws quotes the text, in which no password can be found yet (rule E5). */
function withoutCause(error: unknown): never {
  throw error instanceof BadRequestError ? new BadRequestError(error.message) : error;
}

const parameterList = z.array(sessionParameterSchema);

/** Reads both shapes of rule S1; of parameters with the same key the last one counts. */
function toRecord(body: unknown): Record<string, unknown> {
  if (!Array.isArray(body) && !isObject(body)) {
    throw new BadRequestError('The parameters of initialize must be an array of {key, value, sensitive} or an object.');
  }
  if (Object.keys(body).length > mostSecrets) {
    throw new BadRequestError(`initialize takes at most ${mostSecrets} parameters.`);
  }
  if (!Array.isArray(body)) return body;
  const parsed = parameterList.safeParse(body);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: nameEntry(issue.path, body) }));
    throw new BadRequestError(`The parameters of initialize are not valid: ${describeIssues(issues)}`);
  }
  return Object.fromEntries(parsed.data.map(({ key, value }) => [key, value]));
}

/** One value that would be right, or the choices for a secret. What the request says of itself does not count here. */
function mayQuoteSecret(issue: z.core.$ZodIssue): boolean {
  const isOne = issue.code === 'invalid_value' && issue.values.length === 1;
  return isOne || isSecret({ key: String(issue.path[0]), value: '' });
}

/** Names an entry of the list by its key: the user does not know its index. */
function nameEntry([index, ...rest]: readonly PropertyKey[], body: readonly unknown[]): readonly PropertyKey[] {
  const key = (body[index as number] as { key?: unknown } | null | undefined)?.key;
  const isNamed = typeof key === 'string' && key !== '' && key.length <= 100;
  return isNamed
    ? [`${JSON.stringify(key)} (${[index, ...rest].map(String).join('.')})`]
    : [index as PropertyKey, ...rest];
}

/**
 * Checks the session that the author's handler returned (rule S2).
 *
 * @throws BadRequestError for a value that the user may have entered; TypeError for the author's mistakes, which the service
 * sees as a 500. Both name headers and never contain a value.
 */
function toSession(headers: SessionHeaders): SessionParameter[] {
  if (typeof headers !== 'object' || headers === null) {
    const type = headers === null ? 'null' : typeof headers;
    throw new TypeError(`\`initialize.handler\` must return the session as an object or an array, got ${type}.`);
  }
  const parameters = Array.isArray(headers)
    ? headers.map((entry) => ({ key: entry?.key, value: entry?.value, sensitive: entry?.sensitive ?? true }))
    : Object.entries(headers).map(([key, value]) => ({ key, value, sensitive: true }));
  const isKeyed = parameters.every(({ key }) => typeof key === 'string');
  if (isKeyed) checkSessionValues(parameters);
  const problem = isKeyed ? sessionProblems(parameters)[0] : 'an entry has no `key`';
  if (problem !== undefined) throw new TypeError(`What \`initialize.handler\` returned is not a session: ${problem}.`);
  const bytes = parameters.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  if (bytes > mostBytes) throw refusal(`The session has ${bytes} bytes, and requests can carry ${mostBytes}.`);
  return parameters;
}

/** The share of Node's 16 KiB for request headers that a session may use; proxies often accept less. */
const mostBytes = 12 * 1024;

/**
 * Refuses, at login, session values that requests would not return unchanged (rule S2). They mostly come from what the user
 * entered, such as a password that ends in a space, so the error is for the user.
 *
 * @throws BadRequestError that names the header, never its value.
 */
function checkSessionValues(session: readonly SessionParameter[]): void {
  for (const { key, value } of session) {
    if (typeof value !== 'string') continue;
    const hint = 'The connector has to encode it, for example with encodeURIComponent.';
    if (/[^\0-\xff]/.test(value))
      throw refusal(`The value of "${key}" has characters that a header cannot carry. ${hint}`);
    if (losesWhitespace(value))
      throw refusal(`The value of "${key}" starts or ends with whitespace, which a header loses. ${hint}`);
  }
}

function refusal(message: string): BadRequestError {
  return new BadRequestError(message, { code: 'SESSION_NOT_SENDABLE' });
}

/** A session that the guard would refuse would make the service log in endlessly. */
async function checkAgainstSchema(parameters: SessionParameter[], session: z.ZodObject): Promise<void> {
  const byName = new Map(parameters.map(({ key, value }) => [key.toLowerCase(), value]));
  const record: Record<string, string> = {};
  for (const key of Object.keys(session.shape)) {
    const value = byName.get(key.toLowerCase());
    if (value !== undefined) record[key] = value;
  }
  const result = await session.safeParseAsync(record);
  if (result.success) return;
  throw new TypeError(
    `What \`initialize.handler\` returned does not match \`session\`: ${describeIssues(result.error.issues)}.`,
  );
}
