import { isConnectorError, type SessionParameter, sessionProblems, toSessionParameters } from '../../contract/index.js';
import { isSecret } from '../../internal/index.js';
import { AbandonedLogin, InitializeError, RequestError, withoutQuotes } from '../errors.js';
import { markOpenHeaders } from '../http/read-error.js';

/**
 * Reads what initialize handed out (rules S1, S2).
 *
 * @throws InitializeError for what is no session, naming a bad key and never its value.
 */
export function toHeaders(value: unknown, status: number | undefined, what: string): Record<string, string> {
  const parameters: SessionParameter[] | undefined = toSessionParameters(value);
  if (parameters === undefined) {
    throw new InitializeError(
      `${what} answered with something that is no session: an array of { key, value } or an object of strings is expected`,
      { status },
    );
  }
  const [problem] = sessionProblems(parameters);
  if (problem !== undefined) throw new InitializeError(`${what} answered with a bad session: ${problem}`, { status });
  const session = Object.fromEntries(parameters.map(({ key, value: header }) => [key.toLowerCase(), header]));
  const open = new Set<string>();
  for (const [index, { key, value: header }] of parameters.entries()) {
    // As it was sent: to be unmarked is another thing than to be marked as no secret.
    const sensitive: unknown = Array.isArray(value) ? value[index].sensitive : undefined;
    if (!isSecret({ key, value: header, sensitive })) open.add(key.toLowerCase());
  }
  markOpenHeaders(session, open);
  return session;
}

const refusals = new Set([400, 401, 403]);

/** What a login that failed is reported as: the error itself when it is a long limit or an abandoned login (rule S5). */
export function toInitializeError(error: unknown, signal: AbortSignal): unknown {
  if (
    // The signal alone says nothing: a login that was given up and joined again may be refused all the same.
    (signal.aborted && error === signal.reason) ||
    error instanceof AbandonedLogin ||
    error instanceof InitializeError ||
    isConnectorError(error, 'rate-limit')
  )
    return error;
  if (isConnectorError(error)) {
    const refused = refusals.has(error.status);
    const message = `The login was ${refused ? 'refused' : 'not possible'}: ${error.message}`;
    return new InitializeError(message, {
      status: error.status,
      code: error.origin === 'connector' ? error.code : undefined,
      refused,
      cause: error,
    });
  }
  if (error instanceof RequestError) {
    return new InitializeError(`The login failed: ${error.message}`, {
      status: error.status,
      cause: error,
    });
  }
  return new InitializeError('The login failed: the `initialize` function threw an error', {
    cause: withoutQuotes(error),
  });
}
