import { isConnectorError, type SessionParameter, sessionProblems, toSessionParameters } from '../contract/index.js';
import { InitializeError, RequestError, withoutQuotes } from './errors.js';
import { AbandonedLogin } from './session.js';

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
  return Object.fromEntries(parameters.map(({ key, value: header }) => [key.toLowerCase(), header]));
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
