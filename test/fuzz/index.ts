import { adminApi } from './admin-api.js';
import { credentials } from './credentials.js';
import { errorPayload } from './error-payload.js';
import type { FuzzTarget } from './fuzz-target.js';
import { quotaHeaders } from './quota-headers.js';
import { sessionAnswer } from './session-answer.js';
import { waitHeader } from './wait-header.js';

export { type FuzzOptions, type FuzzOutcome, type FuzzTarget, formatFinding, fuzz } from './fuzz-target.js';

/** Everything that reads what strangers send. */
export const targets: readonly FuzzTarget[] = [
  waitHeader,
  quotaHeaders,
  errorPayload,
  sessionAnswer,
  credentials,
  adminApi,
];
