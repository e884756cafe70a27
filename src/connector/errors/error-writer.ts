import {
  type ConnectorError,
  cleanCode,
  cleanMessage,
  type ErrorPayload,
  errorTable,
  formatWait,
  headerProblem,
  limitBytes,
  type RateLimitError,
  readCode,
} from '../../contract/index.js';
import { checkOptions, createRedact, optionsOf, printable, showsSecret } from '../../internal/index.js';
import {
  bodyHeaders,
  type ErrorFormatOptions,
  errorFormatShape,
  type RateLimitHeader,
  tellsLength,
  timeHeaders,
} from './options.js';
import { fallbackWaitMs, readThrown } from './to-connector-error.js';

/** An error as a response: every adapter writes exactly this. */
export interface WireError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Headers that an unfinished response may have set and that would be wrong on this one. */
  readonly staleHeaders: readonly string[];
  /** The wait header, if this is not a rate limit: nobody may add it later (rule W2). */
  readonly barredHeader: string | undefined;
}

/** @param secrets values that must not appear in the response (rule E5). */
export type WriteError = (thrown: unknown, secrets?: readonly string[]) => WireError;

export const errorContentType = 'application/json; charset=utf-8';

const schema = optionsOf(errorFormatShape);

/** Headers of the response that the error replaces: what they say of its body, or of how to cache it, is wrong now. */
export const replacedHeaders = [
  ...bodyHeaders,
  ...['content-digest', 'content-disposition', 'content-language', 'content-location', 'content-md5'],
  ...['digest', 'etag', 'last-modified', 'location', 'repr-digest', 'trailer'],
  ...['cache-control', 'cdn-cache-control', 'expires', 'pragma', 'surrogate-control'],
];

/**
 * Decides, for all adapters, what any thrown value looks like on the wire (rules E1-E5, W2). The returned function never
 * throws.
 *
 * @throws TypeError naming the invalid option.
 */
export function createErrorWriter(options: ErrorFormatOptions = {}): WriteError {
  const { rateLimit, exposeDetail, maxDetailBytes } = checkOptions(schema, options);
  const waitHeader = rateLimit.header.toLowerCase();
  const staleWithoutLimit = [...replacedHeaders, waitHeader];

  const write = (error: ConnectorError, secrets: readonly string[]): WireError => {
    const redact = createRedact(secrets);
    const limited = error.kind === 'rate-limit';
    // A cache must give neither one session's error to another nor a rate limit after its end.
    const headers: Record<string, string> = { 'content-type': errorContentType, 'cache-control': 'no-store' };
    for (const [name, value] of Object.entries(error.headers ?? {})) {
      const key = name.toLowerCase();
      // Those would break the response or turn it into a rate limit (rule W2).
      if (bodyHeaders.has(key) && !tellsLength(key, error.status)) continue;
      if (timeHeaders.includes(key) || key === waitHeader) continue;
      if (headerProblem(name, value) !== undefined) continue;
      headers[key] = redact(value);
    }
    if (limited) headers[waitHeader] = waitValue(error as RateLimitError, rateLimit);
    const { code: given, message, detail } = error.toPayload({ maxDetailBytes: Number.POSITIVE_INFINITY }).errors;
    const { code: defaultCode } = errorTable[error.kind] ?? errorTable.other;
    const code = readCode(given) ?? defaultCode; // a driver's number may have been copied to the error
    const errors: ErrorPayload['errors'] = {
      code: showsSecret(code, secrets) ? defaultCode : cleanCode(code),
      message: cleanMessage(redact(message)),
    };
    // Redacts before truncating: a truncated secret could no longer be found.
    if (detail !== undefined) errors.detail = limitBytes(printable(redact(detail)), maxDetailBytes);
    return {
      status: statusOf(error),
      headers,
      body: JSON.stringify({ errors }),
      staleHeaders: limited ? replacedHeaders : staleWithoutLimit,
      barredHeader: limited ? undefined : waitHeader,
    };
  };
  return (thrown, secrets = []) => {
    try {
      return write(readThrown(thrown, rateLimit, exposeDetail), secrets);
    } catch {
      // A contract error that is none any more: its fields were changed, or throw when they are read.
      return write(readThrown(undefined, rateLimit), secrets);
    }
  };
}

/** A rate limit is always a 403, whatever status it was read from (rules E2, W3). */
function statusOf(error: ConnectorError): number {
  const status = errorTable[error.kind]?.status ?? error.status;
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : 500;
}

function waitValue(error: RateLimitError, { format }: RateLimitHeader): string {
  const { retryAfterMs, resumeAt } = error;
  if (!Number.isFinite(retryAfterMs) || retryAfterMs < 0) return formatWait(fallbackWaitMs, { format });
  // Counted from when the error was created, so that an absolute time is written as the author gave it.
  const made = resumeAt instanceof Date ? resumeAt.getTime() - retryAfterMs : Number.NaN;
  return formatWait(retryAfterMs, { format, now: Number.isNaN(made) ? undefined : made });
}
