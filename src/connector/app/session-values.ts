import { BadRequestError, type SessionParameter } from '../../contract/index.js';

/** The share of Node's 16 KiB for request headers that a session may use; proxies often accept less. */
const mostBytes = 12 * 1024;

/**
 * Refuses, at login, session values that requests would not return unchanged (rule S2). They mostly come from what the user
 * entered, such as a password that ends in a space, so the error is for the user.
 *
 * @throws BadRequestError that names the header, never its value.
 */
export function checkSessionValues(session: readonly SessionParameter[]): void {
  for (const { key, value } of session) {
    if (typeof value !== 'string') continue;
    const problem = problemOf(value);
    if (problem === undefined) continue;
    throw refusal(
      `The value of "${key}" ${problem}. The connector has to encode it, for example with encodeURIComponent.`,
    );
  }
}

/** Refuses a session within the contract's bounds that is still more than a request can carry. */
export function checkSessionSize(session: readonly SessionParameter[]): void {
  const bytes = session.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  if (bytes > mostBytes) throw refusal(`The session has ${bytes} bytes, and requests can carry ${mostBytes}.`);
}

function problemOf(value: string): string | undefined {
  if (/[^\0-\xff]/.test(value)) return 'has characters that a header cannot carry';
  return /^[ \t]|[ \t]$/.test(value) ? 'starts or ends with whitespace, which a header loses' : undefined;
}

function refusal(message: string): BadRequestError {
  return new BadRequestError(message, { code: 'SESSION_NOT_SENDABLE' });
}
