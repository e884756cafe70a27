import { ConnectorError, isConnectorError } from '../../contract/index.js';
import { asRequest, type EndSystemRequest, nameRequest } from './failure.js';
import { isTimeout, timeoutError } from './time-limit.js';

const timeoutCode = /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/;

/**
 * The error of a request that got no response: a 504 if that took too long, otherwise a 502. A body that broke off with a
 * contract error, such as that of `limitBody`, says itself what failed.
 */
export function unreachable(thrown: unknown, request: EndSystemRequest): ConnectorError {
  if (isConnectorError(thrown)) return thrown;
  const { cause } = Object(thrown) as { cause?: unknown };
  if (isConnectorError(cause)) return cause;
  const code = codeOf(thrown);
  if (isTimeout(thrown) || timeoutCode.test(code ?? '')) return timeoutError(request, thrown);
  const reason = code === undefined ? '' : ` (${code})`;
  return new ConnectorError(`${nameRequest(request)}: the end system ${whatHappened(thrown, code)}${reason}.`, {
    status: 502,
    code: 'END_SYSTEM_UNREACHABLE',
    cause: thrown,
  });
}

function whatHappened(thrown: unknown, code: string | undefined): string {
  // It may have responded already: fetch does not hand on the response to a request that it could not send whole.
  if (code === 'EPIPE') return 'ended the connection before it had read the whole request';
  if (speaksOfRedirects(thrown)) return 'redirects, and the call follows no further';
  return 'cannot be reached';
}

/** Whether it is a redirect that the call forbids (`redirect: 'error'`). */
export function isRefusedRedirect(thrown: unknown, input: string | URL | Request, init: RequestInit = {}): boolean {
  return (init.redirect ?? asRequest(input)?.redirect) === 'error' && speaksOfRedirects(thrown);
}

/** Only the message says it, and each runtime has its own. */
function speaksOfRedirects(thrown: unknown): boolean {
  const { message, cause } = Object(thrown) as { message?: unknown; cause?: { message?: unknown } | null };
  return /redirect/i.test(`${message} ${cause?.message}`);
}

const mistakeCode = /^(?:UND_ERR_INVALID_ARG|UND_ERR_REQ_CONTENT_LENGTH_MISMATCH)$/;

/**
 * Whether the request is the connector's own mistake, and nobody could send it. For most of them fetch throws the same kind of
 * error as for a broken connection, so this makes the request once more, with an empty body in place of its own. What an own
 * fetch can send only that fetch knows.
 */
export function isMistake(
  thrown: unknown,
  input: string | URL | Request,
  init: RequestInit = {},
  isOwn = false,
): boolean {
  const code = codeOf(thrown);
  const given = asRequest(input) ? undefined : String(input);
  // Otherwise it is the target of a redirect.
  if (code === 'ERR_INVALID_URL') return given !== undefined && !URL.canParse(given);
  if (code !== undefined) return mistakeCode.test(code);
  if (!(thrown instanceof TypeError) || given === undefined || isOwn) return false;
  // Which runtimes need it for a stream, only their message says.
  if (/\bduplex\b/.test(thrown.message)) return true;
  const { method, headers, body } = init;
  try {
    const { url } = new Request(given, { method, headers, body: body && '' } as RequestInit);
    return !/^(?:https?|data|blob):/i.test(url);
  } catch {
    return true;
  }
}

/** The system's error code, which fetch puts in the cause. */
function codeOf(thrown: unknown): string | undefined {
  const { code, cause } = (thrown ?? {}) as { code?: unknown; cause?: { code?: unknown } | null };
  const found = cause?.code ?? code;
  return typeof found === 'string' ? found : undefined;
}
