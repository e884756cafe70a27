import type { CaseDefinition } from '../case.js';
import { cleanupCases } from './cleanup.js';
import { errorCases } from './errors.js';
import { rateLimitCases } from './rate-limit.js';
import { routeCases } from './routes.js';
import { secretCases } from './secrets.js';
import { sessionCases } from './session.js';
import { validationCases } from './validation.js';

/** All cases, in the order in which they run: limits last, for nothing can be judged behind a closed gate. */
export const allCases: readonly CaseDefinition[] = [
  ...sessionCases,
  ...routeCases,
  ...validationCases,
  ...errorCases,
  ...secretCases,
  ...cleanupCases,
  ...rateLimitCases,
];
