import type { CaseDefinition } from '../case.js';
import { cleanupCases } from './cleanup.js';
import { errorCases } from './errors.js';
import { fileCases } from './files.js';
import { quotaCases } from './quota.js';
import { rateLimitCases } from './rate-limit.js';
import { routeCases } from './routes.js';
import { secretCases } from './secrets.js';
import { sessionCases } from './session.js';
import { validationCases } from './validation.js';

/** All cases, in the order in which they run: limits last, for nothing can be judged behind a closed
 * gate, and after them what all answers have told about the quota. */
export const allCases: readonly CaseDefinition[] = [
  ...sessionCases,
  ...routeCases,
  ...fileCases,
  ...validationCases,
  ...errorCases,
  ...secretCases,
  ...cleanupCases,
  ...rateLimitCases,
  ...quotaCases,
];
