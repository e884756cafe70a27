/**
 * API keys: their life, their audit trail, authentication, and who may do what.
 *
 * @module concordat/api-keys
 */

export { userManagementWrite } from './access/rights.js';
// Keys: their life, their audit trail, who may do what.
export { ApiKeyError, type ApiKeyErrorKind, type FieldError, isApiKeyError } from './api-key-error.js';
// Authentication: what a request presented, and how to slow down guessing.
export {
  createFailureThrottle,
  type FailureThrottle,
  type FailureThrottleOptions,
} from './authentication/failure-throttle.js';
export { hashPassword, verifyPassword } from './authentication/passwords.js';
export { maxExpiresOn } from './keys/expiry.js';
export { apiKeyPattern } from './keys/key-format.js';
export { openApiKeys } from './open-api-keys.js';
export type {
  Actor,
  ActorLike,
  ApiKey,
  ApiKeyChanges,
  ApiKeyPage,
  ApiKeySort,
  ApiKeySortField,
  ApiKeyStatus,
  ApiKeys,
  AuditEntry,
  AuditQuery,
  Authenticated,
  CreatedApiKey,
  DirectoryUser,
  Edition,
  EndedSessions,
  FieldChange,
  Invalidation,
  ListQuery,
  NewApiKey,
  OpenApiKeysOptions,
  Origin,
  Page,
  Pepper,
  PepperSecret,
  RefusalReason,
  RequestHeaders,
  RevisionType,
  Scope,
  UserDirectory,
  Verification,
} from './types.js';
