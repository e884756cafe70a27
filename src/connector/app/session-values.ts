import { BadRequestError, type SessionParameter } from '../../contract/index.js';

/** So much of the 16 KiB that Node reads of a request's headers is left for a session; proxies often take less. */
const mostBytes = 12 * 1024;

/**
 * Refuses, at login, session values that requests would not bring back as they are (rule S2). They are mostly made of what
 * the user gave, a password with a blank at its end, so it is the user who is told.
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

/** Refuses what is within the contract's bounds and still more than a request can carry. */
export function checkSessionSize(session: readonly SessionParameter[]): void {
  const bytes = session.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  if (bytes > mostBytes) throw refusal(`The session has ${bytes} bytes, and requests can carry ${mostBytes}.`);
}

function problemOf(value: string): string | undefined {
  if (/[^\0-\xff]/.test(value)) return 'has characters that a header cannot carry';
  return /^[ \t]|[ \t]$/.test(value) ? 'begins or ends with a blank, which a header loses' : undefined;
}

function refusal(message: string): BadRequestError {
  return new BadRequestError(message, { code: 'SESSION_NOT_SENDABLE' });
}
