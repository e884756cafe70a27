/**
 * API keys: their life cycle, their audit trail, authentication, and who may do what.
 *
 * @module concordat/api-keys
 */

// Who may do what: users, their rights, editions.
export { toActor } from './access/actor.js';
export type { AnswerTime } from './access/answer-in-time.js';
export { editionMessage, hasApiKeys } from './access/edition.js';
export { RequestLookups } from './access/request-lookups.js';
export { isEnabled, type Rights, rightsOf, userManagementWrite } from './access/rights.js';
export {
  type Actor,
  type ActorLike,
  auditOrigins,
  type DirectoryUser,
  type Edition,
  type EditionOption,
  type FoundUser,
  type Origin,
  type UserDirectory,
} from './access/types.js';
export { ApiKeyError, type ApiKeyErrorKind, type FieldError, isApiKeyError } from './api-key-error.js';
// Opening API keys, and what the calls take and return.
export type { ApiKeys, EndedSessions, Invalidation, OpenApiKeysOptions } from './api-keys.js';
// Authentication: what a request presented, passwords, and how to slow down guessing.
export {
  createFailureThrottle,
  type FailureThrottle,
  type FailureThrottleOptions,
} from './authentication/failure-throttle.js';
export { hashPassword, isPasswordHash, verifyPassword } from './authentication/passwords.js';
export type {
  Authenticated,
  Pepper,
  PepperSecret,
  RefusalReason,
  RequestHeaders,
  RequestSource,
  Verification,
} from './authentication/types.js';
export { maxExpiresOn } from './keys/expiry.js';
export { apiKeyPattern } from './keys/key-format.js';
export { maxDescriptionCharacters } from './keys/key-texts.js';
export {
  type ApiKey,
  type ApiKeyChanges,
  type ApiKeyPage,
  type ApiKeySort,
  type ApiKeySortField,
  type ApiKeyStatus,
  type AuditEntry,
  type AuditQuery,
  apiKeyScopes,
  apiKeySorts,
  apiKeyStatuses,
  auditedFields,
  type CreatedApiKey,
  type FieldChange,
  type KeyUse,
  type ListQuery,
  maxPageLimit,
  maxSearchCharacters,
  maxUserIdCharacters,
  type NewApiKey,
  type Page,
  type RevisionType,
  revisionTypes,
  type Scope,
} from './keys/types.js';
export { openApiKeys } from './open-api-keys.js';
export type { ExpiryWarning } from './warnings/expiry-warnings.js';
