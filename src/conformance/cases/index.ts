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

/**
 * All cases in the order in which they run. Rate limits come late, because nothing else can be checked during a pause; the
 * quota comes last, because its cases look at every response.
 */
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
