/** Why a request has no response, or a response no whole body. */
export interface Failure {
  readonly kind: 'timeout' | 'closed' | 'other';
  /** A clause for a person: "the connection was closed …". */
  readonly text: string;
}

const closedCodes = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET', 'ConnectionClosed']);

/** What `fetch` fails with, before there is a response. */
export function requestFailure(error: unknown): Failure {
  const { code, message, parsing } = rootOf(error);
  if (isClosed(code, message)) return { kind: 'closed', text: 'the connection was closed without a response' };
  if (code === 'ECONNREFUSED') return { kind: 'other', text: 'the connection was refused' };
  if (parsing) return { kind: 'other', text: `the response is not valid HTTP (${code || message})` };
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { kind: 'other', text: 'the headers of the response are too large' };
  return { kind: 'other', text: `the request failed (${[code, message].filter(Boolean).join(': ') || 'no reason'})` };
}

/** What the body of a response fails with. */
export function bodyFailure(error: unknown, encoding: string | null): Failure {
  const { code, message, parsing } = rootOf(error);
  if (isClosed(code, message)) return { kind: 'closed', text: 'the connection was closed before the body was whole' };
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return { kind: 'other', text: 'the body is not as long as content-length says' };
  if (encoding !== null && /^(?:Z_|ERR_|ZSTD_)/.test(code))
    return { kind: 'other', text: `the body cannot be decoded: it is not ${encoding}, as content-encoding says` };
  if (parsing) return { kind: 'other', text: `the body is not valid HTTP (${code || message})` };
  return { kind: 'other', text: `the body cannot be read (${[code, message].filter(Boolean).join(': ')})` };
}

function isClosed(code: string, message: string): boolean {
  return closedCodes.has(code) || (code === '' && /closed|reset|hang up|terminated/i.test(message));
}

/** `fetch` hides the reason in the cause of its error. */
function rootOf(error: unknown): { code: string; message: string; parsing: boolean } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code } = (cause ?? {}) as { code?: unknown };
  return {
    code: typeof code === 'string' ? code : '',
    message: cause instanceof Error ? cause.message : String(cause),
    // Some have no code, once the package undici is loaded: Node's fetch then sends through it.
    parsing: cause instanceof Error && cause.name === 'HTTPParserError',
  };
}
