/** What an error means, and therefore what the service does about it (rule E2). */
export type ErrorKind = 'bad-request' | 'unauthorized' | 'forbidden' | 'rate-limit' | 'not-found' | 'other';

/** What the service does about an error of this kind. */
export type Reaction = 'report' | 'initialize-and-resend' | 'wait-and-resend' | 'retry-if-idempotent';

export interface ErrorTableEntry {
  readonly kind: ErrorKind;
  /** The HTTP status of the response; `null` if several are possible. */
  readonly status: number | null;
  /** Whether the response has the wait header, which distinguishes a rate limit from a denial (rule W2). */
  readonly waitHeader: boolean;
  /** The code if the end system gives none (rule E3). */
  readonly code: string;
  /** The message if the author gives none. */
  readonly message: string;
  readonly reaction: Reaction;
}

/** The table from which classes, responses, documentation and tests derive (rule E2). */
export const errorTable: Readonly<Record<ErrorKind, ErrorTableEntry>> = Object.freeze({
  'bad-request': entry('bad-request', 400, 'BAD_REQUEST', 'The request is not valid.', 'report'),
  unauthorized: entry(
    'unauthorized',
    401,
    'UNAUTHORIZED',
    'The session is missing, expired or not valid.',
    'initialize-and-resend',
  ),
  forbidden: entry('forbidden', 403, 'FORBIDDEN', 'Access to this resource is denied.', 'report'),
  'rate-limit': entry('rate-limit', 403, 'RATE_LIMITED', 'The rate limit has been reached.', 'wait-and-resend', true),
  'not-found': entry('not-found', 404, 'NOT_FOUND', 'The requested resource is not available.', 'report'),
  other: entry(
    'other',
    null,
    'CONNECTOR_ERROR',
    'The connector could not complete the request.',
    'retry-if-idempotent',
  ),
});

function entry(
  kind: ErrorKind,
  status: number | null,
  code: string,
  message: string,
  reaction: Reaction,
  waitHeader = false,
): ErrorTableEntry {
  return Object.freeze({ kind, status, waitHeader, code, message, reaction });
}

/**
 * The kind that a status stands for when no wait header was sent.
 *
 * @example
 * kindOfStatus(404) // 'not-found'
 */
export function kindOfStatus(status: number): Exclude<ErrorKind, 'rate-limit'> {
  for (const { kind, status: own } of Object.values(errorTable)) {
    if (own === status && kind !== 'rate-limit') return kind;
  }
  return 'other';
}
