import { type ConnectorError, errorPayloadSchema, parseErrorPayload, readCode } from '../../contract/index.js';
import { describeIssues, parseJson } from '../../internal/index.js';
import { readFailure } from '../end-system/failure.js';
import type { WireError } from '../errors/error-writer.js';
import { type RateLimitHeader, tellsLength, timeHeaders } from '../errors/options.js';
import { errorOfResponse } from '../errors/to-connector-error.js';

/**
 * Reads a response of 400 or above that a handler returned, as validators and proxies do (rule E4): the error of its status,
 * with what a contract body says, or with any other text as the detail.
 *
 * @returns also whether the author wrote it as the contract says, so that there is nothing to report.
 */
export async function readReturnedError(
  response: Response,
  rateLimit: RateLimitHeader,
): Promise<{ error: ConnectorError; isContract: boolean }> {
  const { status, headers } = response;
  const { text, json } = await readFailure(response, { method: '', url: '' });
  // A fetched response is decoded, and still says how it was encoded.
  const isEncoded = json === undefined && !['', 'identity'].includes(headers.get('content-encoding') ?? '');
  const type = headers.get('content-type') ?? '';
  const isJson = !isEncoded && /^application\/json\b/i.test(type);
  const isContract = isJson && status !== 429 && errorPayloadSchema.safeParse(json).success;
  const isText = !isEncoded && !/html|^(?:image|audio|video)\/|octet-stream/i.test(type);
  const { message, code, detail } = describe(isText ? text.trim() : '', isText ? json : undefined);
  const error = errorOfResponse(status, Object.fromEntries(headers), rateLimit, message, { code, detail });
  return { error, isContract };
}

/** What the author says of the resource, as in a 412. */
const ofResource = ['etag', 'last-modified', 'location'];

/** The headers of an error that replaces a response: those of the old one that do not describe its body, such as `allow`. */
export function withError(replaced: Headers, error: WireError, redact: (text: string) => string): Headers {
  const headers = new Headers();
  for (const [name, value] of replaced) headers.append(name, name === 'set-cookie' ? value : redact(value));
  for (const name of [...error.staleHeaders, ...timeHeaders, 'retry-after']) {
    if (!ofResource.includes(name) && !tellsLength(name, error.status)) headers.delete(name);
  }
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  return headers;
}

const longestMessage = 500;

interface Described {
  message: string | undefined;
  code?: string | undefined;
  detail?: string | undefined;
}

function describe(text: string, json: unknown): Described {
  const payload = parseErrorPayload(json)?.errors;
  if (payload) return payload;
  if (typeof json !== 'object' || json === null) {
    const isMessage = text !== '' && text.length <= longestMessage;
    return { message: isMessage ? text : undefined, detail: isMessage ? undefined : text };
  }
  const body = json as Record<string, unknown>;
  const error = typeof body.error === 'object' && body.error !== null ? (body.error as Record<string, unknown>) : body;
  const issues = readIssues(error);
  if (issues !== undefined) return { message: `The request is not valid: ${issues}` };
  const message = [error.message, error.detail, error.title, error.error].find(
    (value) => typeof value === 'string' && value.trim() !== '' && value.length <= longestMessage,
  );
  return { message: message as string | undefined, code: readCode(error.code), detail: text };
}

/** The fields that a validator names: zod's `issues`, or its `message`, which is their JSON; a Standard Schema list. */
function readIssues(error: Record<string, unknown>): string | undefined {
  const parsed = error.name === 'ZodError' && typeof error.message === 'string' ? parseJson(error.message) : undefined;
  const list: unknown = error.issues ?? parsed ?? error;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const isIssue = (issue: unknown) => typeof (issue as { message?: unknown } | null)?.message === 'string';
  if (!list.every(isIssue)) return undefined;
  return describeIssues(list.map(({ path, message }) => ({ path: Array.isArray(path) ? path : [], message })));
}
