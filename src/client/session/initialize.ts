import { isConnectorError, type SessionParameter, sessionProblems, toSessionParameters } from '../../contract/index.js';
import { isSecret, printable } from '../../internal/index.js';
import { AbandonedLogin, InitializeError, RequestError, withoutQuotes } from '../errors.js';
import { markPublicHeaders } from '../http/read-error.js';
import type { ConnectorResponse } from '../http/read-success.js';

/** Sends a request of a custom login: no session, but rate limits and retries like any login (rules S5, G1). */
export type InitializeRequest = <Data = unknown>(options: LoginRequest) => Promise<ConnectorResponse<Data>>;

export interface LoginRequest {
  method: string;
  path: string;
  headers?: Record<string, string> | undefined;
  json?: unknown | undefined;
  body?: string | Uint8Array | URLSearchParams | undefined;
  /** Whether sending it twice does no harm; `false` for a one-time code (rule G7). @default true, whatever the method */
  idempotent?: boolean | undefined;
}

/** Replaces the whole login (rule S1). Returns the headers that every later request carries, as a connector would. */
export type InitializeFunction = (context: {
  request: InitializeRequest;
  signal: AbortSignal;
}) => Promise<Record<string, string> | readonly { key: string; value: string; sensitive?: boolean }[]>;

/**
 * Reads the session that a login returned (rules S1, S2).
 *
 * @throws InitializeError if it is not a session, naming a bad key and never its value.
 */
export function toSessionHeaders(value: unknown, status: number | undefined, source: string): Record<string, string> {
  const parameters: SessionParameter[] | undefined = toSessionParameters(value);
  if (parameters === undefined) {
    const expected = 'expected an array of { key, value } or an object of strings';
    throw new InitializeError(`${source} did not return a session: ${expected}${whatIsNoText(value)}`, { status });
  }
  const [problem] = sessionProblems(parameters);
  if (problem !== undefined) throw new InitializeError(`${source} returned a bad session: ${problem}`, { status });
  const session = Object.fromEntries(parameters.map(({ key, value: header }) => [key.toLowerCase(), header]));
  const publicNames = new Set<string>();
  for (const [index, { key, value: header }] of parameters.entries()) {
    // Read from the raw value: a missing mark is not the same as `sensitive: false`.
    const sensitive: unknown = Array.isArray(value) ? value[index].sensitive : undefined;
    if (!isSecret({ key, value: header, sensitive })) publicNames.add(key.toLowerCase());
  }
  markPublicHeaders(session, publicNames);
  return session;
}

/** Names the key whose value is no string. */
function whatIsNoText(value: unknown): string {
  const entries: [unknown, unknown][] = Array.isArray(value)
    ? value.map((entry) => [entry?.key, entry?.value])
    : Object.entries(value ?? {});
  const wrong = entries.find(([key, item]) => typeof key === 'string' && typeof item !== 'string');
  if (wrong === undefined) return '';
  return `, but the value of ${printable(JSON.stringify(String(wrong[0]).slice(0, 80)))} is not a string`;
}

const refusals = new Set([400, 401, 403]);

/**
 * The error that a failed login rejects with: long limits and abandoned logins stay as they are (rule S5).
 *
 * @param code the caller's code that runs in the login, and may throw anything.
 */
export function toInitializeError(error: unknown, signal: AbortSignal, code: string): unknown {
  if (
    // An aborted signal alone is not enough: a login that was abandoned and joined again may still be refused.
    (signal.aborted && error === signal.reason) ||
    error instanceof AbandonedLogin ||
    error instanceof InitializeError ||
    isConnectorError(error, 'rate-limit')
  )
    return error;
  if (isConnectorError(error)) {
    const refused = refusals.has(error.status);
    const message = `The login ${refused ? 'was refused' : 'failed'}: ${error.message}`;
    return new InitializeError(message, {
      status: error.status,
      code: error.origin === 'connector' ? error.code : undefined,
      refused,
      cause: error,
    });
  }
  if (error instanceof RequestError) {
    return new InitializeError(`The login failed: ${error.message}`, { status: error.status, cause: error });
  }
  const cause = withoutQuotes(error);
  const where = cause === undefined ? '' : ', which is the `cause`';
  return new InitializeError(`The login failed: ${code} threw an error${where}`, { cause });
}
