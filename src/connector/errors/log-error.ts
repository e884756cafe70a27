import { cleanCode, isConnectorError, limitBytes } from '../../contract/index.js';
import { describeIssues, describeValue, type Issue, printable, type Redact } from '../../internal/index.js';
import { toConnectorError, toldOf } from './to-connector-error.js';

/**
 * Gets every error as it was thrown.
 *
 * @param redact takes the secrets of the request out of a text: its session, its credentials, the parameters of a login (rule E5).
 */
export type ErrorListener<Request> = (error: unknown, request: Request, redact: Redact) => unknown;

/** A request of any of the servers: Hono's context has it in `req`. */
export type LoggedRequest = { readonly method?: string | undefined; readonly url?: string | undefined } | LoggedContext;

/** Hono's context. */
interface LoggedContext {
  readonly req: { readonly method: string; readonly path: string };
}

const maxMessageBytes = 4096;
const maxCauses = 5;

/**
 * An `onError` that writes to the standard error stream: what failed in one line, with the `code` and `detail` of a driver, then
 * the stack and the causes. An error that the service is told about anyway (a status below 500) gets only the line. With
 * `NODE_ENV=production` each error is a line of JSON: `time`, `level` (`error`, or `info` below 500), `method`, `path`, `status`,
 * `code`, `message`, `stack`. Secrets of the request are redacted (rule E5), and the query is left out.
 *
 * @example
 * createConnector({ …, onError: logError })
 */
export function logError(error: unknown, request: LoggedRequest | undefined, redact: Redact): void {
  const clean = (text: string) => printable(redact(text));
  const { status, code: wireCode } = toConnectorError(toldOf(error));
  const { method, path } = locate(request, clean);
  const code = cleanCode(redact(wireCode));
  const message = safely(() => headline(error, redact), 'an error that cannot be read');
  const stack = status < 500 ? '' : safely(() => printable(trace(error, redact)), '');
  // biome-ignore lint/suspicious/noConsole: writing is what it is for
  const write = (line: string) => console.error(line);
  if (globalThis.process?.env.NODE_ENV === 'production') {
    const [time, level] = [new Date().toISOString(), status < 500 ? 'info' : 'error'];
    write(JSON.stringify({ time, level, method, path, status, code, message, stack: stack || undefined }));
  } else {
    const what = isConnectorError(error) ? `${status} ${code}: ${message}` : message;
    write(`${method} ${path}: ${what}${stack && `\n${stack}`}`);
  }
}

function locate(request: LoggedRequest = {}, clean: (text: string) => string): { method: string; path: string } {
  if (isContext(request)) return { method: request.req.method, path: clean(request.req.path) };
  const { method = '', url = '' } = request;
  return { method, path: clean(url.replace(/^https?:\/\/[^/]*/, '').replace(/\?.*/s, '')) };
}

/** Fastify's requests have a `req`, too. */
function isContext(request: LoggedRequest): request is LoggedContext {
  return 'req' in request && !('url' in request);
}

/** Anything may have been thrown, and a log that fails says nothing of it. */
function safely(read: () => string, otherwise: string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** In one line: a contract error's message, else the name and the message. Redacts first: a secret that is cut is not found. */
function headline(error: unknown, redact: Redact): string {
  return printable(limitBytes(redact(describe(error)).replace(/\s+/g, ' '), maxMessageBytes));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return describeValue(error);
  if (isConnectorError(error)) return error.message;
  // Zod's own message is JSON in many lines.
  const { issues } = error as { issues?: unknown };
  if (isListOfIssues(issues)) return `${error.name}: ${describeIssues(issues)}`;
  return `${String(error.name)}: ${String(error.message)}${describeDriver(error)}`;
}

/** Other libraries have other `issues`. */
function isListOfIssues(value: unknown): value is Issue[] {
  const isIssue = (one: Partial<Issue> | null) => typeof one?.message === 'string' && Array.isArray(one.path ?? []);
  return Array.isArray(value) && value.every(isIssue);
}

/** The code and the detail that drivers of databases and sockets add: the message alone may not say which row it was. */
function describeDriver(error: Error): string {
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  const isNews = (value: unknown): value is string =>
    typeof value === 'string' && !String(error.message).includes(value);
  return `${isNews(code) ? ` (${code})` : ''}${isNews(detail) ? `: ${detail}` : ''}`;
}

/** The lines of the stack, then the causes with theirs. */
function trace(error: unknown, redact: Redact): string {
  const lines = framesOf(error);
  const causes = causesOf(error);
  for (let shown = 0; shown < maxCauses && causes.length > 0; shown++) {
    const cause = causes.shift();
    lines.push(`  caused by ${headline(cause, redact)}`, ...framesOf(cause));
    causes.unshift(...causesOf(cause));
  }
  return redact(lines.join('\n'));
}

/** What an error says it comes from; an `AggregateError` comes from each of its errors. */
function causesOf(error: unknown): unknown[] {
  const { cause } = Object(error) as { cause?: unknown };
  const each = error instanceof AggregateError ? error.errors.slice(0, maxCauses) : [];
  return cause === undefined ? each : [cause, ...each];
}

function framesOf(error: unknown): string[] {
  const { stack } = Object(error) as { stack?: unknown };
  return typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
}
