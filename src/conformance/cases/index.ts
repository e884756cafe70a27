import type { CaseDefinition } from '../case.js';
import { cleanupCases } from './cleanup.js';
import { parallelCase, refusedPostCase } from './connections.js';
import { errorCases } from './errors.js';
import { fileCases } from './files.js';
import { openapiCases } from './openapi.js';
import { quotaCases } from './quota.js';
import { noContentCase, rateLimitCases, tooManyRequestsCase } from './rate-limit.js';
import { routeCases } from './routes.js';
import { secretCases } from './secrets.js';
import { everyLoginCase, loginCases } from './session.js';
import { sessionCases } from './session-life.js';
import { validationCases } from './validation.js';

/**
 * All cases in the order in which they run. Parallel connections come first, because nothing else can be judged without them.
 * Rate limits come late, because nothing else can be checked during a pause; the quota, 429s and 204s come last, because
 * their cases look at every response, as that of the logins does.
 */
export const allCases: readonly CaseDefinition[] = [
  parallelCase,
  ...loginCases,
  ...sessionCases,
  refusedPostCase,
  ...routeCases,
  ...fileCases,
  ...validationCases,
  ...errorCases,
  ...secretCases,
  ...openapiCases,
  ...cleanupCases,
  ...rateLimitCases,
  everyLoginCase,
  ...quotaCases,
  tooManyRequestsCase,
  noContentCase,
];
